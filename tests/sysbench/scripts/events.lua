-- $ events.lua --time=0 run
-- A return value that is neither nil nor false ends the user, and its event does not count.

local calls = 0

function event()
  calls = calls + 1
  if calls == 3 then return false end
  if calls == 5 then return 0 end
end

function thread_done()
  print("calls", calls)
end
