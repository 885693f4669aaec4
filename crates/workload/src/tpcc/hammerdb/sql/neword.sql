CREATE PROCEDURE NEWORD (
  in_w INT, in_max_w INT, in_d INT, in_c INT, in_lines INT,
  OUT out_discount DECIMAL(4,4), OUT out_last VARCHAR(16), OUT out_credit VARCHAR(2),
  OUT out_d_tax DECIMAL(4,4), OUT out_w_tax DECIMAL(4,4), INOUT io_order INT, in_date DATETIME)
BEGIN
  DECLARE order_id, line, item, supply, quantity, in_stock INT;
  DECLARE all_local INT DEFAULT 1;
  DECLARE missing INT DEFAULT FLOOR(1 + RAND() * 99) = 1;
  DECLARE price, amount DECIMAL(12,2);
  DECLARE name, brand, stock_brand VARCHAR(50);
  DECLARE dist_01, dist_02, dist_03, dist_04, dist_05 VARCHAR(24);
  DECLARE dist_06, dist_07, dist_08, dist_09, dist_10 VARCHAR(24);
  DECLARE EXIT HANDLER FOR NOT FOUND, SQLSTATE '23000' ROLLBACK;
  SELECT c_discount, c_last, c_credit, w_tax INTO out_discount, out_last, out_credit, out_w_tax
    FROM customer, warehouse WHERE w_id = in_w AND c_w_id = in_w AND c_d_id = in_d AND c_id = in_c;
  START TRANSACTION;
  SELECT d_next_o_id, d_tax INTO order_id, out_d_tax
    FROM district WHERE d_id = in_d AND d_w_id = in_w FOR UPDATE;
  UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_id = in_d AND d_w_id = in_w;
  SET line = 1;
  WHILE line <= in_lines DO
    IF missing AND line = in_lines THEN
      SET item = 100001;
    ELSE
      SET item = {item};
    END IF;
    SET supply = in_w;
    IF FLOOR(1 + RAND() * 100) = 1 AND {is_remote} THEN
      SET all_local = 0;
      IF in_max_w > 1 THEN
        SET supply = FLOOR(1 + RAND() * (in_max_w - 1));
        SET supply = supply + (supply >= in_w);
      END IF;
    END IF;
    SET quantity = FLOOR(1 + RAND() * 10);
    SELECT i_price, i_name, i_data INTO price, name, brand FROM item WHERE i_id = item;
    SELECT s_quantity, s_data, s_dist_01, s_dist_02, s_dist_03, s_dist_04, s_dist_05,
        s_dist_06, s_dist_07, s_dist_08, s_dist_09, s_dist_10
      INTO in_stock, stock_brand, dist_01, dist_02, dist_03, dist_04, dist_05,
        dist_06, dist_07, dist_08, dist_09, dist_10
      FROM stock WHERE s_i_id = item AND s_w_id = supply{for_update};
    IF in_stock > quantity THEN
      SET in_stock = in_stock - quantity;
    ELSE
      SET in_stock = in_stock - quantity + 91;
    END IF;
    UPDATE stock SET s_quantity = in_stock WHERE s_i_id = item AND s_w_id = supply;
    SET amount = quantity * price * (1 + out_w_tax + out_d_tax) * (1 - out_discount);
    INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_dist_info)
      VALUES (order_id, in_d, in_w, line, item, supply, quantity, amount,
        ELT(in_d, dist_01, dist_02, dist_03, dist_04, dist_05, dist_06, dist_07, dist_08, dist_09, dist_10));
    SET line = line + 1;
  END WHILE;
  INSERT INTO orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local)
    VALUES (order_id, in_d, in_w, in_c, in_date, in_lines, all_local);
  INSERT INTO new_order (no_o_id, no_d_id, no_w_id) VALUES (order_id, in_d, in_w);
  COMMIT;
  SET io_order = order_id;
END
