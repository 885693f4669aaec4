-- sysbench.histogram: creates histograms for the script.

local C = ffi.C

ffi.cdef([[
sb_histogram_t *sb_histogram_new(uint64_t, double, double);
void sb_histogram_delete(sb_histogram_t *);
void sb_histogram_update(sb_histogram_t *, double);
void sb_histogram_print(sb_histogram_t *);
]])

-- A string in place of a function: tostring() of a histogram is an error, as it always was.
ffi.metatype("sb_histogram_t", {
  __index = {
    update = function(self, value) C.sb_histogram_update(self, value) end,
    print = function(self) C.sb_histogram_print(self) end,
  },
  __tostring = "<sb_histogram>",
})

sysbench.histogram = {
  new = function(size, range_min, range_max)
    local histogram = C.sb_histogram_new(size, range_min, range_max)
    return ffi.gc(histogram, C.sb_histogram_delete)
  end,
}
