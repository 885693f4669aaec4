CREATE PROCEDURE OSTAT (
  in_w INT, in_d INT, INOUT io_c INT, in_by_name INT, INOUT io_last VARCHAR(16) CHARACTER SET latin1,
  OUT out_first VARCHAR(16), OUT out_middle CHAR(2), OUT out_balance DECIMAL(12,2),
  OUT out_order INT, OUT out_date DATETIME, OUT out_carrier INT)
BEGIN
  DECLARE found, place, item, supply, quantity INT;
  DECLARE amount DECIMAL(12,2);
  DECLARE delivered DATETIME;
  DECLARE is_over INT DEFAULT 0;
  DECLARE items, supplies, quantities, amounts, deliveries VARCHAR(400) DEFAULT '';
  DECLARE named CURSOR FOR
    SELECT c_balance, c_first, c_middle, c_id
      FROM customer WHERE c_last = io_last AND c_d_id = in_d AND c_w_id = in_w ORDER BY c_first;
  DECLARE order_lines CURSOR FOR
    SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d
      FROM order_line WHERE ol_o_id = out_order AND ol_d_id = in_d AND ol_w_id = in_w;
  DECLARE CONTINUE HANDLER FOR NOT FOUND SET is_over = 1;
  START TRANSACTION;
  IF in_by_name = 1 THEN
    SELECT COUNT(c_id) INTO found FROM customer WHERE c_last = io_last AND c_d_id = in_d AND c_w_id = in_w;
    SET place = {place};
    OPEN named;
    WHILE place > 0 DO
      FETCH named INTO out_balance, out_first, out_middle, io_c;
      SET place = place - 1;
    END WHILE;
    CLOSE named;
  ELSE
    SELECT c_balance, c_first, c_middle, c_last INTO out_balance, out_first, out_middle, io_last
      FROM customer WHERE c_id = io_c AND c_d_id = in_d AND c_w_id = in_w;
  END IF;
  SELECT o_id, o_carrier_id, o_entry_d INTO out_order, out_carrier, out_date
    FROM (SELECT o_id, o_carrier_id, o_entry_d FROM orders
      WHERE o_d_id = in_d AND o_w_id = in_w AND o_c_id = io_c ORDER BY o_id DESC) AS latest LIMIT 1;
  SET is_over = 0;
  OPEN order_lines;
  FETCH order_lines INTO item, supply, quantity, amount, delivered;
  WHILE is_over = 0 DO
    SET items = CONCAT(items, ',', item);
    SET supplies = CONCAT(supplies, ',', supply);
    SET quantities = CONCAT(quantities, ',', quantity);
    SET amounts = CONCAT(amounts, ',', amount);
    SET deliveries = CONCAT(deliveries, ',', COALESCE(delivered, ''));
    FETCH order_lines INTO item, supply, quantity, amount, delivered;
  END WHILE;
  CLOSE order_lines;
  COMMIT;
END
