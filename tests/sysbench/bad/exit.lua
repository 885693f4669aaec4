function event(id) os.exit(7) end
