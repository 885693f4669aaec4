-- $ histogram.lua --events=1 --time=0 run
-- Histograms of the script's own: edges, clamping, bars.

function event()
  local h = sysbench.histogram.new(128, 1, 1000)
  for i = 1, 100 do h:update(i * i / 11) end
  h:update(-1)
  h:update(1e12)
  h:print()
  local single = sysbench.histogram.new(2, 1, 2)
  for _ = 1, 81 do single:update(1) end
  single:update(2)
  single:print()
  print(pcall(tostring, h))
end
