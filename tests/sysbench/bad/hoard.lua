ffi.cdef("int usleep(unsigned int);")

local hoard = {}

function event(id)
  if id == 1 then
    while true do
      hoard[#hoard + 1] = string.rep("x", 100000) .. #hoard
    end
  end
  ffi.C.usleep(1000)
end
