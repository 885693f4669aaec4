-- $ lifecycle.lua --events=3 --time=0 --number=7 run
-- Who is called when, with what.

sysbench.cmdline.options = {number = {"A number", 1}, word = {"A word", "none"}}

print("body", sysbench.tid, sysbench.cmdline.command, sysbench.opt and sysbench.opt.number)

local events = 0

function init(...)
  print("init", sysbench.tid, select("#", ...), sysbench.opt.number, sysbench.opt.word, sysbench.opt.threads)
  return false
end

function thread_init(id)
  print("thread_init", sysbench.tid, id, sysbench.opt.number, sysbench.opt.report_interval)
end

function event(id)
  events = events + 1
  print("event", sysbench.tid, id, events)
  sysbench.opt.number = sysbench.opt.number + 1
end

function thread_done(id)
  print("thread_done", sysbench.tid, id, events, sysbench.opt.number)
end

function done(...)
  print("done", sysbench.tid, select("#", ...), events, sysbench.opt.number)
end
