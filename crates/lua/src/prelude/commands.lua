-- Handles the command line for a script or the program: options that the script declares, its own commands.

local C = ffi.C
local second_generation, seam = ...
local cmdline = sysbench.cmdline

ffi.cdef([[
void dbdyno_declare(const char *, const char *, const char *, int, bool);
void sb_print_test_options(void);
]])

-- Complaints name the lines of sysbench's own module, where users look for them.
local function complain(line, text)
  error(('[string "sysbench.cmdline.lua"]:%d: %s'):format(line, text), 0)
end

local KIND_OF_DEFAULT = { boolean = 1, string = 5, number = 4, table = 6, ["nil"] = 5 }

local function default_text(value)
  if type(value) == "table" then
    local words = {}
    for i, word in ipairs(value) do
      words[i] = tostring(word)
    end
    return table.concat(words, ",")
  elseif type(value) == "boolean" then
    return value and "on" or "off"
  elseif value ~= nil then
    return tostring(value)
  end
end

-- Passes the script's options to the program; returns false if it declares none.
function cmdline.read_cmdline_options()
  local options = cmdline.options
  if options == nil then
    return false
  end
  if type(options) ~= "table" then
    complain(120, "wrong type for sysbench.cmdline.options: " .. type(options))
  end
  for name, definition in pairs(options) do
    if type(name) ~= "string" or type(definition) ~= "table" then
      complain(132, "wrong table structure in sysbench.cmdline.options")
    end
    local description, default, kind, validator = definition[1], definition[2], definition[3], definition[4]
    if description == nil then
      complain(137, "nil description for option " .. name)
    end
    kind = kind or KIND_OF_DEFAULT[type(default)]
    C.dbdyno_declare(name, description, default_text(default), kind, type(validator) == "function")
  end
  return true
end

local function command()
  return cmdline.commands and cmdline.commands[cmdline.command]
end

-- sysbench indexes the entry unchecked: one that is no table raises its complaint.
local function entry(place)
  local found = command()
  if found ~= nil and type(found) ~= "table" and type(found) ~= "string" then
    complain(181, ("attempt to index a %s value"):format(type(found)))
  end
  return found and found[place]
end

function cmdline.command_defined()
  return type(entry(1)) == "function"
end

function cmdline.command_parallel()
  return entry(2) == cmdline.PARALLEL_COMMAND
end

function cmdline.call_command()
  local run = entry(1)
  local answer = run()
  return answer == nil or answer ~= false
end

function cmdline.print_test_options()
  C.sb_print_test_options()
end

-- Returns a declared option by its name on the command line, where dashes and underscores are the same.
local function declared(name)
  for key, definition in pairs(cmdline.options) do
    if key:gsub("%-", "_") == name:gsub("%-", "_") then
      return definition
    end
  end
end

-- Calls the validator of an option; it gets C strings, as it always did. A bare option has no value: nil raises an
-- error in ffi.string, where sysbench's null pointer ends the process.
function seam.validate()
  local VALIDATED = seam.TEXT.VALIDATED
  local name, value = C.dbdyno_ask(VALIDATED, 0, 0).pointer, C.dbdyno_ask(VALIDATED, 1, 0).pointer
  if value == nil then
    value = nil
  end
  return declared(ffi.string(name))[4](name, value) ~= false
end
