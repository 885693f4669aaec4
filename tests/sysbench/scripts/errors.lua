-- $ errors.lua --events=1 --time=0 --mysql-ignore-errors=1146 run
-- server
-- A protected query that fails: fields of the connection, the error that is thrown, hooks left out.

function thread_init()
  con = sysbench.sql.driver():connect()
end

local function tell(label, ok, err)
  print(label, ok, type(err), type(err) == "table" and err.errcode or err)
  print(label, con.sql_errno, tonumber(con.error), ffi.string(con.sql_state), ffi.string(con.sql_errmsg))
end

function event()
  tell("ignored", pcall(con.query, con, "SELECT * FROM nosuch"))
  tell("fatal", pcall(con.query, con, "SELECT nope"))
  print(con:query_row("SELECT 'still there'"))
  tell("checked", pcall(con.query, con, "SELEC 1"))
end
