-- $ rand.lua --events=3 --time=0 --rand-seed=20 run
-- $ rand.lua --events=3 --time=0 --rand-seed=20 --rand-type=uniform run
-- $ rand.lua --events=3 --time=0 --rand-seed=20 --rand-type=gaussian run
-- $ rand.lua --events=3 --time=0 --rand-seed=20 --rand-type=pareto run
-- The numbers a script draws, all functions, event after event.

local r = sysbench.rand

function event()
  local line = {}
  for _ = 1, 5 do
    line[#line + 1] = r.default(1, 1000)
    line[#line + 1] = r.uniform(1, 1000)
    line[#line + 1] = r.gaussian(1, 1000)
    line[#line + 1] = r.pareto(1, 1000)
    line[#line + 1] = r.special(1, 1000)
  end
  print(table.concat(line, " "))
  print(string.format("%.15f", r.uniform_double()), tostring(r.uniform_uint64()), type(r.uniform_uint64()))
  print(r.string("###-@@@-x#y@"), #r.string(""), r.uniform(7.9, 7.2), r.uniform(5, 5))
  print(pcall(r.uniform, 1))
  print(r.uniform(-5, -5), r.uniform(0, 4294967295), r.default(10, 11), r.special(3, 3))
end

function thread_init()
  local names = {}
  for name in pairs(sysbench.rand) do names[#names + 1] = name end
  table.sort(names)
  print(table.concat(names, " "))
end
