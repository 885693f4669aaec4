-- $ commands.lua --threads=2 tell
-- $ commands.lua refuse
-- $ commands.lua raise
-- $ commands.lua empty
-- $ commands.lua run
-- Commands of one's own: they run in the global state, may return false, raise, be no function, hide the builtin one.

sysbench.cmdline.options = {words = {"Words", {"a", "b"}}}

sysbench.cmdline.commands = {
  tell = {function() print("tell", sysbench.tid, sysbench.cmdline.command, #sysbench.opt.words) end},
  refuse = {function() return false end},
  raise = {function() error("on purpose") end},
  empty = {},
  run = {function() print("my own run") end},
}
