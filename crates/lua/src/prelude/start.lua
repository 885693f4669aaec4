-- Runs once in each state. These functions are removed when they have finished.

local C = ffi.C
local second_generation, seam = ...
local told, TEXT, NUMBER = seam.told, seam.TEXT, seam.NUMBER

-- Sets where modules are looked for: first the paths of the environment, with our own paths in place of Lua's.

local function places(kind, suffixes)
  local list = { "./?" .. suffixes[1] }
  if kind == "share" then
    list = { "./?.lua", "./?/init.lua", "./src/lua/?.lua" }
  end
  local home = os.getenv("HOME")
  for _, folder in ipairs(home and { "5.1/?", "?" } or {}) do
    for _, suffix in ipairs(suffixes) do
      list[#list + 1] = ("%s/.luarocks/%s/lua/%s%s"):format(home, kind, folder, suffix)
    end
  end
  for _, root in ipairs({ "/usr/local", "/usr" }) do
    list[#list + 1] = ("%s/%s/lua/5.1/?%s"):format(root, kind, suffixes[1])
  end
  list[#list + 1] = kind == "share" and "/usr/share/sysbench/?.lua" or nil
  return table.concat(list, ";") .. ";"
end

local function with_environment(name, default)
  local wanted = os.getenv(name)
  return wanted and wanted:gsub(";;", function() return ";" .. default .. ";" end) or default
end

package.path = with_environment("LUA_PATH", places("share", { ".lua", "/init.lua" }))
package.cpath = with_environment("LUA_CPATH", places("lib", { ".so" }))

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
