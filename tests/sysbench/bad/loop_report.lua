ffi.cdef("int usleep(unsigned int);")

function event() ffi.C.usleep(10000) end

function sysbench.hooks.report_intermediate()
  while true do end
end
