function event() end
function done() while true do end end
