-- $ validator.lua --port=80 --level=low run
-- The validator sees C strings, and says no to the second option.

local function check(name, value)
  name, value = ffi.string(name), ffi.string(value)
  print("validate", name, value)
  return name ~= "level" or value == "high"
end

sysbench.cmdline.options = {
  port = {"A port", 1, sysbench.cmdline.ARG_INT, check},
  level = {"A level", "high", sysbench.cmdline.ARG_STRING, check},
}

function event() return 1 end
