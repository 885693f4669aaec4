ffi.cdef("typedef int (*cmp)(const void*, const void*); void qsort(void*, size_t, size_t, cmp);")
local a = ffi.new("int[4]")
local cb
local function deeper() ffi.C.qsort(a, 4, 4, cb) return 0 end
cb = ffi.cast("cmp", function() return deeper() end)
function event() deeper() end
