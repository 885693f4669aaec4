local attempts = 0
local con

function thread_init()
  con = sysbench.sql.driver():connect()
end

function event()
  attempts = attempts + 1
  if attempts < 3 then
    con:query("SELECT nope")
  end
end

function sysbench.hooks.before_restart_event(err)
  for key, value in pairs(err) do print("H", key, value) end
end
