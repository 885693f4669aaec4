ffi.cdef("int no_such_function(int);")
function event() ffi.C.no_such_function(1) end
