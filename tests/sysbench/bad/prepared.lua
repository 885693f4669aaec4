function thread_init()
  con = sysbench.sql.driver():connect()
  prepare_statement()
end

function prepare_statement()
  stmt = con:prepare("SELECT SLEEP(0.01)")
end

function event()
  stmt:execute()
end

function sysbench.hooks.before_restart_event(err)
  if err.sql_errno == 2006 or err.sql_errno == 2013 then prepare_statement() end
end
