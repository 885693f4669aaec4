sysbench.cmdline.commands = {
  fails = { function() error("in the command") end },
}

function event() end
