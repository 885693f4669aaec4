function event(id) error() end
