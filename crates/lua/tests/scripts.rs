//! Runs small scripts, as users have them: each in a separate process, without a server.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod support;

use support::{Outcome, outcome};

#[test]
fn child() {
    support::play_the_child();
}

/// Runs a single event, and returns what it prints or how it fails.
fn event(body: &str) -> Outcome {
    outcome(
        &format!("function event(id)\n{body}\nend"),
        "--events=1 run",
    )
}

#[track_caller]
fn assert_says(outcome: &Outcome, line: &str) {
    let said = outcome.stdout.lines().any(|said| said == line);
    assert!(said, "{line:?} is not in {}", outcome.stdout);
}

#[track_caller]
fn assert_fails(outcome: &Outcome, why: &str) {
    assert_says(
        outcome,
        &format!("FATAL: `thread_run' function failed: {why}"),
    );
    assert_eq!(outcome.exit, Some(1));
}

#[test]
fn an_event_runs_once_per_event() {
    let outcome = outcome(
        "function event(id) print('hello', id) end",
        "--events=3 run",
    );
    assert_eq!(
        outcome.stdout.matches("hello\t0\n").count(),
        3,
        "{outcome:?}"
    );
    assert_eq!(outcome.exit, Some(0));
}

#[test]
fn the_hooks_of_a_run_are_called_in_order_and_where_they_belong() {
    let outcome = outcome(
        "function init() print('init', sysbench.tid) end
         function thread_init(id) print('thread_init', id, sysbench.opt.threads) end
         function event(id) print('event', id) return 1 end
         function thread_done(id) print('thread_done', id) end
         function done() print('done', sysbench.tid) end",
        "run",
    );
    let hooks = [
        "init\t0",
        "thread_init\t0\t1",
        "event\t0",
        "thread_done\t0",
        "done\t0",
    ];
    let said = outcome.stdout.lines().filter(|line| hooks.contains(line));
    assert_eq!(said.collect::<Vec<_>>(), hooks);
    assert_eq!(outcome.exit, Some(0));
}

#[test]
fn an_error_names_file_and_line() {
    assert_fails(
        &event("local t = nil + 1"),
        "t.lua:2: attempt to perform arithmetic on a nil value",
    );
    assert_fails(
        &event("local x = sysbench.rand.default()"),
        "t.lua:2: bad argument #1 to 'default' (cannot convert 'nil' to 'unsigned int')",
    );
    assert_fails(&event("error({})"), "(not a string)");
}

#[test]
fn a_body_that_is_no_lua_is_refused_with_its_line() {
    let outcome = outcome("function event() end\nxx yy", "run");
    assert_says(&outcome, "FATAL: t.lua:2: '=' expected near 'yy'");
    assert_eq!(outcome.exit, Some(1));
}

#[test]
fn a_script_without_events_is_refused() {
    let outcome = outcome("x = 1", "run");
    assert_says(&outcome, "FATAL: cannot find the event() function in t.lua");
    assert_eq!(outcome.exit, Some(1));
}

#[test]
fn an_error_to_be_ignored_begins_the_event_anew() {
    let outcome = outcome(
        "local tries = 0
         function sysbench.hooks.before_restart_event(told) print('again', told.errcode) end
         function event()
           tries = tries + 1
           if tries < 3 then error({ errcode = sysbench.error.RESTART_EVENT }) end
           print('done after', tries)
         end",
        "--events=1 run",
    );
    assert_eq!(outcome.stdout.matches("again\t1\n").count(), 2);
    assert_says(&outcome, "done after\t3");
    assert_eq!(outcome.exit, Some(0));
}

#[test]
fn a_loop_without_end_is_ended_at_its_line_and_others_run_meanwhile() {
    let outcome = outcome(
        "ffi.cdef('int usleep(unsigned);')
         function event(id)
           if id == 0 then
             local n = 0
             while true do n = n + 1 end
           end
           ffi.C.usleep(1000)
         end
         function thread_done(id) print('done', id) end",
        "--threads=3 --time=1 run",
    );
    assert_says(&outcome, "done\t1");
    assert_says(&outcome, "done\t2");
    assert_fails(&outcome, "t.lua:5: the script ran too long without a wait");
}

#[test]
fn a_script_that_takes_memory_without_end_gets_an_ordinary_error() {
    let outcome = event("local t = {}\nfor i = 1, 1e10 do t[#t + 1] = { i } end");
    assert_fails(&outcome, "t.lua:3: not enough memory");
}

#[test]
fn options_are_read_from_the_command_line() {
    let outcome = outcome(
        "sysbench.cmdline.options = {
           size = {'Size', 10}, on = {'On', false}, word = {'Word', 'a'}, list = {'List', {'x', 'y'}},
           checked = {'Checked', 1, sysbench.cmdline.ARG_INT,
             function(name, value) return ffi.string(name) == 'checked' and ffi.string(value) == '2' end},
         }
         function event()
           local opt = sysbench.opt
           print(opt.size, opt.on, opt.word, table.concat(opt.list, '+'), opt.checked, opt.threads)
           return 1
         end",
        "--size=3 --on --list=1,2 --checked=2 run",
    );
    assert_says(&outcome, "3\ttrue\ta\t1+2\t2\t1");
}

#[test]
fn wrong_options_are_refused_in_the_words_of_sysbench() {
    let outcome = outcome("sysbench.cmdline.options = { a = 1 }", "help");
    assert_says(
        &outcome,
        "FATAL: `sysbench.cmdline.read_cmdline_options' function failed: [string \"sysbench.cmdline.lua\"]:132: wrong \
         table structure in sysbench.cmdline.options",
    );
}

#[test]
fn commands_of_its_own_run_once_or_for_each_user() {
    let script = "local function one() print('one', sysbench.tid) end
        local function bad() return false end
        sysbench.cmdline.commands = {
          once = { one }, all = { one, sysbench.cmdline.PARALLEL_COMMAND }, bad = { bad },
        }";
    assert_says(&outcome(script, "--threads=2 once"), "one\t0");
    let all = outcome(script, "--threads=2 all");
    assert_says(&all, "one\t0");
    assert_says(&all, "one\t1");
    assert_eq!(outcome(script, "bad").exit, Some(1));
}

#[test]
fn queries_of_a_dry_run_come_to_nothing_and_misuse_is_told() {
    let outcome = event(
        "local c = sysbench.sql.driver():connect()
         local rs = c:query('SELECT 1')
         print(rs, rs == nil, c.error == sysbench.sql.error.NONE, c.driver:name())
         print(pcall(function() return rs.nrows end))
         local s = c:prepare('SELECT ?, ?')
         local a = s:bind_create(sysbench.sql.type.INT)
         local b = s:bind_create(sysbench.sql.type.VARCHAR, 3)
         print(s, a, pcall(a.set, a, 'x'))
         a:set(2.5) b:set('abcdef') b:set_rand_str('###')
         s:bind_param(a, b)
         print(s:execute(), s.connection)
         s:close() c:disconnect() c:disconnect()
         local x = c:query('SELECT 1')",
    );
    assert_says(&outcome, "<sql_result>\ttrue\ttrue\tmysql");
    assert_says(&outcome, "<sql_result>\t<sql_connection>");
    assert!(
        outcome
            .stdout
            .contains("cannot convert 'string' to 'int64_t'")
    );
    assert!(
        outcome
            .stdout
            .contains("attempt to use a field of an empty result")
    );
    assert_says(
        &outcome,
        "ALERT: attempt to close an already closed connection",
    );
    assert_says(
        &outcome,
        "ALERT: attempt to use an already closed connection",
    );
    assert_fails(&outcome, "SQL API error");
}

#[test]
fn the_names_of_the_first_generation_are_there_and_not_in_the_second() {
    let script = "function event() print(type(db_query), type(sb_rand), test, thread_id, type(sysbench.db)) return 1 end";
    assert_says(
        &outcome(script, "run"),
        "function\tfunction\tt.lua\t0\ttable",
    );
    let second = outcome(script, "--dialect=1.1 run");
    assert_says(&second, "nil\tnil\tnil\tnil\tnil");
}

#[test]
fn a_connection_of_the_first_generation_is_closed_when_the_script_says_so() {
    let outcome = event(
        "db_disconnect()
         db_connect()
         local statement = db_prepare('SELECT 1')
         db_disconnect()
         db_execute(statement)",
    );
    assert_says(
        &outcome,
        "ALERT: attempt to use an already closed connection",
    );
    assert_eq!(outcome.exit, Some(0));
}

#[test]
fn draws_of_a_seed_are_those_of_sysbench() {
    let outcome = outcome(
        "function event()
           print(sysbench.rand.default(1, 1000), sysbench.rand.default(1, 1000), sysbench.rand.default(1, 1000))
           return 1
         end",
        "--rand-seed=1 run",
    );
    assert_says(&outcome, "504\t499\t505");
}

/// Returns what an expression is at the first draw of a seed.
fn drawn(expression: &str) -> String {
    let script = format!("function event() print('drawn', {expression}) return 1 end");
    let outcome = outcome(&script, "--rand-seed=7 run");
    let mut lines = outcome.stdout.lines();
    let line = lines.find(|line| line.starts_with("drawn"));
    line.unwrap().to_owned()
}

#[test]
fn sb_rnd_is_the_lower_half_of_the_next_number() {
    let lower_half = drawn("tonumber(sysbench.rand.uniform_uint64() % 4294967296)");
    assert_eq!(drawn("sb_rnd()"), lower_half);
    assert_ne!(lower_half, "drawn\t0");
}

#[test]
fn sb_rand_uniq_is_the_next_unique_number_that_lies_between_the_bounds() {
    assert_eq!(
        drawn("sb_rand_uniq(1, 4294967294)"),
        drawn("sysbench.rand.unique()")
    );
}

#[test]
fn counters_and_histograms_of_a_script() {
    let outcome = event(
        "ffi.cdef('void sb_counter_inc(int, sb_counter_type); uint64_t sb_counter_val(int, sb_counter_type);')
         ffi.C.sb_counter_inc(id, ffi.C.SB_CNT_ERROR)
         print('errors', tonumber(ffi.C.sb_counter_val(id, 'SB_CNT_ERROR')))
         local h = sysbench.histogram.new(10, 1, 100)
         h:update(5) h:update(5000)
         h:print()
         print(pcall(tostring, h))",
    );
    assert_says(&outcome, "errors\t1");
    assert_says(
        &outcome,
        "     100.000 |**************************************** 1",
    );
    assert_says(&outcome, "false\tattempt to call a string value");
}

#[test]
fn a_histogram_of_a_script_is_printed_at_any_verbosity() {
    let outcome = outcome(
        "function event() local h = sysbench.histogram.new(10, 1, 100) h:update(5000) h:print() end",
        "--events=1 --verbosity=0 run",
    );
    let row = "     100.000 |**************************************** 1";
    assert_says(&outcome, row);
}

#[test]
fn a_report_hook_gets_the_figures() {
    let outcome = outcome(
        "function event() end
         function sysbench.hooks.report_cumulative(stat)
           print('events', stat.events, stat.latency_max > 0, stat.queue_length)
         end",
        "--events=7 run",
    );
    assert_says(&outcome, "events\t7\ttrue\tnil");
}

#[test]
fn a_hook_that_is_no_function_leaves_the_report_to_the_program() {
    let outcome = outcome(
        "function event() end
         sysbench.hooks.report_cumulative = 'none'",
        "--events=7 run",
    );
    assert_says(&outcome, "    total number of events:              7");
    assert!(!outcome.stdout.contains("FATAL"), "{}", outcome.stdout);
}

#[test]
fn a_hook_for_errors_that_is_no_function_leaves_the_error_as_it_is() {
    let outcome = event(
        "local con = sysbench.sql.driver():connect()
         sysbench.hooks.sql_error_ignorable = 'none'
         con.error, con.sql_errno = sysbench.sql.error.FATAL, 7
         con.sql_state, con.sql_errmsg = 'HY000', 'on purpose'
         con:check_error(nil, 'SELECT 1')",
    );
    let said = "SQL error, errno = 7, state = 'HY000': on purpose\n";
    assert!(outcome.stdout.contains(said), "{}", outcome.stdout);
    assert_eq!(outcome.exit, Some(1));
}

#[test]
fn a_validator_is_found_by_either_spelling_and_gets_nil_for_a_bare_option() {
    const SCRIPT: &str = "local function check(name, value)
           print(ffi.string(name), value == nil and 'bare' or ffi.string(value))
           return value == nil or ffi.string(value) ~= '13'
         end
         sysbench.cmdline.options = {
           ['da-shed'] = {'text', 1, sysbench.cmdline.ARG_INT, check},
           on_off = {'text', true, sysbench.cmdline.ARG_BOOL, check},
         }
         function event() end";
    for (option, said, exit_code) in [
        ("--da_shed=12", "da_shed\t12", 0),
        ("--da-shed=12", "da-shed\t12", 0),
        ("--da_shed=13", "da_shed\t13", 1),
        ("--on-off", "on-off\tbare", 0),
    ] {
        let outcome = outcome(SCRIPT, &format!("{option} --events=1 run"));
        assert_says(&outcome, said);
        assert_eq!(outcome.exit, Some(exit_code), "{option}");
    }
}

#[test]
fn an_error_in_a_last_hook_fails_the_run_where_that_was_asked_for() {
    for hook in ["thread_done", "done"] {
        let script = format!("function event() end function {hook}() error('lost') end");
        for (fixes, exit_code) in [("none", 0), ("done-exit", 1)] {
            let outcome = outcome(&script, &format!("--fixes={fixes} --events=1 run"));
            assert!(outcome.stdout.contains("lost"), "{}", outcome.stdout);
            assert_eq!(outcome.exit, Some(exit_code), "{hook}, {fixes}");
        }
    }
}

#[test]
fn the_loop_of_an_event_is_compiled_in_its_first_turns() {
    let script = "local traces = 0
         jit.attach(function(what) if what == 'stop' then traces = traces + 1 end end, 'trace')
         function event() local sum = 0 for turn = 1, 20 do sum = sum + turn end end
         function thread_done() print('compiled', traces > 0) end";
    assert_says(&outcome(script, "--events=1 run"), "compiled\ttrue");
}
