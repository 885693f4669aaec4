function event()
  local h = sysbench.histogram.new(1024, 0.001, 100000)
  for _, value in ipairs({0, 0.001, 1.007, 2.5, 2.52, 1e9}) do h:update(value) end
  h:print()
  h = sysbench.histogram.new(5, 1, 10)
  for value, count in pairs({[1] = 13, [1.8] = 10, [3.2] = 19, [5.6] = 32, [10] = 26}) do
    for _ = 1, count do h:update(value) end
  end
  h:print()
end
