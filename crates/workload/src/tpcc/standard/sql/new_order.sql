CREATE PROCEDURE tpcc_new_order (
  in_w INT, in_d INT, in_c INT, in_lines INT, in_all_local INT, in_packed VARCHAR(240))
BEGIN
  DECLARE order_id, line, item, supply, quantity, in_stock INT;
  DECLARE discount, w_rate, d_rate DECIMAL(4,4);
  DECLARE last_name VARCHAR(16);
  DECLARE credit CHAR(2);
  DECLARE price DECIMAL(5,2);
  DECLARE amount, total DECIMAL(12,2) DEFAULT 0;
  DECLARE name, brand, stock_brand VARCHAR(50);
  DECLARE dist_info CHAR(24);
  DECLARE EXIT HANDLER FOR NOT FOUND BEGIN
    ROLLBACK;
    SELECT order_id, last_name, credit, discount, w_rate, d_rate, NULL AS total;
  END;
  START TRANSACTION;
  SELECT c_discount, c_last, c_credit, w_tax INTO discount, last_name, credit, w_rate
    FROM customer, warehouse WHERE w_id = in_w AND c_w_id = in_w AND c_d_id = in_d AND c_id = in_c;
  SELECT d_next_o_id, d_tax INTO order_id, d_rate
    FROM district WHERE d_w_id = in_w AND d_id = in_d FOR UPDATE;
  UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = in_w AND d_id = in_d;
  INSERT INTO orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local)
    VALUES (order_id, in_d, in_w, in_c, NOW(), in_lines, in_all_local);
  INSERT INTO new_orders (no_o_id, no_d_id, no_w_id) VALUES (order_id, in_d, in_w);
  SET line = 1;
  WHILE line <= in_lines DO
    SET item = SUBSTRING(in_packed, 16 * line - 15, 6);
    SET supply = SUBSTRING(in_packed, 16 * line - 9, 8);
    SET quantity = SUBSTRING(in_packed, 16 * line - 1, 2);
    SELECT i_price, i_name, i_data INTO price, name, brand FROM item WHERE i_id = item;
    SELECT s_quantity, s_data, ELT(in_d, s_dist_01, s_dist_02, s_dist_03, s_dist_04, s_dist_05,
        s_dist_06, s_dist_07, s_dist_08, s_dist_09, s_dist_10)
      INTO in_stock, stock_brand, dist_info
      FROM stock WHERE s_w_id = supply AND s_i_id = item FOR UPDATE;
    SET in_stock = in_stock - quantity + IF(in_stock >= quantity + 10, 0, 91);
    UPDATE stock SET s_quantity = in_stock, s_ytd = s_ytd + quantity, s_order_cnt = s_order_cnt + 1,
        s_remote_cnt = s_remote_cnt + (supply <> in_w)
      WHERE s_w_id = supply AND s_i_id = item;
    SET amount = quantity * price;
    INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_dist_info)
      VALUES (order_id, in_d, in_w, line, item, supply, quantity, amount, dist_info);
    SET total = total + amount;
    SET line = line + 1;
  END WHILE;
  SELECT order_id, last_name, credit, discount, w_rate, d_rate,
    total * (1 - discount) * (1 + w_rate + d_rate) AS total;
  COMMIT;
END
