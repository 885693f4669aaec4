local t = nil

function event()
  return coroutine.wrap(function() return t.x end)()
end
