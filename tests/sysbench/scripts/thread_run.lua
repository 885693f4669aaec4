-- $ thread_run.lua --events=4 --time=0 run
-- A loop of one's own over the exported functions.

ffi.cdef[[
bool sb_more_events(int);
void sb_event_start(int);
void sb_event_stop(int);
]]

function event() error("never called") end

function thread_run(id)
  local rounds = 0
  while ffi.C.sb_more_events(id) do
    ffi.C.sb_event_start(id)
    rounds = rounds + 1
    ffi.C.sb_event_stop(id)
  end
  print("rounds", rounds)
end
