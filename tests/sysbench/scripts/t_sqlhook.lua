local attempts = 0
local con
function thread_init() con = sysbench.sql.driver():connect() end
function event()
  con:query("SELECT nope")
end

local function tell(letter, err)
  for key, value in pairs(err) do print(letter, key, value) end
end

function sysbench.hooks.sql_error_ignorable(err)
  tell("I", err)
  attempts = attempts + 1
  return attempts < 2
end

function sysbench.hooks.before_restart_event(err)
  tell("H", err)
end
