function event()
  ffi.cast("int*", 8)[0] = 1
end
