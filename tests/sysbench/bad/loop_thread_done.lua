function event() end
function thread_done() while true do end end
