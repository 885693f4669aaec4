-- $ flags.lua run
-- Options without a default: a flag is on, numbers are 0.

local c = sysbench.cmdline
sysbench.cmdline.options = {
  flag = {"A flag", nil, c.ARG_BOOL},
  int = {"An int", nil, c.ARG_INT},
  size = {"A size", nil, c.ARG_SIZE},
  double = {"A double", nil, c.ARG_DOUBLE},
  text = {"A text", nil, c.ARG_STRING},
}
sysbench.cmdline.commands = {
  run = {function()
    local o = sysbench.opt
    print(o.flag, o.int, o.size, o.double, "'" .. o.text .. "'")
  end},
}
