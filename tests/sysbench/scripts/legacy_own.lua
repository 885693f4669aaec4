-- $ legacy_own.lua --events=1 --time=0 --mysql-table-engine=myisam run
-- server
-- Globals that the script or the command line define stay, whatever of the older interface is used later.

function db_bulk_insert_next() return "my own" end

function event()
  db_query("SELECT 1")
  print(db_bulk_insert_next(), mysql_table_engine, myisam_max_rows)
  local seen = {}
  for _ = 1, 3000 do
    local number = sb_rand_uniq(1, 500000000)
    if seen[number] or number < 1 or number > 500000000 then print("drawn twice, or out of range", number) end
    seen[number] = true
  end
end
