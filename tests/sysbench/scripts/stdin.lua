-- $ stdin.lua --events=1 --time=0 run
function event()
  print("one event", sysbench.cmdline.script_path)
end
