-- The fourth event fails.

local events = 0

function event()
  events = events + 1
  if events == 4 then
    error("as told")
  end
end
