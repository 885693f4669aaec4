local events = 0

function thread_init()
  con = sysbench.sql.driver():connect()
end

function event()
  events = events + 1
  if sysbench.tid == 0 and events > 3 then
    con:query("SELECT SLEEP(6)")
  else
    con:query("DO 1")
  end
end
