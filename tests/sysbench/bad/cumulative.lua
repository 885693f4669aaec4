function event() end

function sysbench.hooks.report_cumulative()
  error("in the last report")
end
