-- $ reports.lua --time=3 --threads=2 --report-interval=1 --report-checkpoints=2 run
-- The figures that report hooks are given; a table a report.

ffi.cdef("int usleep(unsigned int);")

local function shown(kind, stat)
  local names = {}
  for name in pairs(stat) do names[#names + 1] = name end
  table.sort(names)
  print(kind, sysbench.tid, table.concat(names, " "))
  print(kind, stat.threads_running, math.floor(stat.time_total + 0.5), math.floor(stat.time_interval + 0.5),
        stat.events > 0, stat.reads, stat.writes, stat.other, stat.errors, stat.reconnects)
  print(kind, stat.latency_pct > 0.005 and stat.latency_pct < 2)  -- seconds
end

function event()
  ffi.C.usleep(10000)
end

function sysbench.hooks.report_intermediate(stat)
  if stat.time_total < 1.5 then shown("interval", stat) end
end

function sysbench.hooks.report_cumulative(stat)
  shown("cumulative", stat)
  print("cumulative", stat.latency_min <= stat.latency_avg, stat.latency_avg <= stat.latency_max,
        stat.latency_sum >= stat.latency_max)
end
