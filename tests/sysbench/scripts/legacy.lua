-- $ legacy.lua --events=2 --time=0 --test-mode=fast --mysql-table-engine=innodb run
-- server
-- The interface of older scripts: globals instead of the table, options as globals.

print(type(db_connect), type(sb_rand), type(sb_rand_pareto), DB_ERROR_NONE, DB_ERROR_RESTART_TRANSACTION, DB_ERROR_FAILED)

function thread_init(id)
  print("thread", id, thread_id, test_mode, mysql_table_engine, num_threads, type(sb_rnd))
  db_connect()
  db_query("CREATE TABLE IF NOT EXISTS t_legacy (id INT PRIMARY KEY, word CHAR(12))")
  stmt = db_prepare("INSERT INTO t_legacy VALUES (?, ?)")
  number, word = 1, "x"
end

function event(id)
  db_query("BEGIN")
  db_bulk_insert_init("INSERT INTO t_legacy VALUES")
  for i = 1, 3 do db_bulk_insert_next("(" .. i .. ", '" .. sb_rand_str("fixed") .. "')") end
  db_bulk_insert_done()
  local rs = db_query("SELECT COUNT(*) FROM t_legacy")
  print("rows", type(rs), sb_rand_uniform(4, 4), sb_rand(3, 3), sb_rand_special(2, 2), sb_rand_gaussian(6, 6))
  db_query("DELETE FROM t_legacy")
  db_query("COMMIT")
end

function thread_done()
  print(pcall(db_query, "SELECT nope"))
  db_query("DROP TABLE t_legacy")
  db_disconnect()
end
