CREATE PROCEDURE tpcc_delivery (in_w INT, in_carrier INT)
BEGIN
  DECLARE oldest, customer_id INT;
  DECLARE total DECIMAL(12,2);
  DECLARE district_id INT DEFAULT 1;
  DECLARE skipped, is_missing INT DEFAULT 0;
  DECLARE CONTINUE HANDLER FOR NOT FOUND SET is_missing = 1;
  START TRANSACTION;
  WHILE district_id <= 10 DO
    SET is_missing = 0;
    SELECT no_o_id INTO oldest FROM new_orders WHERE no_w_id = in_w AND no_d_id = district_id
      ORDER BY no_o_id LIMIT 1 FOR UPDATE;
    IF is_missing = 1 THEN
      SET skipped = skipped + 1;
    ELSE
      DELETE FROM new_orders WHERE no_w_id = in_w AND no_d_id = district_id AND no_o_id = oldest;
      SELECT o_c_id INTO customer_id FROM orders
        WHERE o_w_id = in_w AND o_d_id = district_id AND o_id = oldest;
      UPDATE orders SET o_carrier_id = in_carrier
        WHERE o_w_id = in_w AND o_d_id = district_id AND o_id = oldest;
      UPDATE order_line SET ol_delivery_d = NOW()
        WHERE ol_w_id = in_w AND ol_d_id = district_id AND ol_o_id = oldest;
      SELECT SUM(ol_amount) INTO total FROM order_line
        WHERE ol_w_id = in_w AND ol_d_id = district_id AND ol_o_id = oldest;
      UPDATE customer SET c_balance = c_balance + total, c_delivery_cnt = c_delivery_cnt + 1
        WHERE c_w_id = in_w AND c_d_id = district_id AND c_id = customer_id;
    END IF;
    SET district_id = district_id + 1;
  END WHILE;
  SELECT skipped;
  COMMIT;
END
