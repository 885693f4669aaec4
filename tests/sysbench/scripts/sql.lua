-- $ sql.lua --events=1 --time=0 --verbosity=3 run
-- server
-- Queries, rows, values, and what an object says of itself.

function thread_init()
  driver = sysbench.sql.driver()
  con = driver:connect()
end

function event()
  print(driver:name(), tostring(driver), tostring(con), con.driver == driver)
  print(con.sql_errno, tonumber(con.error), con.sql_state == nil)
  con:query("DROP TABLE IF EXISTS t_sql")
  con:query("CREATE TABLE t_sql (id INT PRIMARY KEY, word VARCHAR(20), number DOUBLE)")
  print(con:query("INSERT INTO t_sql VALUES (1, 'one', 1.5), (2, NULL, NULL), (3, '', 0)") == nil)
  local rs = con:query("SELECT * FROM t_sql ORDER BY id")
  print(tostring(rs), rs.nrows, rs.nfields)
  for i = 1, rs.nrows do print(unpack(rs:fetch_row(), 1, rs.nfields)) end
  print(rs:fetch_row())
  rs:free()
  print(con:query_row("SELECT COUNT(*), MAX(word), NULL, 'end' FROM t_sql"))
  print(con:query_row("SELECT 1 FROM t_sql WHERE id = 99"))
  print(con:query_row("DO 1"))
  con:query("UPDATE t_sql SET number = 0 WHERE id = 3")
  con:query("DELETE FROM t_sql WHERE id = 99")
  con:query("DELETE FROM t_sql WHERE id = 1")
  con:query("DROP TABLE t_sql")
  con:disconnect()
end
