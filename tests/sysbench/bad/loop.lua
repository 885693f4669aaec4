ffi.cdef("int usleep(unsigned int);")

function event(id)
  if id == 1 then
    local n = 0
    while true do
      n = n + 1
    end
  end
  ffi.C.usleep(1000)
end
