-- $ restart.lua --events=2 --time=0 run
-- An event that asks to be repeated is repeated, and the hook before it is told why.

local attempts = 0

function event()
  attempts = attempts + 1
  if attempts % 3 ~= 0 then error({errcode = sysbench.error.RESTART_EVENT, why = "attempt " .. attempts}) end
end

function sysbench.hooks.before_restart_event(err)
  print("again", err.errcode, err.why)
end
