-- The table `sysbench`, the loop that drives events, and what the program asks of a state.

local C = ffi.C
local second_generation, seam = ...
local FACT = { VERSION = 0, COMMAND = 1, SCRIPT_PATH = 2, CHUNK = 3, CHUNK_NAME = 4 }

-- A text that the program lends, nil if there is none.
local function text_of(text)
  if text.pointer == nil then
    return nil
  end
  return ffi.string(text.pointer, text.length)
end

seam.FACT, seam.text_of = FACT, text_of

sysbench = {
  hooks = {},
  error = { NONE = 0, RESTART_EVENT = 1 },
  tid = C.dbdyno_tid(),
  version = text_of(C.dbdyno_fact(FACT.VERSION)),
}
sysbench.version_string = "sysbench " .. sysbench.version

local RESTART_EVENT = sysbench.error.RESTART_EVENT

-- The default loop; a script may put its own in this place.
function thread_run(thread_id)
  while C.sb_more_events(thread_id) do
    C.sb_event_start(thread_id)
    local ok, result = pcall(event, thread_id)
    while not ok do
      if type(result) ~= "table" or result.errcode ~= RESTART_EVENT then
        error(result, 0)
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

-- A line goes out in one piece, since other threads write there, too.
function print(...)
  local words = { ... }
  for i = 1, select("#", ...) do
    words[i] = tostring(words[i])
  end
  io.stdout:write(table.concat(words, "\t") .. "\n")
end

-- Where modules are looked for: what the environment says first, with our own places in the place of Lua's.
do
  local home = os.getenv("HOME")

  local function places(kind, suffixes)
    local list = { "./?" .. suffixes[1] }
    if kind == "share" then
      list = { "./?.lua", "./?/init.lua", "./src/lua/?.lua" }
    end
    if home then
      for _, folder in ipairs({ "5.1/?", "?" }) do
        for _, suffix in ipairs(suffixes) do
          list[#list + 1] = ("%s/.luarocks/%s/lua/%s%s"):format(home, kind, folder, suffix)
        end
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
    if not wanted then
      return default
    end
    return (wanted:gsub(";;", function() return ";" .. default .. ";" end))
  end

  package.path = with_environment("LUA_PATH", places("share", { ".lua", "/init.lua" }))
  package.cpath = with_environment("LUA_CPATH", places("lib", { ".so" }))
end

-- Modules are read and compiled once a process: a thousand states share the bytecode.
local load_from_file = package.loaders[2]
package.loaders[2] = function(name)
  local path = type(name) == "string" and package.searchpath(name, package.path)
  local chunk = path and text_of(C.dbdyno_chunk(path))
  if chunk then
    return load(chunk, "@" .. path)
  end
  return load_from_file(name)
end

-- Runs the body of the script, which is a file or, without a chunk of its own, a module.
function seam.load()
  local source = text_of(C.dbdyno_fact(FACT.CHUNK))
  if not source then
    require(text_of(C.dbdyno_fact(FACT.SCRIPT_PATH)))
    return
  end
  local chunk, message = load(source, text_of(C.dbdyno_fact(FACT.CHUNK_NAME)))
  if not chunk then
    error(message, 0)
  end
  chunk()
end

-- Whether there is a module of the script's name.
function seam.is_module()
  return package.searchpath(text_of(C.dbdyno_fact(FACT.SCRIPT_PATH)), package.path) ~= nil
end

local function value_of(option, index)
  local kind = option.kind
  if kind == 1 then
    return option.number ~= 0
  elseif kind == 5 or kind == 7 then
    return text_of(option.text) or ""
  elseif kind == 6 then
    local list = {}
    for i = 1, tonumber(option.count) do
      list[i] = text_of(C.dbdyno_option_item(index, i - 1))
    end
    return list
  end
  return option.number
end

-- Fills sysbench.opt, and globals of the same names where the script is of the old kind.
local function set_options(as_globals)
  local option, index = ffi.new("dbdyno_option"), 0
  sysbench.opt = {}
  while C.dbdyno_option_at(index, option) do
    local name, value = text_of(option.name), value_of(option, index)
    sysbench.opt[name] = value
    if as_globals and type(rawget(_G, name)) ~= "function" then
      _G[name] = value
    end
    index = index + 1
  end
end

function seam.set_options() set_options(false) end
function seam.set_options_and_globals() set_options(true) end

-- Whether the script has a global function.
function seam.has_event() return type(event) == "function" end
function seam.has_init() return type(init) == "function" end
function seam.has_done() return type(done) == "function" end
function seam.has_help() return type(help) == "function" end
function seam.has_prepare() return type(prepare) == "function" end
function seam.has_cleanup() return type(cleanup) == "function" end
function seam.has_thread_init() return type(thread_init) == "function" end
function seam.has_thread_done() return type(thread_done) == "function" end
function seam.has_intermediate() return sysbench.hooks.report_intermediate ~= nil end
function seam.has_cumulative() return sysbench.hooks.report_cumulative ~= nil end

function seam.init() init() end
function seam.done() done() end
function seam.help() help() end
function seam.prepare() prepare() end
function seam.cleanup() cleanup() end
function seam.thread_init(tid) thread_init(tid) end
function seam.thread_run(tid) thread_run(tid) end
function seam.thread_done(tid) thread_done(tid) end

local function stat_table()
  local raw = C.dbdyno_current_stat()
  return {
    time_total = raw.time_total,
    time_interval = raw.time_interval,
    threads_running = raw.threads_running,
    latency_pct = raw.latency_pct,
    events = raw.events,
    reads = raw.reads,
    writes = raw.writes,
    other = raw.other,
    errors = raw.errors,
    reconnects = raw.reconnects,
  }, raw
end

function seam.report_intermediate()
  local stat, raw = stat_table()
  stat.queue_length, stat.concurrency = raw.queue_length, raw.concurrency
  sysbench.hooks.report_intermediate(stat)
end

function seam.report_cumulative()
  local stat, raw = stat_table()
  stat.latency_min, stat.latency_max = raw.latency_min, raw.latency_max
  stat.latency_avg, stat.latency_sum = raw.latency_avg, raw.latency_sum
  sysbench.hooks.report_cumulative(stat)
end

