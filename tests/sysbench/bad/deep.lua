local function deeper(n)
  return 1 + deeper(n + 1)
end

function event()
  deeper(1)
end
