ffi.cdef("int usleep(unsigned int);")

function event()
  ffi.C.usleep(20000)
end
