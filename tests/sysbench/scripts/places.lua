-- $ places.lua --events=1 --time=0 run
-- server
-- Which line an error names: that of whoever called, if it was a function of the script.

function thread_init()
  con = sysbench.sql.driver():connect()
end

local function try(label, f, ...)
  print(label, select(2, pcall(f, ...)))
end

function event()
  con:query("CREATE TABLE IF NOT EXISTS t_places (id INT PRIMARY KEY)")
  con:query("INSERT INTO t_places VALUES (1)")
  local statement = con:prepare("INSERT INTO t_places VALUES (1)")
  try("query", con.query, con, "SELECT nope")
  try("query in a function", function() con:query("SELECT nope") end)
  try("query at the tail", function() return con:query("SELECT nope") end)
  try("query_row in a function", function() local a = con:query_row("SELECT nope") return a end)
  try("execute", statement.execute, statement)
  try("execute in a function", function() statement:execute() end)
  try("bulk insert", function()
    con:bulk_insert_init("INSERT INTO t_places VALUES")
    con:bulk_insert_next("(1)")
    con:bulk_insert_done()
  end)
  try("driver", sysbench.sql.driver, "nosuch")
  try("driver in a function", function() local driver = sysbench.sql.driver("nosuch") return driver end)
  local other = sysbench.sql.driver():connect()
  other:disconnect()
  try("closed query", other.query, other, "SELECT 1")
  try("closed prepare in a function", function() local a = other:prepare("SELECT 1") return a end)
  try("closed query_row in a function", function() local a = other:query_row("SELECT 1") return a end)
  con:query("DROP TABLE t_places")
end
