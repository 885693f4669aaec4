function event(id)
  if id == 1 then
    error("in event")
  end
end
