local module = {}

function module.to(name)
  return "hello " .. name
end

return module
