-- $ parallel.lua --threads=3 work
-- unordered: users run at once.
-- A parallel command: one state a user.

local calls = 0

sysbench.cmdline.commands = {
  work = {function()
    calls = calls + 1
    io.write(string.format("work of %d, call %d, of %d\n", sysbench.tid, calls, sysbench.opt.threads))
  end, sysbench.cmdline.PARALLEL_COMMAND},
}
