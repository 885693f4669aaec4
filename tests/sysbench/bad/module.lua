require("nosuch.module")

function event() end
