-- sysbench.cmdline: shows the script its command line. Its functions are read when they are used.

local second_generation, seam = ...
local told, TEXT = seam.told, seam.TEXT

local argv, index = {}, 0
local argument = told(TEXT.ARGUMENT, index)
while argument do
  argv[index] = argument
  index = index + 1
  argument = told(TEXT.ARGUMENT, index)
end

local LATER = {
  read_cmdline_options = 3, command_defined = 3, command_parallel = 3, call_command = 3, print_test_options = 3,
}

sysbench.cmdline = setmetatable({
  ARG_NULL = 0, ARG_BOOL = 1, ARG_INT = 2, ARG_SIZE = 3, ARG_DOUBLE = 4, ARG_STRING = 5, ARG_LIST = 6, ARG_FILE = 7,
  ARG_MAX = 8,
  PARALLEL_COMMAND = true,
  argv = argv,
  command = told(TEXT.COMMAND),
  script_path = told(TEXT.SCRIPT_PATH),
}, {
  __index = function(self, name)
    if LATER[name] then
      setmetatable(self, nil)
      load(told(TEXT.PRELUDE, LATER[name]))(second_generation, seam)
      return self[name]
    end
  end,
})

function seam.cmdline(name) return sysbench.cmdline[name]() end
