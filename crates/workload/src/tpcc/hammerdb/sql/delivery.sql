CREATE PROCEDURE DELIVERY (in_w INT, in_carrier INT, in_date DATETIME)
BEGIN
  DECLARE oldest, customer_id INT;
  DECLARE district_id INT DEFAULT 1;
  DECLARE total DECIMAL(12,2);
  DECLARE is_missing INT DEFAULT 0;
  DECLARE CONTINUE HANDLER FOR NOT FOUND SET is_missing = 1;
  DECLARE EXIT HANDLER FOR SQLSTATE '23000' ROLLBACK;
  START TRANSACTION;
  WHILE district_id <= 10 DO
    SET is_missing = 0;
    SELECT no_o_id INTO oldest FROM new_order
      WHERE no_w_id = in_w AND no_d_id = district_id{oldest};
    IF {is_found} THEN
      DELETE FROM new_order WHERE no_w_id = in_w AND no_d_id = district_id AND no_o_id = oldest;
      SELECT o_c_id INTO customer_id FROM orders
        WHERE o_id = oldest AND o_d_id = district_id AND o_w_id = in_w;
      UPDATE orders SET o_carrier_id = in_carrier
        WHERE o_id = oldest AND o_d_id = district_id AND o_w_id = in_w;
      UPDATE order_line SET ol_delivery_d = in_date
        WHERE ol_o_id = oldest AND ol_d_id = district_id AND ol_w_id = in_w;
      SELECT SUM(ol_amount) INTO total FROM order_line
        WHERE ol_o_id = oldest AND ol_d_id = district_id AND ol_w_id = in_w;
      UPDATE customer SET c_balance = c_balance + total{delivered}
        WHERE c_id = customer_id AND c_d_id = district_id AND c_w_id = in_w;
    END IF;
    SET district_id = district_id + 1;
  END WHILE;
  COMMIT;
END
