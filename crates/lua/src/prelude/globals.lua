-- Defines the globals of the first generation: two at once, the others when one of them is named.

local second_generation, seam = ...
if second_generation then
  return
end

thread_id = sysbench.tid
test = sysbench.cmdline.script_path

local PREFIX = { db_ = true, sb_ = true, DB_ = true }
local NAME = { mysql_table_engine = true, myisam_max_rows = true }

setmetatable(_G, {
  __index = function(self, name)
    if type(name) == "string" and (PREFIX[name:sub(1, 3)] or NAME[name]) then
      setmetatable(self, nil)
      -- Names that the script or its options have defined by now stay.
      local defined = {}
      for key, value in next, self do defined[key] = value end
      seam.read_later(2)
      for key, value in next, defined do self[key] = value end
      return self[name]
    end
  end,
})
