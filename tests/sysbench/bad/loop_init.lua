function init()
  while true do end
end

function event() end
