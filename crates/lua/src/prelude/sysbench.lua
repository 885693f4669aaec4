-- Defines the table `sysbench`, the loop that drives events, and the functions that the program calls.

local C = ffi.C
local second_generation, seam = ...

-- Texts and numbers that the program provides, by their places (`symbols/seam.rs`).
local TEXT = {
  VERSION = 0, COMMAND = 1, SCRIPT_PATH = 2, CHUNK = 3, CHUNK_NAME = 4, ARGUMENT = 5, OPTION_NAME = 6, OPTION_TEXT = 7,
  OPTION_ITEM = 8, VALIDATED = 9, PRELUDE = 10, LUAJIT_COMMAND = 11, PACKAGE_PATH = 12,
}
local NUMBER = { TID = 0, OPTION_KIND = 1, OPTION = 2, ITEMS = 3, STAT = 4, IS_JUDGED = 5 }
seam.TEXT, seam.NUMBER = TEXT, NUMBER

-- Returns a text that the program lends, nil if there is none.
local function told(what, place, item)
  local text = C.dbdyno_ask(what, place or 0, item or 0)
  if text.pointer ~= nil then
    return ffi.string(text.pointer, text.length)
  end
end
seam.told = told

-- Parts of the prelude that few scripts use are loaded when one of their names is used.
local LATER = { histogram = 0, report_default = 1, report_csv = 1, report_json = 1, db = 2 }
local has_later = { true, true, not second_generation }

local function read_later(part)
  if has_later[part + 1] then
    has_later[part + 1] = false
    load(told(TEXT.PRELUDE, part))(second_generation, seam)
  end
end
seam.read_later = read_later

sysbench = setmetatable({
  hooks = {},
  error = { NONE = 0, RESTART_EVENT = 1 },
  tid = C.dbdyno_number(NUMBER.TID, 0),
  version = told(TEXT.VERSION),
}, {
  __index = function(self, name)
    if LATER[name] then
      read_later(LATER[name])
      return rawget(self, name)
    end
  end,
})
sysbench.version_string = "sysbench " .. sysbench.version

-- The default loop; a script may replace it.
function thread_run(thread_id)
  while C.sb_more_events(thread_id) do
    C.sb_event_start(thread_id)
    local ok, result = pcall(event, thread_id)
    while not ok do
      if type(result) ~= "table" or result.errcode ~= sysbench.error.RESTART_EVENT then
        error(result, 0)
      end
      -- The script may have thrown it itself, with any content.
      if ffi.istype("sql_connection *", result.connection) then
        C.dbdyno_roll_back(result.connection)
      end
      if sysbench.hooks.before_restart_event then
        sysbench.hooks.before_restart_event(result)
      end
      ok, result = pcall(event, thread_id)
    end
    if result then
      break
    end
    C.sb_event_stop(thread_id)
  end
end

-- Writes a line in one piece, since other threads write there, too.
function print(...)
  local words = { ... }
  for i = 1, select("#", ...) do
    words[i] = tostring(words[i])
  end
  io.stdout:write(table.concat(words, "\t") .. "\n")
end

-- Modules are read and compiled once per process: a thousand states share the bytecode.
local load_from_file = package.loaders[2]
package.loaders[2] = function(name)
  local path = type(name) == "string" and package.searchpath(name, package.path)
  local chunk = path and C.dbdyno_chunk(path)
  if chunk and chunk.pointer ~= nil then
    return load(ffi.string(chunk.pointer, chunk.length), "@" .. path)
  end
  return load_from_file(name)
end

-- Where requirements are judged after the run, a script that ends the process before fails.
if C.dbdyno_number(NUMBER.IS_JUDGED, 0) ~= 0 then
  local exit = os.exit
  function os.exit(code)
    if type(code) == "boolean" then
      code = code and 0 or 1
    end
    exit(C.dbdyno_unjudged_exit(tonumber(code) or 0))
  end
end

-- Functions that the program calls.

function seam.has(name) return type(_G[name]) == "function" end
function seam.call(name) _G[name]() end
function seam.call_user(name) _G[name](C.dbdyno_number(NUMBER.TID, 0)) end
function seam.has_hook(name) return type(sysbench.hooks[name]) == "function" end

local STAT = {
  "time_total", "time_interval", "latency_pct", "threads_running", "events", "reads", "writes", "other", "errors",
  "reconnects", "queue_length", "concurrency", "latency_min", "latency_max", "latency_avg", "latency_sum",
}

-- Calls a hook of reports with its figures: the common ones, and those of its kind.
function seam.report(name)
  local stat = {}
  local first, last = 11, 12
  if name == "report_cumulative" then
    first, last = 13, 16
  end
  for place, field in ipairs(STAT) do
    if place <= 10 or place >= first and place <= last then
      stat[field] = C.dbdyno_number(NUMBER.STAT, place - 1)
    end
  end
  sysbench.hooks[name](stat)
end
