sysbench.cmdline.options = {known = {"An option", 1}}

function event() end
