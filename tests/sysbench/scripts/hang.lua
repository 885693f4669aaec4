ffi.cdef("int usleep(unsigned int);")

local began = os.time()

-- A tenth of a second for the first second, then longer than the test has patience.
function event()
  ffi.C.usleep(os.time() - began < 1 and 100000 or 6000000)
end
