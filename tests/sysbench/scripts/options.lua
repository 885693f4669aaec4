-- $ options.lua --a-flag --an-int=42 --a-size=3K --a-double=2.5 --a-list=x,y,z --inferred-number=7 --inferred-flag=off run
-- Options of every type, given and left alone.

local c = sysbench.cmdline
sysbench.cmdline.options = {
  a_flag = {"A flag", false, c.ARG_BOOL},
  an_int = {"An int", 1, c.ARG_INT},
  a_size = {"A size", 1024, c.ARG_SIZE},
  a_double = {"A double", 0.5, c.ARG_DOUBLE},
  a_string = {"A string", "default", c.ARG_STRING},
  a_list = {"A list", "p,q", c.ARG_LIST},
  other_list = {"Another list", {"p", "q"}},
  a_file = {"A file", nil, c.ARG_FILE},
  inferred_flag = {"Inferred flag", true},
  inferred_number = {"Inferred number", 5},
  inferred_text = {"Inferred text", ""},
  nothing = {"Nothing at all"},
}

local function shown(value)
  if type(value) == "table" then return "{" .. table.concat(value, "|") .. "}" end
  return type(value) .. " " .. tostring(value)
end

function init()
  local names = {}
  for name in pairs(sysbench.cmdline.options) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do print(name, shown(sysbench.opt[name])) end
  for _, name in ipairs({"threads", "events", "time", "report_interval", "percentile", "histogram", "rand_type",
                         "rand_seed", "rand_pareto_h", "db_driver", "mysql_host", "mysql_port", "mysql_user",
                         "mysql_password", "mysql_ssl", "mysql_ignore_errors", "validate", "debug", "rate"}) do
    print(name, shown(sysbench.opt[name]))
  end
  sysbench.cmdline.print_test_options()
end

function event() return true end
