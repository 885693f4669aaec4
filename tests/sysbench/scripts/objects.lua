-- $ objects.lua --events=1 --time=0 run
-- The table of the program.

local function keys(of)
  local names = {}
  for name in pairs(of) do names[#names + 1] = tostring(name) end
  table.sort(names)
  return table.concat(names, " ")
end

function event()
  print(sysbench.version, sysbench.version_string:match("^sysbench 1%.0%.20"))
  print(sysbench.error.NONE, sysbench.error.RESTART_EVENT)
  print(keys(sysbench.sql.type))
  print(sysbench.sql.type.INT, sysbench.sql.type.CHAR, sysbench.sql.type.VARCHAR, sysbench.sql.type.TIMESTAMP)
  print(sysbench.sql.error.NONE, sysbench.sql.error.IGNORABLE, sysbench.sql.error.FATAL)
  print(type(sysbench.report_csv), type(sysbench.report_json), type(sysbench.report_default), type(thread_run))
  print(#sysbench.cmdline.argv, sysbench.cmdline.argv[1], sysbench.cmdline.script_path, sysbench.cmdline.command)
  print(sysbench.cmdline.ARG_BOOL, sysbench.cmdline.ARG_INT, sysbench.cmdline.ARG_LIST, sysbench.cmdline.ARG_MAX)
end
