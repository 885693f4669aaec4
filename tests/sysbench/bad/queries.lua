function thread_init()
  con = sysbench.sql.driver():connect()
end

function event()
  con:query("SELECT SLEEP(0.01)")
end
