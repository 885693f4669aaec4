-- $ commands.lua --threads=2 tell
-- A command of one's own, which runs in the global state.

sysbench.cmdline.options = {words = {"Words", {"a", "b"}}}

sysbench.cmdline.commands = {
  tell = {function() print("tell", sysbench.tid, sysbench.cmdline.command, #sysbench.opt.words) end},
  refuse = {function() return false end},
  raise = {function() error("on purpose") end},
  empty = {},
  run = {function() print("my own run") end},
}
