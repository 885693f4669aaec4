CREATE PROCEDURE tpcc_order_status (in_w INT, in_d INT, in_c INT, in_by_name INT, in_last VARCHAR(16))
BEGIN
  DECLARE chosen INT DEFAULT in_c;
  DECLARE found, place, latest, carrier INT DEFAULT 0;
  DECLARE entered DATETIME;
  DECLARE named CURSOR FOR
    SELECT c_id FROM customer WHERE c_w_id = in_w AND c_d_id = in_d AND c_last = in_last ORDER BY c_first;
  START TRANSACTION;
  IF in_by_name = 1 THEN
    SELECT COUNT(*) INTO found FROM customer WHERE c_w_id = in_w AND c_d_id = in_d AND c_last = in_last;
    SET place = (found + 1) DIV 2;
    OPEN named;
    WHILE place > 0 DO
      FETCH named INTO chosen;
      SET place = place - 1;
    END WHILE;
    CLOSE named;
  END IF;
  SELECT c_id, c_first, c_middle, c_last, c_balance
    FROM customer WHERE c_w_id = in_w AND c_d_id = in_d AND c_id = chosen;
  SELECT o_id, o_carrier_id, o_entry_d INTO latest, carrier, entered
    FROM orders WHERE o_w_id = in_w AND o_d_id = in_d AND o_c_id = chosen ORDER BY o_id DESC LIMIT 1;
  SELECT latest, carrier, entered;
  SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d
    FROM order_line WHERE ol_w_id = in_w AND ol_d_id = in_d AND ol_o_id = latest;
  COMMIT;
END
