-- Defines reports that a script can choose by putting them into its hooks.

function sysbench.report_default(stat)
  local seconds = stat.time_interval
  print(string.format(
    "[ %.0fs ] thds: %u tps: %4.2f qps: %4.2f (r/w/o: %4.2f/%4.2f/%4.2f) lat (ms,%u%%): %4.2f err/s %4.2f reconn/s: %4.2f",
    stat.time_total, stat.threads_running, stat.events / seconds,
    (stat.reads + stat.writes + stat.other) / seconds,
    stat.reads / seconds, stat.writes / seconds, stat.other / seconds,
    sysbench.opt.percentile, stat.latency_pct * 1000, stat.errors / seconds, stat.reconnects / seconds))
end

function sysbench.report_csv(stat)
  local seconds = stat.time_interval
  print(string.format(
    "%.0f,%u,%4.2f,%4.2f,%4.2f,%4.2f,%4.2f,%4.2f,%4.2f,%4.2f",
    stat.time_total, stat.threads_running, stat.events / seconds,
    (stat.reads + stat.writes + stat.other) / seconds,
    stat.reads / seconds, stat.writes / seconds, stat.other / seconds,
    stat.latency_pct * 1000, stat.errors / seconds, stat.reconnects / seconds))
end

-- The list is opened with the first report and closed when its state is.
local list

function sysbench.report_json(stat)
  if list then
    io.write(",\n")
  else
    list = newproxy(true)
    getmetatable(list).__gc = function() io.write("\n]\n") end
    io.write("[\n")
  end
  local seconds = stat.time_interval
  io.write(string.format([[
  {
    "time": %4.0f,
    "threads": %u,
    "tps": %4.2f,
    "qps": {
      "total": %4.2f,
      "reads": %4.2f,
      "writes": %4.2f,
      "other": %4.2f
    },
    "latency": %4.2f,
    "errors": %4.2f,
    "reconnects": %4.2f
  }]],
    stat.time_total, stat.threads_running, stat.events / seconds,
    (stat.reads + stat.writes + stat.other) / seconds,
    stat.reads / seconds, stat.writes / seconds, stat.other / seconds,
    stat.latency_pct * 1000, stat.errors / seconds, stat.reconnects / seconds))
end
