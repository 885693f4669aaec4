-- The statements of the dialect `hammerdb` without procedures.
-- `:name` is a value, `{word}` differs with the options. A line of two dashes names the kind, the type, and what
-- holds of it: its rows are kept, it is always text, it is written with numbers in its own form, it ends a transaction.

-- Begin begin text
START TRANSACTION

-- Commit commit text
COMMIT

-- Rollback rollback text ends
ROLLBACK

-- OrderCustomer new_order.select_customer kept text
SELECT c_discount, c_last, c_credit, w_tax FROM customer, warehouse WHERE w_id = :warehouse AND c_w_id = :warehouse
AND c_d_id = :district AND c_id = :customer

-- OrderDistrict new_order.select_district kept text
SELECT d_next_o_id, d_tax FROM district WHERE d_id = :district AND d_w_id = :warehouse FOR UPDATE

-- RaiseDistrict new_order.update_district text
UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_id = :district AND d_w_id = :warehouse

-- Item new_order.select_item kept text
SELECT i_price, i_name, i_data FROM item WHERE i_id = :item

-- Stock new_order.select_stock kept text
SELECT s_quantity, s_data, s_dist_01, s_dist_02, s_dist_03, s_dist_04, s_dist_05, s_dist_06, s_dist_07, s_dist_08,
s_dist_09, s_dist_10 FROM stock WHERE s_i_id = :item AND s_w_id = :supply{for_update}

-- SetStock new_order.update_stock text
UPDATE stock SET s_quantity = :stock WHERE s_i_id = :item AND s_w_id = :supply

-- InsertLine new_order.insert_order_line text
INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount,
ol_dist_info) VALUES (:order, :district, :warehouse, :line_number, :item, :supply, :quantity, :line_amount,
:dist_info)

-- InsertOrder new_order.insert_order text
INSERT INTO orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local) VALUES (:order, :district,
:warehouse, :customer, NOW(), :line_count, :is_local)

-- InsertNewOrder new_order.insert_new_order text
INSERT INTO new_order (no_o_id, no_d_id, no_w_id) VALUES (:order, :district, :warehouse)

-- PayWarehouse payment.update_warehouse text
UPDATE warehouse SET w_ytd = w_ytd + :amount WHERE w_id = :warehouse

-- PaymentWarehouse payment.select_warehouse kept text
SELECT w_street_1, w_street_2, w_city, w_state, w_zip, w_name FROM warehouse WHERE w_id = :warehouse

-- PayDistrict payment.update_district text
UPDATE district SET d_ytd = d_ytd + :amount WHERE d_w_id = :warehouse AND d_id = :district

-- PaymentDistrict payment.select_district kept text
SELECT d_street_1, d_street_2, d_city, d_state, d_zip, d_name FROM district WHERE d_w_id = :warehouse AND d_id =
:district

-- CountPayers payment.count_customers kept text
SELECT COUNT(c_id) FROM customer WHERE c_last = :last_name AND c_d_id = :buyer_district AND c_w_id =
:buyer_warehouse

-- Payers payment.select_customers kept text
SELECT c_id, c_credit, c_balance, c_first, c_middle, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone,
c_credit_lim, c_discount, c_since FROM customer WHERE c_w_id = :buyer_warehouse AND c_d_id = :buyer_district AND
c_last = :last_name ORDER BY c_first{for_update}

-- Payer payment.select_customer kept text
SELECT c_id, c_credit, c_balance, c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip,
c_phone, c_credit_lim, c_discount, c_since FROM customer WHERE c_w_id = :buyer_warehouse AND c_d_id =
:buyer_district AND c_id = :customer{for_update}

-- PayerData payment.select_data kept text
SELECT c_data FROM customer WHERE c_w_id = :buyer_warehouse AND c_d_id = :buyer_district AND c_id = :customer

-- SetPayer payment.update_customer text
UPDATE customer SET c_balance = :balance{paid} WHERE c_w_id = :buyer_warehouse AND c_d_id = :buyer_district AND c_id
= :customer

-- SetPayerAndData payment.update_bad_customer text
UPDATE customer SET c_balance = :balance, c_data = CONCAT(:data, {date}, :data_rest){paid} WHERE c_w_id =
:buyer_warehouse AND c_d_id = :buyer_district AND c_id = :customer

-- InsertHistory payment.insert_history text
INSERT INTO history (h_c_d_id, h_c_w_id, h_c_id, h_d_id, h_w_id, h_date, h_amount, h_data) VALUES (:buyer_district,
:buyer_warehouse, :customer, :district, :warehouse, NOW(), :amount, :history)

-- CountBuyers order_status.count_customers kept text
SELECT COUNT(c_id) FROM customer WHERE c_last = :last_name AND c_d_id = :district AND c_w_id = :warehouse

-- Buyers order_status.select_customers kept text
SELECT c_balance, c_first, c_middle, c_id FROM customer WHERE c_last = :last_name AND c_d_id = :district AND c_w_id
= :warehouse ORDER BY c_first

-- Buyer order_status.select_customer kept text
SELECT c_balance, c_first, c_middle, c_last FROM customer WHERE c_id = :customer AND c_d_id = :district AND c_w_id =
:warehouse

-- LastOrder order_status.select_order kept text
SELECT o_id, o_carrier_id, o_entry_d FROM (SELECT o_id, o_carrier_id, o_entry_d FROM orders WHERE o_d_id = :district
AND o_w_id = :warehouse AND o_c_id = :customer ORDER BY o_id DESC) AS latest LIMIT 1

-- OrderLines order_status.select_lines text
SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d FROM order_line WHERE ol_o_id = :order AND
ol_d_id = :district AND ol_w_id = :warehouse

-- OldestNewOrder delivery.select_new_order kept text
SELECT no_o_id FROM new_order WHERE no_w_id = :warehouse AND no_d_id = :district{oldest}

-- DeleteNewOrder delivery.delete_new_order text
DELETE FROM new_order WHERE no_w_id = :warehouse AND no_d_id = :district AND no_o_id = :order

-- DeliveredCustomer delivery.select_order kept text
SELECT o_c_id FROM orders WHERE o_id = :order AND o_d_id = :district AND o_w_id = :warehouse

-- SetCarrier delivery.update_order text
UPDATE orders SET o_carrier_id = :carrier WHERE o_id = :order AND o_d_id = :district AND o_w_id = :warehouse

-- DateLines delivery.update_lines text
UPDATE order_line SET ol_delivery_d = NOW() WHERE ol_o_id = :order AND ol_d_id = :district AND ol_w_id = :warehouse

-- SumLines delivery.sum_lines kept text
SELECT SUM(ol_amount) FROM order_line WHERE ol_o_id = :order AND ol_d_id = :district AND ol_w_id = :warehouse

-- BookDelivery delivery.update_customer text
UPDATE customer SET c_balance = c_balance + :total{delivered} WHERE c_id = :customer AND c_d_id = :district AND
c_w_id = :warehouse

-- StockDistrict stock_level.select_district kept text
SELECT d_next_o_id FROM district WHERE d_w_id = :warehouse AND d_id = :district

-- CountLow stock_level.count_low_stock text
SELECT COUNT(DISTINCT s_i_id) FROM order_line, stock WHERE ol_w_id = :warehouse AND ol_d_id = :district AND ol_o_id
< :order AND ol_o_id >= :oldest_order AND s_w_id = :warehouse AND s_i_id = ol_i_id AND s_quantity < :threshold
