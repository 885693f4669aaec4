-- $ ffi_calls.lua --events=2 --time=0 --mysql-dry-run run
-- Symbols of the program and of the C library through ffi.C.

ffi.cdef[[
size_t strlen(const char *);
int usleep(unsigned int);
double sqrt(double);
void sb_counter_inc(int, sb_counter_type);
uint64_t sb_counter_val(int, sb_counter_type);
uint32_t sb_rand_uniform(uint32_t, uint32_t);
]]

print(tonumber(ffi.C.SB_CNT_OTHER), tonumber(ffi.C.SB_CNT_READ), tonumber(ffi.C.SB_CNT_WRITE),
      tonumber(ffi.C.SB_CNT_TRX), tonumber(ffi.C.SB_CNT_ERROR), tonumber(ffi.C.SB_CNT_RECONNECT),
      tonumber(ffi.C.SB_CNT_MAX))

function thread_init()
  con = sysbench.sql.driver():connect()
end

function event(id)
  ffi.C.usleep(1)
  ffi.C.sb_counter_inc(id, ffi.C.SB_CNT_WRITE)
  ffi.C.sb_counter_inc(id, ffi.C.SB_CNT_READ)
  ffi.C.sb_counter_inc(id, ffi.C.SB_CNT_READ)
  con:query("anything")
  print(ffi.C.strlen("four"), ffi.C.sqrt(2) > 1.41, ffi.C.sb_rand_uniform(9, 9))
  print(tostring(ffi.C.sb_counter_val(id, ffi.C.SB_CNT_READ)), tostring(ffi.C.sb_counter_val(id, ffi.C.SB_CNT_OTHER)))
end
