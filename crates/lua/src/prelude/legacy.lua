-- The globals of the first generation, which scripts written for sysbench 0.5 rely on.

local second_generation = ...
if second_generation then
  return
end

thread_id = sysbench.tid
test = sysbench.cmdline.script_path
