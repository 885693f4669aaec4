local t = nil
t.x = 1

function event() end
