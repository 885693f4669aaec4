-- Declares the C names that scripts see: sysbench's types and functions, and (dbdyno_*) what the prelude itself needs.

-- Code that runs once is not worth compiling: it would stay in memory.
jit.off()

ffi = require("ffi")

-- The second generation counts bytes, too; scripts name the last of the counters.
local second_generation = ...
local byte_counters = second_generation and "SB_CNT_BYTES_READ, SB_CNT_BYTES_WRITTEN," or ""

ffi.cdef([[
typedef enum {
  SB_CNT_OTHER, SB_CNT_READ, SB_CNT_WRITE, SB_CNT_TRX, SB_CNT_ERROR, SB_CNT_RECONNECT, ]] .. byte_counters .. [[ SB_CNT_MAX
} sb_counter_type;
typedef int sb_arg_type_t;
typedef bool (*sb_arg_validate_func)(const char *, const char *);
typedef struct {
  const char *name; const char *desc; const char *value; sb_arg_type_t type; sb_arg_validate_func validate;
} sb_arg_t;
typedef enum { DB_ERROR_NONE, DB_ERROR_IGNORABLE, DB_ERROR_FATAL } sql_error_t;
typedef int sql_bind_type_t;

typedef struct { const char *sname; } sql_driver;
typedef struct {
  sql_error_t error; int sql_errno; const char *sql_state; const char *sql_errmsg; sql_driver *driver;
} sql_connection;
typedef struct { sql_connection *connection; } sql_statement;
typedef struct { uint32_t length; const char *pointer; } sql_value;
typedef struct { void *reserved; sql_value *values; } sql_row;
typedef struct { uint32_t row_count; uint32_t field_count; sql_statement *statement; } sql_result;
typedef struct {
  sql_bind_type_t type; void *buffer; unsigned long *data_len; unsigned long max_len; char *is_null;
} sql_bind;
typedef struct { int64_t integer; double real; uint32_t length; uint32_t max_length; uint8_t kind; uint8_t is_null; char text[?]; } sql_param;
typedef struct sb_histogram sb_histogram_t;

void sb_event_start(int);
void sb_event_stop(int);
bool sb_more_events(int);
uint32_t sb_rand_default(uint32_t, uint32_t);
uint32_t sb_rand_uniform(uint32_t, uint32_t);
uint32_t sb_rand_gaussian(uint32_t, uint32_t);
uint32_t sb_rand_pareto(uint32_t, uint32_t);
uint32_t sb_rand_special(uint32_t, uint32_t);
uint32_t sb_rand_zipfian(uint32_t, uint32_t);
uint32_t sb_rand_unique(void);
uint64_t sb_rand_uniform_uint64(void);
double sb_rand_uniform_double(void);
void sb_rand_str(const char *, char *);
uint32_t sb_rand_varstr(char *, uint32_t, uint32_t);
uint32_t dbdyno_rand_str(const char *, size_t, char *, size_t);
sql_driver *db_create(const char *);
int db_destroy(sql_driver *);
sql_connection *db_connection_create(sql_driver *);
int db_connection_close(sql_connection *);
int db_connection_reconnect(sql_connection *);
void db_connection_free(sql_connection *);
sql_result *db_query(sql_connection *, const char *, size_t);
sql_statement *db_prepare(sql_connection *, const char *, size_t);
int db_bind_param(sql_statement *, sql_bind *, size_t);
int db_bind_result(sql_statement *, sql_bind *, size_t);
sql_result *db_execute(sql_statement *);
sql_row *db_fetch_row(sql_result *);
int db_free_results(sql_result *);
int db_close(sql_statement *);
int db_bulk_insert_init(sql_connection *, const char *, size_t);
int db_bulk_insert_next(sql_connection *, const char *, size_t);
int db_bulk_insert_done(sql_connection *);
bool db_more_results(sql_connection *);
sql_result *db_next_result(sql_connection *);
sql_result *db_stmt_next_result(sql_statement *);
int dbdyno_execute(sql_statement *);
sql_result *dbdyno_result(sql_statement *);
int dbdyno_bind(sql_statement *, const sql_param **, size_t);
void dbdyno_set_text(sql_param *, const char *, size_t);
void dbdyno_set_pattern(sql_param *, const char *, size_t);
void dbdyno_ignore(sql_connection *);
void dbdyno_roll_back(sql_connection *);
void dbdyno_statement_free(sql_statement *);
typedef struct { const char *pointer; size_t length; } dbdyno_text;
dbdyno_text dbdyno_ask(int, int, int);
double dbdyno_number(int, int);
dbdyno_text dbdyno_chunk(const char *);
int dbdyno_unjudged_exit(int);
]])
