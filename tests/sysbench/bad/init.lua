function init()
  error("in init")
end

function event() end
