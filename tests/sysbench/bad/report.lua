function event() end

function sysbench.hooks.report_intermediate()
  error("in the report")
end
