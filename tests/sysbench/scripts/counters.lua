-- $ counters.lua --events=3 --time=0 run
-- server
-- What counts as read, write and other.

function thread_init()
  con = sysbench.sql.driver():connect()
  con:query("CREATE TABLE IF NOT EXISTS t_counters (id INT PRIMARY KEY, n INT)")
  con:query("DELETE FROM t_counters")
end

function event()
  con:query("BEGIN")
  con:query("INSERT INTO t_counters VALUES (1, 1), (2, 2)")
  con:query("SELECT * FROM t_counters WHERE id = 99")
  con:query("UPDATE t_counters SET n = n WHERE id = 1")
  con:query("UPDATE t_counters SET n = n + 1 WHERE id = 1")
  con:query("DELETE FROM t_counters WHERE id = 99")
  con:query("DELETE FROM t_counters")
  con:query("SET @x = 1")
  con:query("COMMIT")
end

function thread_done()
  con:query("DROP TABLE t_counters")
end
