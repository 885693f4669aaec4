-- $ unique.lua --events=1 --time=0 run
-- unique() does not repeat itself.

function event()
  local seen, count = {}, 0
  for _ = 1, 20000 do
    local value = sysbench.rand.unique()
    if not seen[value] then count = count + 1 end
    seen[value] = true
  end
  print("different", count)
end
