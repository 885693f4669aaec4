function thread_init()
  error("in thread_init")
end

function event() end
