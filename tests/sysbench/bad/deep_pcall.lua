local function deeper()
  return (string.gsub("x", "x", function() return deeper() end))
end

function event(id)
  for _ = 1, 3 do
    local ok, message = pcall(deeper)
    print(id, ok, message)
  end
end
