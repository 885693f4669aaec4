-- The statements of the dialect `standard`, in the order of preparing.
-- `:name` is a value, `{word}` differs with the options. A line of two dashes names the kind, the type, and what
-- holds of it: its rows are kept, it is always text, it is written with numbers in its own form, it ends a transaction.

-- Begin begin
START TRANSACTION

-- Commit commit
COMMIT

-- Rollback rollback ends
ROLLBACK

-- OrderCustomer new_order.select_customer
SELECT c_discount, c_last, c_credit, w_tax FROM customer, warehouse WHERE w_id = :warehouse AND c_w_id = :warehouse
AND c_d_id = :district AND c_id = :customer

-- OrderDistrict new_order.select_district kept
SELECT d_next_o_id, d_tax FROM district WHERE d_w_id = :warehouse AND d_id = :district FOR UPDATE

-- RaiseDistrict new_order.update_district
UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = :warehouse AND d_id = :district

-- InsertOrder new_order.insert_order
INSERT INTO orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local) VALUES (:order, :district,
:warehouse, :customer, NOW(), :line_count, :is_local)

-- InsertNewOrder new_order.insert_new_order
INSERT INTO new_orders (no_o_id, no_d_id, no_w_id) VALUES (:order, :district, :warehouse)

-- Item new_order.select_item kept
SELECT i_price, i_name, i_data FROM item WHERE i_id = :item

-- Stock new_order.select_stock kept
SELECT s_quantity, s_data, ELT(:district, s_dist_01, s_dist_02, s_dist_03, s_dist_04, s_dist_05, s_dist_06,
s_dist_07, s_dist_08, s_dist_09, s_dist_10) FROM stock WHERE s_w_id = :supply AND s_i_id = :item FOR UPDATE

-- SetStock new_order.update_stock
UPDATE stock SET s_quantity = :stock, s_ytd = s_ytd + :quantity, s_order_cnt = s_order_cnt + 1, s_remote_cnt =
s_remote_cnt + :is_remote WHERE s_w_id = :supply AND s_i_id = :item

-- InsertLine new_order.insert_order_line
INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount,
ol_dist_info) VALUES (:order, :district, :warehouse, :line_number, :item, :supply, :quantity, :line_amount,
:dist_info)

-- PayWarehouse payment.update_warehouse
UPDATE warehouse SET w_ytd = w_ytd + :amount WHERE w_id = :warehouse

-- PaymentWarehouse payment.select_warehouse kept
SELECT w_name, w_street_1, w_street_2, w_city, w_state, w_zip FROM warehouse WHERE w_id = :warehouse

-- PayDistrict payment.update_district
UPDATE district SET d_ytd = d_ytd + :amount WHERE d_w_id = :warehouse AND d_id = :district

-- PaymentDistrict payment.select_district kept
SELECT d_name, d_street_1, d_street_2, d_city, d_state, d_zip FROM district WHERE d_w_id = :warehouse AND d_id =
:district

-- Payers payment.select_customers kept
SELECT c_id FROM customer WHERE c_w_id = :buyer_warehouse AND c_d_id = :buyer_district AND c_last = :last_name ORDER
BY c_first

-- Payer payment.select_customer kept
SELECT c_credit, c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone, c_since,
c_credit_lim, c_discount, c_balance FROM customer WHERE c_w_id = :buyer_warehouse AND c_d_id = :buyer_district AND
c_id = :customer FOR UPDATE

-- PayerData payment.select_data kept
SELECT c_data FROM customer WHERE c_w_id = :buyer_warehouse AND c_d_id = :buyer_district AND c_id = :customer

-- SetPayer payment.update_customer
UPDATE customer SET c_balance = c_balance - :amount, c_ytd_payment = c_ytd_payment + :amount, c_payment_cnt =
c_payment_cnt + 1 WHERE c_w_id = :buyer_warehouse AND c_d_id = :buyer_district AND c_id = :customer

-- SetPayerAndData payment.update_bad_customer
UPDATE customer SET c_balance = c_balance - :amount, c_ytd_payment = c_ytd_payment + :amount, c_payment_cnt =
c_payment_cnt + 1, c_data = :data WHERE c_w_id = :buyer_warehouse AND c_d_id = :buyer_district AND c_id = :customer

-- InsertHistory payment.insert_history
INSERT INTO history (h_c_d_id, h_c_w_id, h_c_id, h_d_id, h_w_id, h_date, h_amount, h_data) VALUES (:buyer_district,
:buyer_warehouse, :customer, :district, :warehouse, NOW(), :amount, :history)

-- Buyers order_status.select_customers kept
SELECT c_id, c_first, c_middle, c_last, c_balance FROM customer WHERE c_w_id = :warehouse AND c_d_id = :district AND
c_last = :last_name ORDER BY c_first

-- Buyer order_status.select_customer
SELECT c_id, c_first, c_middle, c_last, c_balance FROM customer WHERE c_w_id = :warehouse AND c_d_id = :district AND
c_id = :customer

-- LastOrder order_status.select_order kept
SELECT o_id, o_carrier_id, o_entry_d FROM orders WHERE o_w_id = :warehouse AND o_d_id = :district AND o_c_id =
:customer ORDER BY o_id DESC LIMIT 1

-- OrderLines order_status.select_lines
SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d FROM order_line WHERE ol_w_id = :warehouse AND
ol_d_id = :district AND ol_o_id = :order

-- OldestNewOrder delivery.select_new_order kept
SELECT no_o_id FROM new_orders WHERE no_w_id = :warehouse AND no_d_id = :district ORDER BY no_o_id LIMIT 1 FOR
UPDATE

-- DeleteNewOrder delivery.delete_new_order
DELETE FROM new_orders WHERE no_w_id = :warehouse AND no_d_id = :district AND no_o_id = :order

-- DeliveredCustomer delivery.select_order kept
SELECT o_c_id FROM orders WHERE o_w_id = :warehouse AND o_d_id = :district AND o_id = :order

-- SetCarrier delivery.update_order
UPDATE orders SET o_carrier_id = :carrier WHERE o_w_id = :warehouse AND o_d_id = :district AND o_id = :order

-- DateLines delivery.update_lines
UPDATE order_line SET ol_delivery_d = NOW() WHERE ol_w_id = :warehouse AND ol_d_id = :district AND ol_o_id = :order

-- SumLines delivery.sum_lines kept
SELECT SUM(ol_amount) FROM order_line WHERE ol_w_id = :warehouse AND ol_d_id = :district AND ol_o_id = :order

-- BookDelivery delivery.update_customer
UPDATE customer SET c_balance = c_balance + :total, c_delivery_cnt = c_delivery_cnt + 1 WHERE c_w_id = :warehouse
AND c_d_id = :district AND c_id = :customer

-- StockDistrict stock_level.select_district kept
SELECT d_next_o_id FROM district WHERE d_w_id = :warehouse AND d_id = :district

-- CountLow stock_level.count_low_stock
SELECT COUNT(DISTINCT s_i_id) FROM order_line, stock WHERE ol_w_id = :warehouse AND ol_d_id = :district AND ol_o_id
< :order AND ol_o_id >= :oldest_order AND s_w_id = :warehouse AND s_i_id = ol_i_id AND s_quantity < :threshold
