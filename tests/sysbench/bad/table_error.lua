function event()
  error({code = 1})
end
