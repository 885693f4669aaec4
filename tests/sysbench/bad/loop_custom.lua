local function spin()
  local n = 0
  while true do n = n + 1 end
end

sysbench.cmdline.commands = {
  alone = { spin },
  together = { spin, sysbench.cmdline.PARALLEL_COMMAND },
}

function prepare()
  spin()
end

function event() end
