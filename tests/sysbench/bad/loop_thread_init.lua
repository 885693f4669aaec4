function thread_init(id)
  if id == 0 then
    repeat until false
  end
end

function event() end
