-- $ command_raise.lua raise
-- A command that raises.

sysbench.cmdline.options = {words = {"Words", {"a", "b"}}}

sysbench.cmdline.commands = {
  tell = {function() print("tell", sysbench.tid, sysbench.cmdline.command, #sysbench.opt.words) end},
  refuse = {function() return false end},
  raise = {function() error("on purpose") end},
  empty = {},
  run = {function() print("my own run") end},
}
