-- sysbench.sql: drivers, connections, statements and results. A call that looks blocking suspends only its user.

local C = ffi.C
local second_generation = ...
local error, select, tonumber, type, unpack = error, select, tonumber, type, unpack

local sql = {
  type = {
    NONE = 0, TINYINT = 1, SMALLINT = 2, INT = 3, BIGINT = 4, FLOAT = 5, DOUBLE = 6,
    TIME = 7, DATE = 8, DATETIME = 9, TIMESTAMP = 10, CHAR = 11, VARCHAR = 12,
  },
  error = { NONE = 0, IGNORABLE = 1, FATAL = 2 },
}
sysbench.sql = sql

local NONE, IGNORABLE, FATAL = 0, 1, 2
local INTEGER, REAL, TEXT = 1, 2, 3
local KIND = { INTEGER, INTEGER, INTEGER, INTEGER, REAL, REAL, [11] = TEXT, [12] = TEXT }

-- Drivers

function sql.driver(name)
  local driver = C.db_create(name)
  if driver == nil then
    error("failed to initialize the DB driver", 2)
  end
  return ffi.gc(driver, C.db_destroy)
end

ffi.metatype("sql_driver", {
  __index = {
    connect = function(self)
      local connection = C.db_connection_create(self)
      if connection == nil then
        error("connection creation failed", 2)
      end
      return ffi.gc(connection, C.db_connection_free)
    end,
    name = function(self) return ffi.string(self.sname) end,
  },
  __tostring = function() return "<sql_driver>" end,
})

-- Connections

local connection = {}

-- Describes a failed query for the hooks.
local function failure(self, query)
  return {
    connection = self,
    query = query,
    sql_errno = self.sql_errno,
    sql_state = ffi.string(self.sql_state),
    sql_errmsg = ffi.string(self.sql_errmsg),
  }
end

-- The slow half of check_error: an error that is to be ignored restarts the event, others end the user.
local function raise(self, query)
  if self.sql_state == nil or self.sql_errmsg == nil then
    error("SQL API error", 4)
  end
  local told = failure(self, query)
  local ignorable = sysbench.hooks.sql_error_ignorable
  if self.error == FATAL and type(ignorable) == "function" and ignorable(told) then
    C.dbdyno_ignore(self)
  end
  if self.error == IGNORABLE then
    told.errcode = sysbench.error.RESTART_EVENT
    error(told, 0)
  end
  error(("SQL error, errno = %d, state = '%s': %s"):format(told.sql_errno, told.sql_state, told.sql_errmsg), 3)
end

function connection:check_error(result, query)
  if self.error == NONE then
    return result
  end
  raise(self, query)
end

function connection:query(query)
  return self:check_error(C.db_query(self, query, #query), query)
end

function connection:query_row(query)
  local result = self:query(query)
  if result == nil or result.nrows == 0 then
    return nil
  end
  return unpack(result:fetch_row(), 1, result.nfields)
end

function connection:prepare(query)
  local statement = self:check_error(C.db_prepare(self, query, #query), query)
  return ffi.gc(statement, C.dbdyno_statement_free)
end

function connection:bulk_insert_init(query)
  return assert(C.db_bulk_insert_init(self, query, #query) == 0, "db_bulk_insert_init() failed")
end

function connection:bulk_insert_next(values)
  return assert(C.db_bulk_insert_next(self, values, #values) == 0, "db_bulk_insert_next() failed")
end

function connection:bulk_insert_done()
  return assert(C.db_bulk_insert_done(self) == 0, "db_bulk_insert_done() failed")
end

function connection:disconnect()
  return assert(C.db_connection_close(self) == 0)
end

function connection:reconnect()
  return assert(C.db_connection_reconnect(self) == 0)
end

if second_generation then
  function connection:more_results()
    return C.db_more_results(self)
  end

  function connection:next_result()
    return self:check_error(C.db_next_result(self), "")
  end
end

ffi.metatype("sql_connection", {
  __index = connection,
  __tostring = function() return "<sql_connection>" end,
})

-- Parameters of statements

local param = {}

function param:set(value)
  if value == nil then
    self.is_null = 1
    return
  end
  local kind = self.kind
  if kind == INTEGER then
    self.integer = value
  elseif kind == TEXT then
    C.dbdyno_set_text(self, value, #value)
  else
    self.real = value
  end
  self.is_null = 0
end

function param:set_rand_str(fmt)
  if self.kind ~= TEXT then
    error("Unsupported argument type: " .. (self.kind == INTEGER and sql.type.BIGINT or sql.type.DOUBLE), 2)
  end
  C.dbdyno_set_pattern(self, fmt, #fmt)
end

ffi.metatype("sql_param", {
  __index = param,
  __tostring = function() return "<sql_param>" end,
})

-- Statements

local statement = {}
local new_param = ffi.typeof("sql_param")
local new_params = ffi.typeof("const sql_param *[?]")
-- The program reads the parameters where they lie, so they live as long as their statement.
local bound = setmetatable({}, { __mode = "k" })
-- A connection has one result, so a statement always has the same.
local results = setmetatable({}, { __mode = "k" })
local no_result = ffi.cast("sql_result *", nil)
local NO_ROWS, ROWS = 0, 1

function statement:bind_create(sql_type, max_length)
  local kind = KIND[sql_type]
  if kind == nil then
    error("Unsupported argument type: " .. sql_type, 2)
  end
  if kind ~= TEXT then
    max_length = 0
  end
  local parameter = new_param(max_length)
  -- Until it is set it is 0 or an empty text, as in sysbench, and not NULL: memory of the FFI begins with zeros.
  parameter.kind, parameter.max_length = kind, max_length
  return parameter
end

function statement:bind_param(...)
  local count = select("#", ...)
  if count == 0 then
    return nil
  end
  bound[self] = { ... }
  return C.dbdyno_bind(self, new_params(count, bound[self]), count)
end

-- Creates no garbage for a statement without rows and without an error, which is the usual case.
function statement:execute()
  local answer = C.dbdyno_execute(self)
  if answer == NO_ROWS then
    return no_result
  elseif answer == ROWS then
    local result = results[self]
    if not result then
      result = C.dbdyno_result(self)
      results[self] = result
    end
    return result
  end
  local con = self.connection
  return con:check_error(no_result, "<prepared statement>")
end

function statement:close()
  local failed = C.db_close(self)
  if failed ~= 0 then
    error("db_close() failed", 2)
  end
  return failed
end

if second_generation then
  function statement:next_result()
    return self.connection:check_error(C.db_stmt_next_result(self), "<prepared statement>")
  end
end

ffi.metatype("sql_statement", {
  __index = statement,
  __tostring = function() return "<sql_statement>" end,
})

-- Results: one for each connection, refilled by each query; a query without rows gives a null pointer.

local methods = {}

function methods:fetch_row()
  local row = C.db_fetch_row(self)
  if row == nil then
    return nil
  end
  local fields = {}
  for i = 1, self.field_count do
    local value = row.values[i - 1]
    if value.pointer ~= nil then
      fields[i] = ffi.string(value.pointer, value.length)
    end
  end
  return fields
end

function methods:free()
  return assert(C.db_free_results(self) == 0, "db_free_results() failed")
end

local FIELDS = { nrows = "row_count", nfields = "field_count" }

ffi.metatype("sql_result", {
  -- A field of no result raises an error instead of ending the program.
  __index = function(self, key)
    if methods[key] then
      return methods[key]
    elseif not FIELDS[key] then
      error(("'sql_result' has no member named '%s'"):format(key), 2)
    elseif self == nil then
      error("attempt to use a field of an empty result", 2)
    end
    return self[FIELDS[key]]
  end,
  __tostring = function() return "<sql_result>" end,
})
