local function deeper(n)
  return (string.gsub("x", "x", function() return deeper(n + 1) end))
end
function event()
  deeper(1)
end
