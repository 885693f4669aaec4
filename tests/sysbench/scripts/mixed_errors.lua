-- $ mixed_errors.lua --threads=1 --events=6 --time=0 run
-- server
-- A hook forgives one error, so its event is repeated; counts show it.

local con
local failed = false

function thread_init()
  con = sysbench.sql.driver():connect()
end

function event(id)
  if id == 0 and not failed then
    failed = true
    con:query("INSERT INTO nosuch VALUES (1)")
  end
  con:query("SELECT 1")
end

function sysbench.hooks.sql_error_ignorable(err)
  print("hook", tostring(err.connection), err.sql_errno, err.sql_state, err.query, err.errcode)
  return err.sql_errno == 1146
end
