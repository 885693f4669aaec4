CREATE PROCEDURE PAYMENT (
  in_w INT, in_d INT, in_c_w INT, in_c_d INT, INOUT io_c INT, in_by_name INT, in_amount DECIMAL(6,2),
  INOUT io_last VARCHAR(16) CHARACTER SET latin1,
  OUT out_w_street_1 VARCHAR(20), OUT out_w_street_2 VARCHAR(20), OUT out_w_city VARCHAR(20),
  OUT out_w_state CHAR(2), OUT out_w_zip CHAR(9),
  OUT out_d_street_1 VARCHAR(20), OUT out_d_street_2 VARCHAR(20), OUT out_d_city VARCHAR(20),
  OUT out_d_state CHAR(2), OUT out_d_zip CHAR(9),
  OUT out_first VARCHAR(16), OUT out_middle CHAR(2),
  OUT out_street_1 VARCHAR(20), OUT out_street_2 VARCHAR(20), OUT out_city VARCHAR(20),
  OUT out_state CHAR(2), OUT out_zip CHAR(9), OUT out_phone CHAR(16), OUT out_since DATETIME,
  INOUT io_credit CHAR(2), OUT out_limit DECIMAL(12,2), OUT out_discount DECIMAL(4,4),
  INOUT io_balance DECIMAL(12,2), OUT out_data VARCHAR(500), in_date DATETIME)
BEGIN
  DECLARE found, place INT;
  DECLARE is_over INT DEFAULT 0;
  DECLARE w_label, d_label VARCHAR(10);
  DECLARE label VARCHAR(24);
  DECLARE news VARCHAR(500);
  DECLARE named CURSOR FOR
    SELECT c_first, c_middle, c_id, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone,
        c_credit, c_credit_lim, c_discount, c_balance, c_since
      FROM customer WHERE c_w_id = in_c_w AND c_d_id = in_c_d AND c_last = io_last
      ORDER BY c_first{for_update};
  DECLARE CONTINUE HANDLER FOR NOT FOUND SET is_over = 1;
  DECLARE EXIT HANDLER FOR SQLSTATE '23000' ROLLBACK;
  START TRANSACTION;
  UPDATE warehouse SET w_ytd = w_ytd + in_amount WHERE w_id = in_w;
  SELECT w_street_1, w_street_2, w_city, w_state, w_zip, w_name
    INTO out_w_street_1, out_w_street_2, out_w_city, out_w_state, out_w_zip, w_label
    FROM warehouse WHERE w_id = in_w;
  UPDATE district SET d_ytd = d_ytd + in_amount WHERE d_w_id = in_w AND d_id = in_d;
  SELECT d_street_1, d_street_2, d_city, d_state, d_zip, d_name
    INTO out_d_street_1, out_d_street_2, out_d_city, out_d_state, out_d_zip, d_label
    FROM district WHERE d_w_id = in_w AND d_id = in_d;
  IF in_by_name = 1 THEN
    SELECT COUNT(c_id) INTO found
      FROM customer WHERE c_last = io_last AND c_d_id = in_c_d AND c_w_id = in_c_w;
    SET place = {place};
    OPEN named;
    WHILE place > 0 DO
      FETCH named INTO out_first, out_middle, io_c, out_street_1, out_street_2, out_city, out_state, out_zip,
        out_phone, io_credit, out_limit, out_discount, io_balance, out_since;
      SET place = place - 1;
    END WHILE;
    CLOSE named;
  ELSE
    SELECT c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone,
        c_credit, c_credit_lim, c_discount, c_balance, c_since
      INTO out_first, out_middle, io_last, out_street_1, out_street_2, out_city, out_state, out_zip, out_phone,
        io_credit, out_limit, out_discount, io_balance, out_since
      FROM customer WHERE c_w_id = in_c_w AND c_d_id = in_c_d AND c_id = io_c{for_update};
  END IF;
  SET io_balance = io_balance {sign} in_amount;
  SET label = CONCAT(w_label, ' ', d_label);
  IF io_credit = 'BC' THEN
    SELECT c_data INTO out_data FROM customer WHERE c_w_id = in_c_w AND c_d_id = in_c_d AND c_id = io_c;
    SET news = CONCAT(io_c, ' ', in_c_d, ' ', in_c_w, ' ', in_d, ' ', in_w, ' ',
      FORMAT(in_amount, 2), in_date, label);
    SET out_data = SUBSTRING(CONCAT(news, out_data), 1, {length});
    UPDATE customer SET c_balance = io_balance, c_data = out_data{paid}
      WHERE c_w_id = in_c_w AND c_d_id = in_c_d AND c_id = io_c;
  ELSE
    SET out_data = ' ';
    UPDATE customer SET c_balance = io_balance{paid}
      WHERE c_w_id = in_c_w AND c_d_id = in_c_d AND c_id = io_c;
  END IF;
  INSERT INTO history (h_c_d_id, h_c_w_id, h_c_id, h_d_id, h_w_id, h_date, h_amount, h_data)
    VALUES (in_c_d, in_c_w, io_c, in_d, in_w, in_date, in_amount, label);
  COMMIT;
END
