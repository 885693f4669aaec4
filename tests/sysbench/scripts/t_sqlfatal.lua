function event() con = con or sysbench.sql.driver():connect() con:query("SELECT nope") end
