-- Runs once in each state. These functions are removed when they have finished.

local C = ffi.C
local second_generation, seam = ...
local told, TEXT, NUMBER = seam.told, seam.TEXT, seam.NUMBER

-- Sets where modules are looked for: first the paths of the environment, with our own paths in place of Lua's.

local function native_places()
  local list = { "./?.so" }
  local home = os.getenv("HOME")
  for _, folder in ipairs(home and { "5.1/?", "?" } or {}) do
    list[#list + 1] = ("%s/.luarocks/lib/lua/%s.so"):format(home, folder)
  end
  return table.concat(list, ";") .. ";/usr/local/lib/lua/5.1/?.so;/usr/lib/lua/5.1/?.so;"
end

local wanted, default = os.getenv("LUA_CPATH"), native_places()
package.path = told(TEXT.PACKAGE_PATH)
package.cpath = wanted and wanted:gsub(";;", function() return ";" .. default .. ";" end) or default

-- Returns whether there is a module of the script's name.
function seam.is_module()
  return package.searchpath(told(TEXT.SCRIPT_PATH), package.path) ~= nil
end

-- Handles the word of `luajit -j`: a function of `jit`, or the module of that name, which may not be installed.
local function command_compiler(word)
  local name, rest = word:match("^([^=]*)=?(.*)$")
  local run = jit[name]
  if type(run) ~= "function" then
    local is_there, module = pcall(require, "jit." .. name)
    run = is_there and type(module) == "table" and module.start
  end
  if not run then
    error("unknown luaJIT command or jit.* modules not installed", 0)
  end
  local arguments = {}
  for argument in rest:gmatch("[^,]+") do
    arguments[#arguments + 1] = argument
  end
  run(unpack(arguments))
end

-- Runs the body of the script: a file or, without a chunk, a module.
function seam.load(compiled)
  seam.load, seam.is_module = nil, nil
  if compiled == "true" then
    jit.on()
    -- A loop of an event has ten turns, and each of hundreds of states must see it hot for itself: with LuaJIT's 56, short
    -- runs stay in the interpreter. Not 8: where a loop fills a table, LuaJIT would compile the turn that enlarges it.
    require("jit.opt").start("hotloop=10")
  else
    collectgarbage("setpause", 105)
  end
  local word = told(TEXT.LUAJIT_COMMAND)
  if word then
    command_compiler(word)
  end
  local source = told(TEXT.CHUNK)
  if not source then
    require(told(TEXT.SCRIPT_PATH))
    return
  end
  local chunk, message = load(source, told(TEXT.CHUNK_NAME))
  if not chunk then
    error(message, 0)
  end
  chunk()
end

local BOOLEAN, STRING, LIST, FILE = 1, 5, 6, 7

local function option(index)
  local kind = C.dbdyno_number(NUMBER.OPTION_KIND, index)
  if kind == BOOLEAN then
    return C.dbdyno_number(NUMBER.OPTION, index) ~= 0
  elseif kind == STRING or kind == FILE then
    return told(TEXT.OPTION_TEXT, index)
  elseif kind ~= LIST then
    return C.dbdyno_number(NUMBER.OPTION, index)
  end
  local list = {}
  for item = 1, C.dbdyno_number(NUMBER.ITEMS, index) do
    list[item] = told(TEXT.OPTION_ITEM, index, item - 1)
  end
  return list
end

-- Fills sysbench.opt, and globals of the same names for scripts of the old kind: does not overwrite functions.
function seam.set_options(as_globals)
  seam.set_options = nil
  sysbench.opt = {}
  local compiles = jit.status()
  jit.off()
  local index = 0
  local name = told(TEXT.OPTION_NAME, index)
  while name do
    local value = option(index)
    sysbench.opt[name] = value
    if as_globals == "true" and type(rawget(_G, name)) ~= "function" then
      _G[name] = value
    end
    index = index + 1
    name = told(TEXT.OPTION_NAME, index)
  end
  if compiles then
    jit.on()
  end
end

-- The garbage of the start is large compared with what stays.
function seam.collect() collectgarbage() end
