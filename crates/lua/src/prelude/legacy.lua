-- Defines the globals of the first generation, which scripts for sysbench 0.5 rely on: one connection for each user,
-- opened when it is first needed.

local C = ffi.C

mysql_table_engine = "innodb"
myisam_max_rows = 1000000

-- Random numbers

local rand = sysbench.rand

sb_rand = rand.default
sb_rand_uniform = rand.uniform
sb_rand_gaussian = rand.gaussian
sb_rand_special = rand.special
sb_rand_str = rand.string

-- The lower half of the next number: rand.uniform() over all 2^32 numbers gives the lowest only, as in sysbench.
function sb_rnd() return tonumber(rand.uniform_uint64() % 4294967296) end

function sb_rand_uniq(low, high)
  low, high = low or 0, high or 4294967295
  local number
  repeat number = rand.unique() until number >= low and number <= high
  return number
end

-- Queries

local db = { DB_ERROR_NONE = 0, DB_ERROR_RESTART_TRANSACTION = 1, DB_ERROR_FAILED = 2 }
sysbench.db = db

local driver, connection

local function connected()
  if connection then
    return connection
  end
  driver = driver or sysbench.sql.driver()
  local made = C.db_connection_create(driver)
  if made == nil then
    error("Failed to connect to the database", 3)
  end
  connection = ffi.gc(made, C.db_connection_free)
  return connection
end

-- Runs after a call that failed: an error that is to be ignored restarts the event.
local function check(con, name)
  if con.error == sysbench.sql.error.IGNORABLE then
    error({ errcode = sysbench.error.RESTART_EVENT, connection = con }, 0)
  elseif con.error == sysbench.sql.error.FATAL then
    error(name .. "() failed", 3)
  end
end

local function check_text(text, name)
  if type(text) ~= "string" and type(text) ~= "number" then
    local got = text == nil and "no value" or type(text)
    error(("bad argument #1 to '%s' (string expected, got %s)"):format(name, got), 3)
  end
  return tostring(text)
end

-- Only statements and results made by these functions are valid.
local made = setmetatable({}, { __mode = "k" })

local function handle(kind, content)
  local new = newproxy(false)
  content.kind = kind
  made[new] = content
  return new
end

local function check_handle(value, kind, name)
  local content = made[value]
  if not content or content.kind ~= kind then
    error(("bad argument #1 to '%s' (%s expected, got %s)"):format(name, kind, type(value)), 3)
  end
  return content
end

function db.connect()
  connected()
end

-- Closes it at once: what waits for the garbage collector keeps its transaction and its place in the server.
function db.disconnect()
  if connection then
    C.db_connection_close(connection)
    connection = nil
  end
end

function db.query(sql)
  sql = check_text(sql, "db_query")
  local con = connected()
  C.db_query(con, sql, #sql)
  check(con, "db_query")
end

function db.bulk_insert_init(sql)
  sql = check_text(sql, "db_bulk_insert_init")
  local con = connected()
  if C.db_bulk_insert_init(con, sql, #sql) ~= 0 then
    error("db_bulk_insert_init() failed", 2)
  end
end

function db.bulk_insert_next(row)
  row = check_text(row, "db_bulk_insert_next")
  local con = connected()
  if C.db_bulk_insert_next(con, row, #row) ~= 0 then
    error("db_bulk_insert_next() failed", 2)
  end
end

function db.bulk_insert_done()
  C.db_bulk_insert_done(connected())
end

function db.prepare(sql)
  sql = check_text(sql, "db_prepare")
  local con = connected()
  local statement = C.db_prepare(con, sql, #sql)
  if statement == nil then
    error("db_prepare() failed", 2)
  end
  return handle("sysbench.stmt", { statement = ffi.gc(statement, C.dbdyno_statement_free) })
end

local TYPE = { number = sysbench.sql.type.BIGINT, string = sysbench.sql.type.VARCHAR }

-- Bytes of a text for which a parameter has room at first; longer texts get a parameter of their length.
local ROOM = 1024

-- Sets the parameters to the values that the script's table has now.
local function set_parameters(content)
  local has_grown = false
  for i, parameter in ipairs(content.parameters) do
    local value = content.values[i]
    if parameter.max_length > 0 and value ~= nil then
      value = type(value) == "number" and tostring(value) or value
      if #value > parameter.max_length then
        parameter = content.statement:bind_create(TYPE.string, #value)
        content.parameters[i], has_grown = parameter, true
      end
    end
    parameter:set(value)
  end
  if has_grown then
    content.statement:bind_param(unpack(content.parameters))
  end
end

-- The script keeps the table: its values when the statement is executed are sent.
function db.bind_param(statement, values)
  local content = check_handle(statement, "sysbench.stmt", "db_bind_param")
  if #values == 0 then
    error("table is empty", 2)
  end
  local parameters = {}
  for i, value in ipairs(values) do
    if not TYPE[type(value)] then
      error("Unsupported variable type: " .. type(value), 2)
    end
    parameters[i] = content.statement:bind_create(TYPE[type(value)], ROOM)
  end
  if content.statement:bind_param(unpack(parameters)) ~= 0 then
    error(1, 0)
  end
  content.values, content.parameters = values, parameters
end

function db.bind_result(statement)
  check_handle(statement, "sysbench.stmt", "db_bind_result")
end

function db.execute(statement)
  local content = check_handle(statement, "sysbench.stmt", "db_execute")
  if content.parameters then
    set_parameters(content)
  end
  local result = C.db_execute(content.statement)
  if connection and connection.error == sysbench.sql.error.IGNORABLE then
    error({ errcode = sysbench.error.RESTART_EVENT, connection = connection }, 0)
  end
  return handle("sysbench.rs", { result = result })
end

function db.store_results(result)
  check_handle(result, "sysbench.rs", "db_store_results")
end

function db.free_results(result)
  local content = check_handle(result, "sysbench.rs", "db_free_results")
  if content.result ~= nil then
    C.db_free_results(content.result)
  end
end

function db.close(statement)
  C.db_close(check_handle(statement, "sysbench.stmt", "db_close").statement)
end

for name, value in pairs(db) do
  rawset(_G, type(value) == "function" and "db_" .. name or name, value)
end
