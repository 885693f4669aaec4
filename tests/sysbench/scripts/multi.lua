-- $ multi.lua --events=1 --time=0 run
-- server
-- Several statements in one query: 1.0 gives the first result, and the connection is out of step.

function event()
  local con = sysbench.sql.driver():connect()
  local rs = con:query("SELECT 1; SELECT 2")
  print(rs.nrows, unpack(rs:fetch_row(), 1, 1))
  rs:free()
  print(pcall(con.query, con, "SELECT 3"))
end
