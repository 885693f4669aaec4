function init() end
