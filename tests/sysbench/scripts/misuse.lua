-- $ misuse.lua --events=1 --time=0 run
-- server
-- What a script does wrong with connections and results, and what it is told.

function thread_init()
  con = sysbench.sql.driver():connect()
end

function event()
  print(pcall(con.bulk_insert_next, con, "(1)"))
  local rs = con:query("SELECT 1")
  rs:free()
  print(pcall(rs.free, rs))
  local other = sysbench.sql.driver():connect()
  other:disconnect()
  print(pcall(other.disconnect, other))
  print(pcall(other.query, other, "SELECT 1"))
  print(pcall(con.prepare, con, "SELECT FROM WHERE"))
  print(pcall(sysbench.sql.driver, "nosuch"))
  print(pcall(function() return con.more_results end))
end
