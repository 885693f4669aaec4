function event() end

function done()
  error("in done")
end
