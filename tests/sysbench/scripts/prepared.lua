-- $ prepared.lua --events=1 --time=0 run
-- $ prepared.lua --events=1 --time=0 --db-ps-mode=disable run
-- server
-- Prepared statements, also by the client alone: every family of types, nulls, texts cut at their length, bulk inserts.
-- (sysbench 1.0 crashes where a statement is closed before the last result of its connection is freed.)

local t = sysbench.sql.type
local word = "o'k"

function thread_init()
  if sysbench.opt.db_ps_mode == "disable" then word = "x" end  -- quotes are not escaped there
  con = sysbench.sql.driver():connect()
  con:query("DROP TABLE IF EXISTS t_prepared")
  con:query("CREATE TABLE t_prepared (id BIGINT PRIMARY KEY, a INT, b VARCHAR(30), c CHAR(10))")
end

local function rows()
  local rs = con:query("SELECT id, a, b, c FROM t_prepared ORDER BY id")
  for _ = 1, rs.nrows do
    local row = rs:fetch_row()
    print(row[1], row[2], row[3], row[4])
  end
  rs:free()
end

function event()
  local insert = con:prepare("INSERT INTO t_prepared VALUES (?, ?, ?, ?)")
  local id, a, b, c = insert:bind_create(t.BIGINT), insert:bind_create(t.INT), insert:bind_create(t.VARCHAR, 5),
                      insert:bind_create(t.CHAR, 10)
  print(tostring(insert), tostring(id), insert.connection == con)
  insert:bind_param(id, a, b, c)
  id:set(1); a:set(-7.9); b:set("longer than five"); c:set("c")
  print(insert:execute() == nil)
  id:set(9007199254740991); a:set(nil); b:set(""); c:set(nil)
  insert:execute()
  id:set(2); a:set(3); b:set(word); c:set("x")
  insert:execute()
  print(pcall(a.set, a, "text"))
  rows()
  local plain = con:prepare("DELETE FROM t_prepared")
  plain:execute()
  local select = con:prepare("SELECT id FROM t_prepared WHERE id > ?")
  local from = select:bind_create(t.INT)
  select:bind_param(from)
  from:set(0)
  local rs = select:execute()
  print(rs.nrows)
  rs:free()
  print(pcall(select.bind_create, select, t.DATETIME))
  con:bulk_insert_init("INSERT INTO t_prepared VALUES")
  for i = 1, 4 do con:bulk_insert_next(string.format("(%d, %d, 'b%d', 'c')", i, i * i, i)) end
  con:bulk_insert_done()
  con:bulk_insert_done()
  rows()
  con:query("DROP TABLE t_prepared")
  select:close()
  plain:close()
  insert:close()
end
