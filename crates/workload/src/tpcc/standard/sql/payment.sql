CREATE PROCEDURE tpcc_payment (
  in_w INT, in_d INT, in_c_w INT, in_c_d INT, in_c INT, in_by_name INT, in_last VARCHAR(16), in_amount DECIMAL(6,2))
BEGIN
  DECLARE chosen INT DEFAULT in_c;
  DECLARE found, place INT DEFAULT 0;
  DECLARE w_label, d_label VARCHAR(10);
  DECLARE credit CHAR(2);
  DECLARE known VARCHAR(500);
  DECLARE named CURSOR FOR
    SELECT c_id FROM customer WHERE c_w_id = in_c_w AND c_d_id = in_c_d AND c_last = in_last ORDER BY c_first;
  START TRANSACTION;
  UPDATE warehouse SET w_ytd = w_ytd + in_amount WHERE w_id = in_w;
  SELECT w_name INTO w_label FROM warehouse WHERE w_id = in_w;
  UPDATE district SET d_ytd = d_ytd + in_amount WHERE d_w_id = in_w AND d_id = in_d;
  SELECT d_name INTO d_label FROM district WHERE d_w_id = in_w AND d_id = in_d;
  IF in_by_name = 1 THEN
    SELECT COUNT(*) INTO found FROM customer WHERE c_w_id = in_c_w AND c_d_id = in_c_d AND c_last = in_last;
    SET place = (found + 1) DIV 2;
    OPEN named;
    WHILE place > 0 DO
      FETCH named INTO chosen;
      SET place = place - 1;
    END WHILE;
    CLOSE named;
  END IF;
  SELECT c_credit INTO credit
    FROM customer WHERE c_w_id = in_c_w AND c_d_id = in_c_d AND c_id = chosen FOR UPDATE;
  IF credit = 'BC' THEN
    SELECT c_data INTO known FROM customer WHERE c_w_id = in_c_w AND c_d_id = in_c_d AND c_id = chosen;
    UPDATE customer SET c_balance = c_balance - in_amount, c_ytd_payment = c_ytd_payment + in_amount,
        c_payment_cnt = c_payment_cnt + 1,
        c_data = SUBSTRING(CONCAT(chosen, ' ', in_c_d, ' ', in_c_w, ' ', in_d, ' ', in_w, ' ', in_amount, ' ', known), 1, 500)
      WHERE c_w_id = in_c_w AND c_d_id = in_c_d AND c_id = chosen;
  ELSE
    UPDATE customer SET c_balance = c_balance - in_amount, c_ytd_payment = c_ytd_payment + in_amount,
        c_payment_cnt = c_payment_cnt + 1
      WHERE c_w_id = in_c_w AND c_d_id = in_c_d AND c_id = chosen;
  END IF;
  INSERT INTO history (h_c_d_id, h_c_w_id, h_c_id, h_d_id, h_w_id, h_date, h_amount, h_data)
    VALUES (in_c_d, in_c_w, chosen, in_d, in_w, NOW(), in_amount, CONCAT(w_label, '    ', d_label));
  SELECT w_street_1, w_street_2, w_city, w_state, w_zip, d_street_1, d_street_2, d_city, d_state, d_zip,
      c_id, c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone, c_since,
      c_credit, c_credit_lim, c_discount, c_balance, LEFT(known, 200)
    FROM warehouse, district, customer
    WHERE w_id = in_w AND d_w_id = in_w AND d_id = in_d AND c_w_id = in_c_w AND c_d_id = in_c_d AND c_id = chosen;
  COMMIT;
END
