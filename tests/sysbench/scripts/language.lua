-- $ language.lua --events=2 --time=0 run
-- What the language itself offers: modules, coroutines, protected calls, libraries, the collector.

package.path = package.path .. ";./modules/?.lua"
local greeting = require("greeting")

local producer = coroutine.wrap(function()
  for i = 1, 100 do coroutine.yield(i, sysbench.tid) end
end)

function event(id)
  print(greeting.to("user " .. id), producer())
  print(pcall(error, {code = 7}) , select(2, pcall(error, "plain", 0)))
  print(select(2, pcall(function() local x = nil; return x.y end)))
  print(jit and jit.version:match("^LuaJIT 2%.1") , _VERSION, type(require("bit").bor), math.max(1, 3))
  print(type(os.time()), type(io.write), type(debug), type(string.rep), type(table.concat))
  local weak = setmetatable({{}}, {__mode = "v"})
  collectgarbage()
  print("collected", #weak == 0 or weak[1] == nil, collectgarbage("count") < 65536)
  io.write("written", "\n")
end
