-- $ options_help.lua help
-- The builtin help command over a table of options.

local c = sysbench.cmdline
sysbench.cmdline.options = {
  a_flag = {"A flag", false, c.ARG_BOOL},
  an_int = {"An int", 1, c.ARG_INT},
  a_much_longer_name_of_an_option = {"A size", 2048, c.ARG_SIZE},
  a_double = {"A double", 0.5, c.ARG_DOUBLE},
  a_string = {"A string", "default", c.ARG_STRING},
  a_list = {"A list", "p,q", c.ARG_LIST},
  other_list = {"Another list", {"p", "q"}},
  a_file = {"A file", nil, c.ARG_FILE},
  plain = {"Nothing at all"},
  large = {"A large number", 1000000},
}

function event() end
