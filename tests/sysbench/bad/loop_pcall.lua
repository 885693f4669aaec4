function event()
  while true do
    pcall(function()
      local n = 0
      while true do n = n + 1 end
    end)
  end
end
