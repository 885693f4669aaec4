-- An event that meets a duplicate key once, in the middle of a transaction, and is repeated.

local tries = 0

function init()
  local con = sysbench.sql.driver():connect()
  con:query("DROP TABLE IF EXISTS repeated")
  con:query("CREATE TABLE repeated (id INT PRIMARY KEY) ENGINE=InnoDB")
  con:query("INSERT INTO repeated VALUES (0)")
end

function thread_init()
  con = sysbench.sql.driver():connect()
end

function event()
  tries = tries + 1
  con:query("BEGIN")
  con:query("INSERT INTO repeated VALUES (" .. tries .. ")")
  if tries == 1 then
    con:query("INSERT INTO repeated VALUES (0)")
  end
  con:query("COMMIT")
  print("rows of the event and its repeat", con:query_row("SELECT COUNT(*) FROM repeated WHERE id > 0"))
end
