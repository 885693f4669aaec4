-- $ ffi_symbols.lua --events=1 --time=0 run
-- Every function of the program that scripts can name resolves.

local names = [[
sb_event_start sb_event_stop sb_more_events sb_counter_val sb_counter_inc sb_lua_set_test_args sb_print_test_options
sb_rand_default sb_rand_uniform sb_rand_gaussian sb_rand_special sb_rand_pareto sb_rand_unique sb_rand_str
sb_rand_uniform_uint64 sb_rand_uniform_double sb_histogram_new sb_histogram_delete sb_histogram_update sb_histogram_print
db_create db_destroy db_connection_create db_connection_close db_connection_reconnect db_connection_free db_query db_prepare
db_bind_param db_bind_result db_execute db_fetch_row db_close db_free_results db_bulk_insert_init db_bulk_insert_next
db_bulk_insert_done]]

function event()
  for name in names:gmatch("%S+") do
    pcall(ffi.cdef, "void " .. name .. "(void);")
    local found, symbol = pcall(function() return ffi.C[name] end)
    if not found then print("missing", name, symbol) end
  end
  for _, kind in ipairs({"sql_driver", "sql_connection", "sql_statement", "sql_result", "sql_row", "sql_value",
                         "sql_bind", "sql_error_t", "sb_arg_t", "sb_counter_type"}) do
    print(kind, (pcall(ffi.typeof, kind)))
  end
end
