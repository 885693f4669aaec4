-- sysbench.rand: draws numbers from the user's own stream.

local C = ffi.C
local second_generation = ...

local rand = {}
sysbench.rand = rand

function rand.default(a, b) return C.sb_rand_default(a, b) end
function rand.uniform(a, b) return C.sb_rand_uniform(a, b) end
function rand.gaussian(a, b) return C.sb_rand_gaussian(a, b) end
function rand.pareto(a, b) return C.sb_rand_pareto(a, b) end
function rand.unique() return C.sb_rand_unique() end
function rand.uniform_uint64() return C.sb_rand_uniform_uint64() end
function rand.uniform_double() return C.sb_rand_uniform_double() end

-- One buffer for all strings of this state, as long as the longest so far.
local room, buffer = 256, ffi.new("char[?]", 256)

function rand.string(fmt)
  local length = #fmt
  if length > room then
    room, buffer = length, ffi.new("char[?]", length)
  end
  C.dbdyno_rand_str(fmt, length, buffer, room)
  return ffi.string(buffer, length)
end

if second_generation then
  function rand.zipfian(a, b) return C.sb_rand_zipfian(a, b) end

  function rand.varstring(min_length, max_length)
    assert(min_length <= max_length)
    assert(max_length > 0)
    if max_length > room then
      room, buffer = max_length, ffi.new("char[?]", max_length)
    end
    return ffi.string(buffer, C.sb_rand_varstr(buffer, min_length, max_length))
  end
else
  function rand.special(a, b) return C.sb_rand_special(a, b) end
end
