function event() end

function thread_done()
  error("in thread_done")
end
