ffi.cdef("int usleep(unsigned int);")

function event()
  ffi.C.usleep(10000)
end

sysbench.hooks.report_intermediate = sysbench.report_csv
