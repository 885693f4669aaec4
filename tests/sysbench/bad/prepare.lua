function prepare()
  error("in prepare")
end
