# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_dbdyno_load_global_optspecs
    string join \n h/help V/version
end

function __fish_dbdyno_load_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_dbdyno_load_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_dbdyno_load_using_subcommand
    set -l cmd (__fish_dbdyno_load_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c dbdyno-load -n "__fish_dbdyno_load_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c dbdyno-load -n "__fish_dbdyno_load_needs_command" -s V -l version -d 'Print version'
complete -c dbdyno-load -n "__fish_dbdyno_load_needs_command" -f -a "run" -d 'Drive a workload and report each second'
complete -c dbdyno-load -n "__fish_dbdyno_load_needs_command" -f -a "search" -d 'Find the highest rate that keeps response times below a bound'
complete -c dbdyno-load -n "__fish_dbdyno_load_needs_command" -f -a "merge" -d 'Merge the records of several load hosts into that of one client'
complete -c dbdyno-load -n "__fish_dbdyno_load_needs_command" -f -a "populate" -d 'Create and fill a workload\'s tables'
complete -c dbdyno-load -n "__fish_dbdyno_load_needs_command" -f -a "verify" -d 'Check that a workload\'s tables are consistent with each other'
complete -c dbdyno-load -n "__fish_dbdyno_load_needs_command" -f -a "fingerprint" -d 'Send the same events to a server, one by one, and checksum its tables'
complete -c dbdyno-load -n "__fish_dbdyno_load_needs_command" -f -a "cleanup" -d 'Drop a workload\'s tables'
complete -c dbdyno-load -n "__fish_dbdyno_load_needs_command" -f -a "script" -d 'Run a sysbench script or builtin, without sysbench\'s silent failures'
complete -c dbdyno-load -n "__fish_dbdyno_load_needs_command" -f -a "workloads" -d 'List the workloads and their options, or describe one of them'
complete -c dbdyno-load -n "__fish_dbdyno_load_needs_command" -f -a "quirks" -d 'List the quirks of the imitated tools and what each does'
complete -c dbdyno-load -n "__fish_dbdyno_load_needs_command" -f -a "sample" -d 'Print what a workload would send, without a server'
complete -c dbdyno-load -n "__fish_dbdyno_load_needs_command" -f -a "threads" -d 'Watch what the session threads of a server do and wait for'
complete -c dbdyno-load -n "__fish_dbdyno_load_needs_command" -f -a "agent" -d 'Serve a lab that runs on another machine'
complete -c dbdyno-load -n "__fish_dbdyno_load_needs_command" -f -a "null-server" -d 'Serve the MySQL protocol without doing any work, with faults on request'
complete -c dbdyno-load -n "__fish_dbdyno_load_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l order -d 'Read all arguments from an order file, - for standard input; records go to standard output' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l socket -d 'Unix socket of the server' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l host -d 'Host of the server, by name or address' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l port -d 'TCP port of the server [default: 3306]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l user -d 'User to log in as' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l password-file -d 'File with the password; without it, no password is used' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l database -d 'Schema of the tables' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l tls -d 'Encryption of the connections' -r -f -a "off\t'Never'
preferred\t'Over TCP, if the server offers it'
required\t'Always, whatever certificate the server shows'
verify-ca\t'Always; the certificate is signed by --tls-ca-file'
verify-identity\t'As verify-ca, and the certificate names the host'"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l tls-ca-file -d 'PEM file of the authority that signed the server\'s certificate' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l tls-minimum -d 'Oldest TLS version to accept' -r -f -a "1.2\t'TLS 1.2'
1.3\t'TLS 1.3'"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l tls-cert-file -d 'PEM file of the client certificate, for a user that needs one' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l tls-key-file -d 'PEM file of the client certificate\'s private key' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l compression -d 'Compression of the load\'s connections' -r -f -a "off\t'Not at all'
zlib\t'By zlib, which every server knows'"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l path-timeout -d 'Close TCP connections whose data stays unacknowledged this long [default: 10s]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l concurrency -l threads -d 'Connections, each with one event in flight [default: 1, or as many as the workload has parts]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l target -d 'Server for transactions of a SQL directory with this role: HOST, HOST:PORT or the path of a socket' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l protocol -d 'How statements are sent' -r -f -a "prepared\t'Prepared once a connection, then executed by number'
text\t'As text with the values written in'"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l rng -d 'Random number generator' -r -f -a "sysbench\t'sysbench 1.0.20\'s, number by number'
dbdyno\t'dbdyno\'s own'"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l seed -d 'Seed of the random numbers' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l workers -d 'Worker threads [default: one per 4 processors, at most one per 32 connections]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l cpus -d 'Processors for the workers, one each in turn: 1 or 0,2-3' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l drain -d 'How long events that are unfinished at the end may take' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l answer-timeout -d 'Longest wait for any byte of a statement\'s answer; `none` waits for ever' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l rate -d 'Events per second (open loop); each is due even if no connection is free [default: closed loop]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l rate-of -d 'Events per second of one transaction type; may be given several times' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l arrivals -d 'Gaps between the due times of --rate and --rate-of' -r -f -a "poisson\t'Exponential, as of many independent visitors'
constant\t'All the same'"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l think -d 'Mean think time after each event (closed loop) [default: none]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l think-law -d 'Distribution of the think times of --think' -r -f -a "constant\t'All the same'
exponential\t'Most are short, a few are long'"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l time -d 'Length of the measured window [default: 60s; with segments of --rate as long as they last, and 60s more if the last has no end; with --events until they are done]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l warm-up -d 'Length of the warm-up before the measured window [default: 5s; 0s with segments of --rate or with --events]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l events -d 'End after this many events in total' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l share -d 'Drive the Kth of N shares of the load; other processes, on other hosts, drive the other shares' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l start-at -d 'Start at this Unix time, such as 1795000000 or 1795000000.5; until then connections wait, opened and prepared' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l agents -d 'Hosts that drive the load as one client, as ssh takes them: c1,bench@c2; this process itself drives nothing' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l agent-program -d 'Path of dbdyno-load on the hosts of --agents' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l ignore-errors -d 'Error codes after which an event is repeated; any other ends the run [default: the imitated tool\'s]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l also-repeat -d 'Further errors after which an event is repeated: 1180/149,1296' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l rollback-first -d 'Send ROLLBACK before an event is repeated [default: as the imitated tool; sysbench\'s OLTP scripts do not]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l retry-limit -d 'Repeats after which an event counts as failed; `none` repeats until it succeeds [default: as the imitated tool; sysbench workloads: 100, where sysbench itself has no limit]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l repeat-draws -d 'Values of a repeated event [default: as the imitated tool; sysbench: new]' -r -f -a "new\t'Drawn anew (sysbench)'
same\t'Those of the first attempt (tpcc-mysql)'"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l retry-pause -d 'Longest random wait before the third attempt; doubles with each further one, up to 64 times this' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l prepared-full -d 'What to do when max_prepared_stmt_count is reached' -r -f -a "stop\t'Don\'t begin'
text\t'Send the rest as text, and say so'"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l report-interval -d 'Seconds between progress lines, 0 for none' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l digest -d 'Report a SHA-256 of the statements in the first EVENTS events of each user' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l counts-every -d 'Read the server\'s own counts at this interval, too; always where phases begin and end' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l require -d 'Exit with 1 unless the measured window meets this: p99<20ms, errors<0.1%, tps>=1000; may be given several times' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l json-lines -d 'Write the records to this file, one JSON object per line; - for standard output, instead of text' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l hdr-log -d 'Write an HdrHistogram log to this file: times by type, second by second, for HdrHistogram\'s own tools' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l parquet -d 'Write a Parquet table of the seconds to this file; Arrow, DuckDB, pandas and others read it' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l tables -d 'Number of tables, sbtest1 and on [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l table-size -l rows -d 'Rows a table [default: 10000]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l range-size -d 'Rows of a range select [default: 100]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l point-selects -d 'Point selects an event [default: 10]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l simple-ranges -d 'Simple range selects an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l sum-ranges -d 'SELECT SUM() ranges an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l order-ranges -d 'SELECT ORDER BY ranges an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l distinct-ranges -d 'SELECT DISTINCT ranges an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l index-updates -d 'UPDATEs of the indexed k an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l non-index-updates -d 'UPDATEs of c an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l delete-inserts -d 'DELETE and INSERT pairs an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l range-selects -d 'Whether events have range selects [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l skip-trx -d 'Leave out BEGIN and COMMIT: each statement commits alone [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l auto-inc -d 'AUTO_INCREMENT ids [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l secondary -d 'A plain key on id instead of the primary key [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l create-secondary -d 'An index on k, made after the rows [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l mysql-storage-engine -l storage-engine -d 'Storage engine of the tables [default: innodb]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l create-table-options -d 'Words that follow at the end of CREATE TABLE [default: none]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l rand-type -d 'Distribution of ids and of k: uniform, gaussian, special, pareto, zipfian [default: special]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l rand-spec-iter -d 'gaussian, special: draws in the mean [default: 12]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l rand-spec-pct -d 'special: width of the hot band, percent of the table [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l rand-spec-res -d 'special: share of the draws in the hot band, percent [default: 75]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l rand-pareto-h -d 'pareto: a share 1-h of the draws in the lowest h [default: 0.2]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l rand-zipfian-exp -d 'zipfian: exponent [default: 0.8]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l random-points -d 'select_random_points: values in the IN list [default: 10]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l number-of-ranges -d 'select_random_ranges: ranges in the query [default: 10]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l delta -d 'select_random_ranges: width of a range [default: 5]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l dialect -d 'TPC-C as whom: standard, sysbench-tpcc, tpcc-mysql, hammerdb [default: standard]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l fidelity -d 'tool: with the tool\'s quirks; fixed: with every quirk repaired [default: tool]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l warehouses -d 'Warehouses (of each table set) [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l scale -d 'sysbench-tpcc: its name for warehouses [default: 100]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l fk -d 'Foreign keys: none; declared, with checks off in every session; enforced [default: none]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l use-fk -d 'sysbench-tpcc: on for fk=declared, off for fk=none [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l force-pk -d 'A numbered primary key for history [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l key-order -d 'tpcc-mysql: reversed puts the number first in primary keys (its schema2) [default: normal]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l partition -d 'hammerdb: order_line in partitions from 200 warehouses on [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l strings -d 'Long texts: random, or one letter repeated as sysbench-tpcc has them [default: random]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l c-load -d 'Constant of the last names in the population; the run\'s is chosen to suit it [default: 123]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l trx-level -d 'sysbench-tpcc: isolation level RR, RC or SER [default: RR]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l splittable -d 'sysbench-tpcc: START TRANSACTION READ WRITE or READ ONLY instead of BEGIN [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l enable-purge -d 'sysbench-tpcc: old orders are deleted, too [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l prepared -d 'hammerdb: its calls prepared in SQL [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l no-stored-procs -d 'hammerdb: statements one by one [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l allwarehouse -d 'hammerdb: each transaction draws one of the user\'s own warehouses [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l keyandthink -d 'standard, hammerdb: keying and thinking time in closed loops [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l calls -d 'standard: statements or stored procedures [default: statements]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l home -d 'standard: whether a user keeps its warehouse (fixed) or draws one each time (any) [default: fixed]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l mix -d 'standard: types from a shuffled deck of 23 cards, or by weights [default: deck]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l weights -d 'standard: of new order, payment, order status, delivery, stock level [default: 45,43,4,4,4]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l delivery -d 'standard: deliveries deferred in a queue, or inline [default: queue]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l startid1 -d 'Lowest id of a node [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l maxid1 -d 'Id above the highest one; use at least 1000001 [default: 10000001]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l link-type-count -d 'Types of links, which share a node\'s links [default: 2]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l data-file -d 'LinkBench\'s Distribution.dat, whose law of links a node then holds to the link; empty: dbdyno\'s curve [default: none]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l dbid -d 'Schema that statements name; the target\'s unless given [default: linkdb]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l id2gen-config -d '1: a user takes only second ids of its own remainder, so that no two meet [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l getlinklist-history -d 'Percent of the list reads that go on behind an earlier one [default: 0.3]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l range-limit -d 'Most links a list read gives [default: 10000]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l addlink -d 'Percent of add_link [default: 8.9886601]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l deletelink -d 'Percent of delete_link [default: 2.9907664]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l updatelink -d 'Percent of update_link [default: 8.0122125]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l countlink -d 'Percent of count_link [default: 4.8863567]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l getlink -d 'Percent of multiget_link [default: 0.5261142]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l getlinklist -d 'Percent of get_link_list [default: 50.7119145]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l addnode -d 'Percent of add_node [default: 2.5732789]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l updatenode -d 'Percent of update_node [default: 7.366437]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l deletenode -d 'Percent of delete_node [default: 1.0115914]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l getnode -d 'Percent of get_node [default: 12.9326683]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l partitions -d 'Partitions of linktable; 0: none [default: 16]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l index-after-load -d 'Make the key id1_type when the rows are in [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l table-compression -d 'none, row-compressed (see key_block_size) or page-compressed (see page_compression) [default: none]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l key-block-size -d 'row-compressed: KiB a page takes [default: 8]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l page-compression -d 'page-compressed: MySQL\'s algorithm; MariaDB\'s is the server\'s innodb_compression_algorithm [default: lz4]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l mysql-bulk-insert-batch -d 'Rows a statement when the tables are filled [default: 1024]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l mysql-disable-binlog-load -d 'Keep the filling out of the binary log [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l step -d 'Step to run: l.i0, l.x, l.i1, l.i2, settle, qr or qp with inserts a second and client (qr100) [default: l.i1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l nr1 -d 'Rows of the load, over all clients; rows means the same [default: 1000000]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l nr2 -d 'Rows of the writes after it, over all clients: four fifths in l.i1, one in l.i2 [default: 100000]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l clients -d 'Clients, each with several connections [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l one-table -d 'All clients on one table, instead of one table each [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l step-seconds -d 'Seconds that a step with queries is made for: its inserts are the rate times this [default: 60]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l settle-seconds -d 'settle: seconds to wait at least; 0: the tool\'s 60 and one for each million of nr1 [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l delete-per-insert -d 'Delete as many rows at the low end of the key as are inserted, after the load [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l query-threads -d 'Connections of each client that query, in qr and qp [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l rows-per-commit -d 'Rows of an insert; 0: the step\'s own, 100, 50 or 5 [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l rows-per-query -d 'Rows that a query asks for [default: 10]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l num-secondary-indexes -d 'Secondary keys that l.x makes [default: 3]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l data-length-min -d 'Shortest data of a row [default: 10]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l data-length-max -d 'Longest data of a row [default: 20]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l data-random-pct -d 'Percent of the data that can\'t be compressed, as the tool counts them [default: 50]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l num-partitions -d 'Range partitions of each table; 0: none [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l rows-per-partition -d 'Keys of a range partition; the last one takes the rest [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l table-name -d 'Name of the tables, which their number follows [default: pi]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l unique-checks -d 'off: sets unique_checks=0 for connections that write (storage engine rocksdb only) [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l bulk-load -d 'l.i0 with rocksdb_bulk_load=1 (storage engine rocksdb only) [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l htap-transaction-seconds -d 'Seconds for which one more connection of each client keeps read views open; 0: none [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l no-password -d 'Log in without a password, even if DBDYNO_PASSWORD_FILE is set'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -l commanded -d 'Take the start and the end from standard input: how --agents runs a share'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand run" -s V -l version -d 'Print version'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l promise -d 'Bound on a response time quantile, such as \'p99<20ms\'' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l first-rate -d 'Rate of the first probe, in events per second' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l precision -d 'Precision of the answer: how far the lowest rate that broke may lie above the highest that held' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l settle -d 'Time to settle in each probe, before its measured window' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l window -d 'Length of the measured window of each probe' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l warm-up -d 'Warm-up at the first rate, before the first probe' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l arrivals -d 'Gaps between the due times of events' -r -f -a "poisson\t'Exponential, as of many independent visitors'
constant\t'All the same'"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l socket -d 'Unix socket of the server' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l host -d 'Host of the server, by name or address' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l port -d 'TCP port of the server [default: 3306]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l user -d 'User to log in as' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l password-file -d 'File with the password; without it, no password is used' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l database -d 'Schema of the tables' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l tls -d 'Encryption of the connections' -r -f -a "off\t'Never'
preferred\t'Over TCP, if the server offers it'
required\t'Always, whatever certificate the server shows'
verify-ca\t'Always; the certificate is signed by --tls-ca-file'
verify-identity\t'As verify-ca, and the certificate names the host'"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l tls-ca-file -d 'PEM file of the authority that signed the server\'s certificate' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l tls-minimum -d 'Oldest TLS version to accept' -r -f -a "1.2\t'TLS 1.2'
1.3\t'TLS 1.3'"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l tls-cert-file -d 'PEM file of the client certificate, for a user that needs one' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l tls-key-file -d 'PEM file of the client certificate\'s private key' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l compression -d 'Compression of the load\'s connections' -r -f -a "off\t'Not at all'
zlib\t'By zlib, which every server knows'"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l path-timeout -d 'Close TCP connections whose data stays unacknowledged this long [default: 10s]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l concurrency -l threads -d 'Connections, each with one event in flight [default: 1, or as many as the workload has parts]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l target -d 'Server for transactions of a SQL directory with this role: HOST, HOST:PORT or the path of a socket' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l protocol -d 'How statements are sent' -r -f -a "prepared\t'Prepared once a connection, then executed by number'
text\t'As text with the values written in'"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l rng -d 'Random number generator' -r -f -a "sysbench\t'sysbench 1.0.20\'s, number by number'
dbdyno\t'dbdyno\'s own'"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l seed -d 'Seed of the random numbers' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l workers -d 'Worker threads [default: one per 4 processors, at most one per 32 connections]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l cpus -d 'Processors for the workers, one each in turn: 1 or 0,2-3' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l drain -d 'How long events that are unfinished at the end may take' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l answer-timeout -d 'Longest wait for any byte of a statement\'s answer; `none` waits for ever' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l ignore-errors -d 'Error codes after which an event is repeated; any other ends the run [default: the imitated tool\'s]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l also-repeat -d 'Further errors after which an event is repeated: 1180/149,1296' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l rollback-first -d 'Send ROLLBACK before an event is repeated [default: as the imitated tool; sysbench\'s OLTP scripts do not]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l retry-limit -d 'Repeats after which an event counts as failed; `none` repeats until it succeeds [default: as the imitated tool; sysbench workloads: 100, where sysbench itself has no limit]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l repeat-draws -d 'Values of a repeated event [default: as the imitated tool; sysbench: new]' -r -f -a "new\t'Drawn anew (sysbench)'
same\t'Those of the first attempt (tpcc-mysql)'"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l retry-pause -d 'Longest random wait before the third attempt; doubles with each further one, up to 64 times this' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l prepared-full -d 'What to do when max_prepared_stmt_count is reached' -r -f -a "stop\t'Don\'t begin'
text\t'Send the rest as text, and say so'"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l json-lines -d 'Write the records to this file, one JSON object per line; - for standard output, instead of text' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l hdr-log -d 'Write an HdrHistogram log to this file: times by type, second by second, for HdrHistogram\'s own tools' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l parquet -d 'Write a Parquet table of the seconds to this file; Arrow, DuckDB, pandas and others read it' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l tables -d 'Number of tables, sbtest1 and on [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l table-size -l rows -d 'Rows a table [default: 10000]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l range-size -d 'Rows of a range select [default: 100]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l point-selects -d 'Point selects an event [default: 10]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l simple-ranges -d 'Simple range selects an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l sum-ranges -d 'SELECT SUM() ranges an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l order-ranges -d 'SELECT ORDER BY ranges an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l distinct-ranges -d 'SELECT DISTINCT ranges an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l index-updates -d 'UPDATEs of the indexed k an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l non-index-updates -d 'UPDATEs of c an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l delete-inserts -d 'DELETE and INSERT pairs an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l range-selects -d 'Whether events have range selects [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l skip-trx -d 'Leave out BEGIN and COMMIT: each statement commits alone [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l auto-inc -d 'AUTO_INCREMENT ids [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l secondary -d 'A plain key on id instead of the primary key [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l create-secondary -d 'An index on k, made after the rows [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l mysql-storage-engine -l storage-engine -d 'Storage engine of the tables [default: innodb]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l create-table-options -d 'Words that follow at the end of CREATE TABLE [default: none]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l rand-type -d 'Distribution of ids and of k: uniform, gaussian, special, pareto, zipfian [default: special]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l rand-spec-iter -d 'gaussian, special: draws in the mean [default: 12]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l rand-spec-pct -d 'special: width of the hot band, percent of the table [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l rand-spec-res -d 'special: share of the draws in the hot band, percent [default: 75]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l rand-pareto-h -d 'pareto: a share 1-h of the draws in the lowest h [default: 0.2]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l rand-zipfian-exp -d 'zipfian: exponent [default: 0.8]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l random-points -d 'select_random_points: values in the IN list [default: 10]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l number-of-ranges -d 'select_random_ranges: ranges in the query [default: 10]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l delta -d 'select_random_ranges: width of a range [default: 5]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l dialect -d 'TPC-C as whom: standard, sysbench-tpcc, tpcc-mysql, hammerdb [default: standard]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l fidelity -d 'tool: with the tool\'s quirks; fixed: with every quirk repaired [default: tool]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l warehouses -d 'Warehouses (of each table set) [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l scale -d 'sysbench-tpcc: its name for warehouses [default: 100]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l fk -d 'Foreign keys: none; declared, with checks off in every session; enforced [default: none]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l use-fk -d 'sysbench-tpcc: on for fk=declared, off for fk=none [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l force-pk -d 'A numbered primary key for history [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l key-order -d 'tpcc-mysql: reversed puts the number first in primary keys (its schema2) [default: normal]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l partition -d 'hammerdb: order_line in partitions from 200 warehouses on [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l strings -d 'Long texts: random, or one letter repeated as sysbench-tpcc has them [default: random]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l c-load -d 'Constant of the last names in the population; the run\'s is chosen to suit it [default: 123]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l trx-level -d 'sysbench-tpcc: isolation level RR, RC or SER [default: RR]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l splittable -d 'sysbench-tpcc: START TRANSACTION READ WRITE or READ ONLY instead of BEGIN [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l enable-purge -d 'sysbench-tpcc: old orders are deleted, too [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l prepared -d 'hammerdb: its calls prepared in SQL [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l no-stored-procs -d 'hammerdb: statements one by one [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l allwarehouse -d 'hammerdb: each transaction draws one of the user\'s own warehouses [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l keyandthink -d 'standard, hammerdb: keying and thinking time in closed loops [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l calls -d 'standard: statements or stored procedures [default: statements]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l home -d 'standard: whether a user keeps its warehouse (fixed) or draws one each time (any) [default: fixed]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l mix -d 'standard: types from a shuffled deck of 23 cards, or by weights [default: deck]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l weights -d 'standard: of new order, payment, order status, delivery, stock level [default: 45,43,4,4,4]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l delivery -d 'standard: deliveries deferred in a queue, or inline [default: queue]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l startid1 -d 'Lowest id of a node [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l maxid1 -d 'Id above the highest one; use at least 1000001 [default: 10000001]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l link-type-count -d 'Types of links, which share a node\'s links [default: 2]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l data-file -d 'LinkBench\'s Distribution.dat, whose law of links a node then holds to the link; empty: dbdyno\'s curve [default: none]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l dbid -d 'Schema that statements name; the target\'s unless given [default: linkdb]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l id2gen-config -d '1: a user takes only second ids of its own remainder, so that no two meet [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l getlinklist-history -d 'Percent of the list reads that go on behind an earlier one [default: 0.3]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l range-limit -d 'Most links a list read gives [default: 10000]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l addlink -d 'Percent of add_link [default: 8.9886601]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l deletelink -d 'Percent of delete_link [default: 2.9907664]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l updatelink -d 'Percent of update_link [default: 8.0122125]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l countlink -d 'Percent of count_link [default: 4.8863567]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l getlink -d 'Percent of multiget_link [default: 0.5261142]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l getlinklist -d 'Percent of get_link_list [default: 50.7119145]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l addnode -d 'Percent of add_node [default: 2.5732789]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l updatenode -d 'Percent of update_node [default: 7.366437]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l deletenode -d 'Percent of delete_node [default: 1.0115914]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l getnode -d 'Percent of get_node [default: 12.9326683]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l partitions -d 'Partitions of linktable; 0: none [default: 16]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l index-after-load -d 'Make the key id1_type when the rows are in [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l table-compression -d 'none, row-compressed (see key_block_size) or page-compressed (see page_compression) [default: none]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l key-block-size -d 'row-compressed: KiB a page takes [default: 8]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l page-compression -d 'page-compressed: MySQL\'s algorithm; MariaDB\'s is the server\'s innodb_compression_algorithm [default: lz4]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l mysql-bulk-insert-batch -d 'Rows a statement when the tables are filled [default: 1024]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l mysql-disable-binlog-load -d 'Keep the filling out of the binary log [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l step -d 'Step to run: l.i0, l.x, l.i1, l.i2, settle, qr or qp with inserts a second and client (qr100) [default: l.i1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l nr1 -d 'Rows of the load, over all clients; rows means the same [default: 1000000]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l nr2 -d 'Rows of the writes after it, over all clients: four fifths in l.i1, one in l.i2 [default: 100000]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l clients -d 'Clients, each with several connections [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l one-table -d 'All clients on one table, instead of one table each [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l step-seconds -d 'Seconds that a step with queries is made for: its inserts are the rate times this [default: 60]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l settle-seconds -d 'settle: seconds to wait at least; 0: the tool\'s 60 and one for each million of nr1 [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l delete-per-insert -d 'Delete as many rows at the low end of the key as are inserted, after the load [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l query-threads -d 'Connections of each client that query, in qr and qp [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l rows-per-commit -d 'Rows of an insert; 0: the step\'s own, 100, 50 or 5 [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l rows-per-query -d 'Rows that a query asks for [default: 10]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l num-secondary-indexes -d 'Secondary keys that l.x makes [default: 3]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l data-length-min -d 'Shortest data of a row [default: 10]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l data-length-max -d 'Longest data of a row [default: 20]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l data-random-pct -d 'Percent of the data that can\'t be compressed, as the tool counts them [default: 50]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l num-partitions -d 'Range partitions of each table; 0: none [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l rows-per-partition -d 'Keys of a range partition; the last one takes the rest [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l table-name -d 'Name of the tables, which their number follows [default: pi]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l unique-checks -d 'off: sets unique_checks=0 for connections that write (storage engine rocksdb only) [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l bulk-load -d 'l.i0 with rocksdb_bulk_load=1 (storage engine rocksdb only) [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l htap-transaction-seconds -d 'Seconds for which one more connection of each client keeps read views open; 0: none [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -l no-password -d 'Log in without a password, even if DBDYNO_PASSWORD_FILE is set'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand search" -s V -l version -d 'Print version'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand merge" -l max-skew -d 'Longest time allowed between the starts of two shares' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand merge" -l json-lines -d 'Write the merged records to this file, one JSON object per line; - for standard output, instead of text' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand merge" -l parquet -d 'Write a Parquet table of the seconds to this file; dbdyno judge, Arrow, DuckDB, pandas and others read it' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand merge" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand merge" -s V -l version -d 'Print version'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l order -d 'Read all arguments from an order file, - for standard input; records go to standard output' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l socket -d 'Unix socket of the server' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l host -d 'Host of the server, by name or address' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l port -d 'TCP port of the server [default: 3306]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l user -d 'User to log in as' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l password-file -d 'File with the password; without it, no password is used' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l database -d 'Schema of the tables' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l tls -d 'Encryption of the connections' -r -f -a "off\t'Never'
preferred\t'Over TCP, if the server offers it'
required\t'Always, whatever certificate the server shows'
verify-ca\t'Always; the certificate is signed by --tls-ca-file'
verify-identity\t'As verify-ca, and the certificate names the host'"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l tls-ca-file -d 'PEM file of the authority that signed the server\'s certificate' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l tls-minimum -d 'Oldest TLS version to accept' -r -f -a "1.2\t'TLS 1.2'
1.3\t'TLS 1.3'"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l tls-cert-file -d 'PEM file of the client certificate, for a user that needs one' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l tls-key-file -d 'PEM file of the client certificate\'s private key' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l compression -d 'Compression of the load\'s connections' -r -f -a "off\t'Not at all'
zlib\t'By zlib, which every server knows'"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l path-timeout -d 'Close TCP connections whose data stays unacknowledged this long [default: 10s]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l connections -d 'Connections, each filling one part of a table at a time' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l rng -d 'Random number generator' -r -f -a "sysbench\t'sysbench 1.0.20\'s, number by number'
dbdyno\t'dbdyno\'s own'"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l seed -d 'Seed of the random numbers' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l load-by -d 'How rows are sent to the server' -r -f -a "auto\t'The cheapest for this server of the ways that it takes and that let connections fill side by side'
prepared\t'As the values of a prepared INSERT of many rows'
statements\t'As INSERT statements of many rows'
infile\t'As the file of a LOAD DATA LOCAL INFILE, which is never on any disk'"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l patience -d 'How long to wait for a server that is gone, or answers no connection' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l transaction-rows -d 'Commit after this many rows [default: one transaction for each part of a table, up to 100,000s of rows]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l ddl-timeout -d 'Longest time for a statement that creates, changes or drops a table' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l check-timeout -d 'Longest time for a query that reads whole tables' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l tables -d 'Number of tables, sbtest1 and on [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l table-size -l rows -d 'Rows a table [default: 10000]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l range-size -d 'Rows of a range select [default: 100]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l point-selects -d 'Point selects an event [default: 10]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l simple-ranges -d 'Simple range selects an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l sum-ranges -d 'SELECT SUM() ranges an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l order-ranges -d 'SELECT ORDER BY ranges an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l distinct-ranges -d 'SELECT DISTINCT ranges an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l index-updates -d 'UPDATEs of the indexed k an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l non-index-updates -d 'UPDATEs of c an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l delete-inserts -d 'DELETE and INSERT pairs an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l range-selects -d 'Whether events have range selects [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l skip-trx -d 'Leave out BEGIN and COMMIT: each statement commits alone [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l auto-inc -d 'AUTO_INCREMENT ids [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l secondary -d 'A plain key on id instead of the primary key [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l create-secondary -d 'An index on k, made after the rows [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l mysql-storage-engine -l storage-engine -d 'Storage engine of the tables [default: innodb]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l create-table-options -d 'Words that follow at the end of CREATE TABLE [default: none]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l rand-type -d 'Distribution of ids and of k: uniform, gaussian, special, pareto, zipfian [default: special]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l rand-spec-iter -d 'gaussian, special: draws in the mean [default: 12]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l rand-spec-pct -d 'special: width of the hot band, percent of the table [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l rand-spec-res -d 'special: share of the draws in the hot band, percent [default: 75]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l rand-pareto-h -d 'pareto: a share 1-h of the draws in the lowest h [default: 0.2]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l rand-zipfian-exp -d 'zipfian: exponent [default: 0.8]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l random-points -d 'select_random_points: values in the IN list [default: 10]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l number-of-ranges -d 'select_random_ranges: ranges in the query [default: 10]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l delta -d 'select_random_ranges: width of a range [default: 5]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l dialect -d 'TPC-C as whom: standard, sysbench-tpcc, tpcc-mysql, hammerdb [default: standard]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l fidelity -d 'tool: with the tool\'s quirks; fixed: with every quirk repaired [default: tool]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l warehouses -d 'Warehouses (of each table set) [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l scale -d 'sysbench-tpcc: its name for warehouses [default: 100]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l fk -d 'Foreign keys: none; declared, with checks off in every session; enforced [default: none]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l use-fk -d 'sysbench-tpcc: on for fk=declared, off for fk=none [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l force-pk -d 'A numbered primary key for history [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l key-order -d 'tpcc-mysql: reversed puts the number first in primary keys (its schema2) [default: normal]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l partition -d 'hammerdb: order_line in partitions from 200 warehouses on [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l strings -d 'Long texts: random, or one letter repeated as sysbench-tpcc has them [default: random]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l c-load -d 'Constant of the last names in the population; the run\'s is chosen to suit it [default: 123]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l trx-level -d 'sysbench-tpcc: isolation level RR, RC or SER [default: RR]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l splittable -d 'sysbench-tpcc: START TRANSACTION READ WRITE or READ ONLY instead of BEGIN [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l enable-purge -d 'sysbench-tpcc: old orders are deleted, too [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l prepared -d 'hammerdb: its calls prepared in SQL [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l no-stored-procs -d 'hammerdb: statements one by one [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l allwarehouse -d 'hammerdb: each transaction draws one of the user\'s own warehouses [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l keyandthink -d 'standard, hammerdb: keying and thinking time in closed loops [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l calls -d 'standard: statements or stored procedures [default: statements]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l home -d 'standard: whether a user keeps its warehouse (fixed) or draws one each time (any) [default: fixed]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l mix -d 'standard: types from a shuffled deck of 23 cards, or by weights [default: deck]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l weights -d 'standard: of new order, payment, order status, delivery, stock level [default: 45,43,4,4,4]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l delivery -d 'standard: deliveries deferred in a queue, or inline [default: queue]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l startid1 -d 'Lowest id of a node [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l maxid1 -d 'Id above the highest one; use at least 1000001 [default: 10000001]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l link-type-count -d 'Types of links, which share a node\'s links [default: 2]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l data-file -d 'LinkBench\'s Distribution.dat, whose law of links a node then holds to the link; empty: dbdyno\'s curve [default: none]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l dbid -d 'Schema that statements name; the target\'s unless given [default: linkdb]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l id2gen-config -d '1: a user takes only second ids of its own remainder, so that no two meet [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l getlinklist-history -d 'Percent of the list reads that go on behind an earlier one [default: 0.3]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l range-limit -d 'Most links a list read gives [default: 10000]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l addlink -d 'Percent of add_link [default: 8.9886601]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l deletelink -d 'Percent of delete_link [default: 2.9907664]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l updatelink -d 'Percent of update_link [default: 8.0122125]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l countlink -d 'Percent of count_link [default: 4.8863567]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l getlink -d 'Percent of multiget_link [default: 0.5261142]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l getlinklist -d 'Percent of get_link_list [default: 50.7119145]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l addnode -d 'Percent of add_node [default: 2.5732789]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l updatenode -d 'Percent of update_node [default: 7.366437]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l deletenode -d 'Percent of delete_node [default: 1.0115914]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l getnode -d 'Percent of get_node [default: 12.9326683]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l partitions -d 'Partitions of linktable; 0: none [default: 16]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l index-after-load -d 'Make the key id1_type when the rows are in [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l table-compression -d 'none, row-compressed (see key_block_size) or page-compressed (see page_compression) [default: none]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l key-block-size -d 'row-compressed: KiB a page takes [default: 8]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l page-compression -d 'page-compressed: MySQL\'s algorithm; MariaDB\'s is the server\'s innodb_compression_algorithm [default: lz4]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l mysql-bulk-insert-batch -d 'Rows a statement when the tables are filled [default: 1024]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l mysql-disable-binlog-load -d 'Keep the filling out of the binary log [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l step -d 'Step to run: l.i0, l.x, l.i1, l.i2, settle, qr or qp with inserts a second and client (qr100) [default: l.i1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l nr1 -d 'Rows of the load, over all clients; rows means the same [default: 1000000]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l nr2 -d 'Rows of the writes after it, over all clients: four fifths in l.i1, one in l.i2 [default: 100000]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l clients -d 'Clients, each with several connections [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l one-table -d 'All clients on one table, instead of one table each [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l step-seconds -d 'Seconds that a step with queries is made for: its inserts are the rate times this [default: 60]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l settle-seconds -d 'settle: seconds to wait at least; 0: the tool\'s 60 and one for each million of nr1 [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l delete-per-insert -d 'Delete as many rows at the low end of the key as are inserted, after the load [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l query-threads -d 'Connections of each client that query, in qr and qp [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l rows-per-commit -d 'Rows of an insert; 0: the step\'s own, 100, 50 or 5 [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l rows-per-query -d 'Rows that a query asks for [default: 10]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l num-secondary-indexes -d 'Secondary keys that l.x makes [default: 3]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l data-length-min -d 'Shortest data of a row [default: 10]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l data-length-max -d 'Longest data of a row [default: 20]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l data-random-pct -d 'Percent of the data that can\'t be compressed, as the tool counts them [default: 50]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l num-partitions -d 'Range partitions of each table; 0: none [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l rows-per-partition -d 'Keys of a range partition; the last one takes the rest [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l table-name -d 'Name of the tables, which their number follows [default: pi]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l unique-checks -d 'off: sets unique_checks=0 for connections that write (storage engine rocksdb only) [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l bulk-load -d 'l.i0 with rocksdb_bulk_load=1 (storage engine rocksdb only) [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l htap-transaction-seconds -d 'Seconds for which one more connection of each client keeps read views open; 0: none [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l no-password -d 'Log in without a password, even if DBDYNO_PASSWORD_FILE is set'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l accelerate -d 'Fill without redo log, unsafe in a crash (MySQL since 8.0.21): a crash then destroys all data of the server'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l resume -d 'Continue a filling that did not finish'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l no-check -d 'Do not read the tables back to check their rows'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -l json -d 'Print records, one JSON object per line, instead of text'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand populate" -s V -l version -d 'Print version'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l socket -d 'Unix socket of the server' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l host -d 'Host of the server, by name or address' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l port -d 'TCP port of the server [default: 3306]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l user -d 'User to log in as' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l password-file -d 'File with the password; without it, no password is used' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l database -d 'Schema of the tables' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l tls -d 'Encryption of the connections' -r -f -a "off\t'Never'
preferred\t'Over TCP, if the server offers it'
required\t'Always, whatever certificate the server shows'
verify-ca\t'Always; the certificate is signed by --tls-ca-file'
verify-identity\t'As verify-ca, and the certificate names the host'"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l tls-ca-file -d 'PEM file of the authority that signed the server\'s certificate' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l tls-minimum -d 'Oldest TLS version to accept' -r -f -a "1.2\t'TLS 1.2'
1.3\t'TLS 1.3'"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l tls-cert-file -d 'PEM file of the client certificate, for a user that needs one' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l tls-key-file -d 'PEM file of the client certificate\'s private key' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l compression -d 'Compression of the load\'s connections' -r -f -a "off\t'Not at all'
zlib\t'By zlib, which every server knows'"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l path-timeout -d 'Close TCP connections whose data stays unacknowledged this long [default: 10s]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l after -d 'What was done to the tables last: filled (load), or driven by a run (run)' -r -f -a "load\t''
run\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l connections -d 'Connections, each checking one condition at a time' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l check-timeout -d 'Longest time for a query that reads whole tables; after it, the condition is undecided' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l patience -d 'How long to wait for a server that answers no connection' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l tables -d 'Number of tables, sbtest1 and on [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l table-size -l rows -d 'Rows a table [default: 10000]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l range-size -d 'Rows of a range select [default: 100]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l point-selects -d 'Point selects an event [default: 10]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l simple-ranges -d 'Simple range selects an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l sum-ranges -d 'SELECT SUM() ranges an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l order-ranges -d 'SELECT ORDER BY ranges an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l distinct-ranges -d 'SELECT DISTINCT ranges an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l index-updates -d 'UPDATEs of the indexed k an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l non-index-updates -d 'UPDATEs of c an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l delete-inserts -d 'DELETE and INSERT pairs an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l range-selects -d 'Whether events have range selects [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l skip-trx -d 'Leave out BEGIN and COMMIT: each statement commits alone [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l auto-inc -d 'AUTO_INCREMENT ids [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l secondary -d 'A plain key on id instead of the primary key [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l create-secondary -d 'An index on k, made after the rows [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l mysql-storage-engine -l storage-engine -d 'Storage engine of the tables [default: innodb]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l create-table-options -d 'Words that follow at the end of CREATE TABLE [default: none]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l rand-type -d 'Distribution of ids and of k: uniform, gaussian, special, pareto, zipfian [default: special]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l rand-spec-iter -d 'gaussian, special: draws in the mean [default: 12]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l rand-spec-pct -d 'special: width of the hot band, percent of the table [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l rand-spec-res -d 'special: share of the draws in the hot band, percent [default: 75]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l rand-pareto-h -d 'pareto: a share 1-h of the draws in the lowest h [default: 0.2]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l rand-zipfian-exp -d 'zipfian: exponent [default: 0.8]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l random-points -d 'select_random_points: values in the IN list [default: 10]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l number-of-ranges -d 'select_random_ranges: ranges in the query [default: 10]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l delta -d 'select_random_ranges: width of a range [default: 5]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l dialect -d 'TPC-C as whom: standard, sysbench-tpcc, tpcc-mysql, hammerdb [default: standard]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l fidelity -d 'tool: with the tool\'s quirks; fixed: with every quirk repaired [default: tool]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l warehouses -d 'Warehouses (of each table set) [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l scale -d 'sysbench-tpcc: its name for warehouses [default: 100]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l fk -d 'Foreign keys: none; declared, with checks off in every session; enforced [default: none]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l use-fk -d 'sysbench-tpcc: on for fk=declared, off for fk=none [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l force-pk -d 'A numbered primary key for history [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l key-order -d 'tpcc-mysql: reversed puts the number first in primary keys (its schema2) [default: normal]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l partition -d 'hammerdb: order_line in partitions from 200 warehouses on [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l strings -d 'Long texts: random, or one letter repeated as sysbench-tpcc has them [default: random]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l c-load -d 'Constant of the last names in the population; the run\'s is chosen to suit it [default: 123]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l trx-level -d 'sysbench-tpcc: isolation level RR, RC or SER [default: RR]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l splittable -d 'sysbench-tpcc: START TRANSACTION READ WRITE or READ ONLY instead of BEGIN [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l enable-purge -d 'sysbench-tpcc: old orders are deleted, too [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l prepared -d 'hammerdb: its calls prepared in SQL [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l no-stored-procs -d 'hammerdb: statements one by one [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l allwarehouse -d 'hammerdb: each transaction draws one of the user\'s own warehouses [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l keyandthink -d 'standard, hammerdb: keying and thinking time in closed loops [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l calls -d 'standard: statements or stored procedures [default: statements]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l home -d 'standard: whether a user keeps its warehouse (fixed) or draws one each time (any) [default: fixed]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l mix -d 'standard: types from a shuffled deck of 23 cards, or by weights [default: deck]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l weights -d 'standard: of new order, payment, order status, delivery, stock level [default: 45,43,4,4,4]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l delivery -d 'standard: deliveries deferred in a queue, or inline [default: queue]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l startid1 -d 'Lowest id of a node [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l maxid1 -d 'Id above the highest one; use at least 1000001 [default: 10000001]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l link-type-count -d 'Types of links, which share a node\'s links [default: 2]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l data-file -d 'LinkBench\'s Distribution.dat, whose law of links a node then holds to the link; empty: dbdyno\'s curve [default: none]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l dbid -d 'Schema that statements name; the target\'s unless given [default: linkdb]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l id2gen-config -d '1: a user takes only second ids of its own remainder, so that no two meet [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l getlinklist-history -d 'Percent of the list reads that go on behind an earlier one [default: 0.3]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l range-limit -d 'Most links a list read gives [default: 10000]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l addlink -d 'Percent of add_link [default: 8.9886601]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l deletelink -d 'Percent of delete_link [default: 2.9907664]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l updatelink -d 'Percent of update_link [default: 8.0122125]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l countlink -d 'Percent of count_link [default: 4.8863567]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l getlink -d 'Percent of multiget_link [default: 0.5261142]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l getlinklist -d 'Percent of get_link_list [default: 50.7119145]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l addnode -d 'Percent of add_node [default: 2.5732789]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l updatenode -d 'Percent of update_node [default: 7.366437]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l deletenode -d 'Percent of delete_node [default: 1.0115914]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l getnode -d 'Percent of get_node [default: 12.9326683]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l partitions -d 'Partitions of linktable; 0: none [default: 16]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l index-after-load -d 'Make the key id1_type when the rows are in [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l table-compression -d 'none, row-compressed (see key_block_size) or page-compressed (see page_compression) [default: none]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l key-block-size -d 'row-compressed: KiB a page takes [default: 8]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l page-compression -d 'page-compressed: MySQL\'s algorithm; MariaDB\'s is the server\'s innodb_compression_algorithm [default: lz4]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l mysql-bulk-insert-batch -d 'Rows a statement when the tables are filled [default: 1024]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l mysql-disable-binlog-load -d 'Keep the filling out of the binary log [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l step -d 'Step to run: l.i0, l.x, l.i1, l.i2, settle, qr or qp with inserts a second and client (qr100) [default: l.i1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l nr1 -d 'Rows of the load, over all clients; rows means the same [default: 1000000]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l nr2 -d 'Rows of the writes after it, over all clients: four fifths in l.i1, one in l.i2 [default: 100000]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l clients -d 'Clients, each with several connections [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l one-table -d 'All clients on one table, instead of one table each [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l step-seconds -d 'Seconds that a step with queries is made for: its inserts are the rate times this [default: 60]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l settle-seconds -d 'settle: seconds to wait at least; 0: the tool\'s 60 and one for each million of nr1 [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l delete-per-insert -d 'Delete as many rows at the low end of the key as are inserted, after the load [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l query-threads -d 'Connections of each client that query, in qr and qp [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l rows-per-commit -d 'Rows of an insert; 0: the step\'s own, 100, 50 or 5 [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l rows-per-query -d 'Rows that a query asks for [default: 10]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l num-secondary-indexes -d 'Secondary keys that l.x makes [default: 3]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l data-length-min -d 'Shortest data of a row [default: 10]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l data-length-max -d 'Longest data of a row [default: 20]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l data-random-pct -d 'Percent of the data that can\'t be compressed, as the tool counts them [default: 50]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l num-partitions -d 'Range partitions of each table; 0: none [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l rows-per-partition -d 'Keys of a range partition; the last one takes the rest [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l table-name -d 'Name of the tables, which their number follows [default: pi]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l unique-checks -d 'off: sets unique_checks=0 for connections that write (storage engine rocksdb only) [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l bulk-load -d 'l.i0 with rocksdb_bulk_load=1 (storage engine rocksdb only) [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l htap-transaction-seconds -d 'Seconds for which one more connection of each client keeps read views open; 0: none [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l no-password -d 'Log in without a password, even if DBDYNO_PASSWORD_FILE is set'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -l json -d 'Print records, one JSON object per line, instead of text'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand verify" -s V -l version -d 'Print version'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l socket -d 'Unix socket of the server' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l host -d 'Host of the server, by name or address' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l port -d 'TCP port of the server [default: 3306]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l user -d 'User to log in as' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l password-file -d 'File with the password; without it, no password is used' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l database -d 'Schema of the tables' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l tls -d 'Encryption of the connections' -r -f -a "off\t'Never'
preferred\t'Over TCP, if the server offers it'
required\t'Always, whatever certificate the server shows'
verify-ca\t'Always; the certificate is signed by --tls-ca-file'
verify-identity\t'As verify-ca, and the certificate names the host'"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l tls-ca-file -d 'PEM file of the authority that signed the server\'s certificate' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l tls-minimum -d 'Oldest TLS version to accept' -r -f -a "1.2\t'TLS 1.2'
1.3\t'TLS 1.3'"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l tls-cert-file -d 'PEM file of the client certificate, for a user that needs one' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l tls-key-file -d 'PEM file of the client certificate\'s private key' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l compression -d 'Compression of the load\'s connections' -r -f -a "off\t'Not at all'
zlib\t'By zlib, which every server knows'"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l path-timeout -d 'Close TCP connections whose data stays unacknowledged this long [default: 10s]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l events -d 'Events to send, 0 for none' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l protocol -d 'How statements are sent' -r -f -a "prepared\t'Prepared once a connection, then executed by number'
text\t'As text with the values written in'"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l rng -d 'Random number generator' -r -f -a "sysbench\t'sysbench 1.0.20\'s, number by number'
dbdyno\t'dbdyno\'s own'"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l seed -d 'Seed of the random numbers' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l check-timeout -d 'Longest time for a query that reads whole tables' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l patience -d 'How long to wait for a server that answers no connection' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l tables -d 'Number of tables, sbtest1 and on [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l table-size -l rows -d 'Rows a table [default: 10000]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l range-size -d 'Rows of a range select [default: 100]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l point-selects -d 'Point selects an event [default: 10]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l simple-ranges -d 'Simple range selects an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l sum-ranges -d 'SELECT SUM() ranges an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l order-ranges -d 'SELECT ORDER BY ranges an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l distinct-ranges -d 'SELECT DISTINCT ranges an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l index-updates -d 'UPDATEs of the indexed k an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l non-index-updates -d 'UPDATEs of c an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l delete-inserts -d 'DELETE and INSERT pairs an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l range-selects -d 'Whether events have range selects [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l skip-trx -d 'Leave out BEGIN and COMMIT: each statement commits alone [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l auto-inc -d 'AUTO_INCREMENT ids [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l secondary -d 'A plain key on id instead of the primary key [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l create-secondary -d 'An index on k, made after the rows [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l mysql-storage-engine -l storage-engine -d 'Storage engine of the tables [default: innodb]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l create-table-options -d 'Words that follow at the end of CREATE TABLE [default: none]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l rand-type -d 'Distribution of ids and of k: uniform, gaussian, special, pareto, zipfian [default: special]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l rand-spec-iter -d 'gaussian, special: draws in the mean [default: 12]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l rand-spec-pct -d 'special: width of the hot band, percent of the table [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l rand-spec-res -d 'special: share of the draws in the hot band, percent [default: 75]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l rand-pareto-h -d 'pareto: a share 1-h of the draws in the lowest h [default: 0.2]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l rand-zipfian-exp -d 'zipfian: exponent [default: 0.8]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l random-points -d 'select_random_points: values in the IN list [default: 10]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l number-of-ranges -d 'select_random_ranges: ranges in the query [default: 10]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l delta -d 'select_random_ranges: width of a range [default: 5]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l dialect -d 'TPC-C as whom: standard, sysbench-tpcc, tpcc-mysql, hammerdb [default: standard]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l fidelity -d 'tool: with the tool\'s quirks; fixed: with every quirk repaired [default: tool]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l warehouses -d 'Warehouses (of each table set) [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l scale -d 'sysbench-tpcc: its name for warehouses [default: 100]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l fk -d 'Foreign keys: none; declared, with checks off in every session; enforced [default: none]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l use-fk -d 'sysbench-tpcc: on for fk=declared, off for fk=none [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l force-pk -d 'A numbered primary key for history [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l key-order -d 'tpcc-mysql: reversed puts the number first in primary keys (its schema2) [default: normal]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l partition -d 'hammerdb: order_line in partitions from 200 warehouses on [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l strings -d 'Long texts: random, or one letter repeated as sysbench-tpcc has them [default: random]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l c-load -d 'Constant of the last names in the population; the run\'s is chosen to suit it [default: 123]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l trx-level -d 'sysbench-tpcc: isolation level RR, RC or SER [default: RR]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l splittable -d 'sysbench-tpcc: START TRANSACTION READ WRITE or READ ONLY instead of BEGIN [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l enable-purge -d 'sysbench-tpcc: old orders are deleted, too [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l prepared -d 'hammerdb: its calls prepared in SQL [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l no-stored-procs -d 'hammerdb: statements one by one [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l allwarehouse -d 'hammerdb: each transaction draws one of the user\'s own warehouses [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l keyandthink -d 'standard, hammerdb: keying and thinking time in closed loops [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l calls -d 'standard: statements or stored procedures [default: statements]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l home -d 'standard: whether a user keeps its warehouse (fixed) or draws one each time (any) [default: fixed]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l mix -d 'standard: types from a shuffled deck of 23 cards, or by weights [default: deck]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l weights -d 'standard: of new order, payment, order status, delivery, stock level [default: 45,43,4,4,4]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l delivery -d 'standard: deliveries deferred in a queue, or inline [default: queue]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l startid1 -d 'Lowest id of a node [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l maxid1 -d 'Id above the highest one; use at least 1000001 [default: 10000001]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l link-type-count -d 'Types of links, which share a node\'s links [default: 2]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l data-file -d 'LinkBench\'s Distribution.dat, whose law of links a node then holds to the link; empty: dbdyno\'s curve [default: none]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l dbid -d 'Schema that statements name; the target\'s unless given [default: linkdb]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l id2gen-config -d '1: a user takes only second ids of its own remainder, so that no two meet [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l getlinklist-history -d 'Percent of the list reads that go on behind an earlier one [default: 0.3]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l range-limit -d 'Most links a list read gives [default: 10000]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l addlink -d 'Percent of add_link [default: 8.9886601]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l deletelink -d 'Percent of delete_link [default: 2.9907664]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l updatelink -d 'Percent of update_link [default: 8.0122125]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l countlink -d 'Percent of count_link [default: 4.8863567]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l getlink -d 'Percent of multiget_link [default: 0.5261142]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l getlinklist -d 'Percent of get_link_list [default: 50.7119145]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l addnode -d 'Percent of add_node [default: 2.5732789]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l updatenode -d 'Percent of update_node [default: 7.366437]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l deletenode -d 'Percent of delete_node [default: 1.0115914]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l getnode -d 'Percent of get_node [default: 12.9326683]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l partitions -d 'Partitions of linktable; 0: none [default: 16]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l index-after-load -d 'Make the key id1_type when the rows are in [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l table-compression -d 'none, row-compressed (see key_block_size) or page-compressed (see page_compression) [default: none]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l key-block-size -d 'row-compressed: KiB a page takes [default: 8]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l page-compression -d 'page-compressed: MySQL\'s algorithm; MariaDB\'s is the server\'s innodb_compression_algorithm [default: lz4]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l mysql-bulk-insert-batch -d 'Rows a statement when the tables are filled [default: 1024]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l mysql-disable-binlog-load -d 'Keep the filling out of the binary log [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l step -d 'Step to run: l.i0, l.x, l.i1, l.i2, settle, qr or qp with inserts a second and client (qr100) [default: l.i1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l nr1 -d 'Rows of the load, over all clients; rows means the same [default: 1000000]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l nr2 -d 'Rows of the writes after it, over all clients: four fifths in l.i1, one in l.i2 [default: 100000]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l clients -d 'Clients, each with several connections [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l one-table -d 'All clients on one table, instead of one table each [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l step-seconds -d 'Seconds that a step with queries is made for: its inserts are the rate times this [default: 60]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l settle-seconds -d 'settle: seconds to wait at least; 0: the tool\'s 60 and one for each million of nr1 [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l delete-per-insert -d 'Delete as many rows at the low end of the key as are inserted, after the load [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l query-threads -d 'Connections of each client that query, in qr and qp [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l rows-per-commit -d 'Rows of an insert; 0: the step\'s own, 100, 50 or 5 [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l rows-per-query -d 'Rows that a query asks for [default: 10]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l num-secondary-indexes -d 'Secondary keys that l.x makes [default: 3]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l data-length-min -d 'Shortest data of a row [default: 10]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l data-length-max -d 'Longest data of a row [default: 20]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l data-random-pct -d 'Percent of the data that can\'t be compressed, as the tool counts them [default: 50]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l num-partitions -d 'Range partitions of each table; 0: none [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l rows-per-partition -d 'Keys of a range partition; the last one takes the rest [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l table-name -d 'Name of the tables, which their number follows [default: pi]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l unique-checks -d 'off: sets unique_checks=0 for connections that write (storage engine rocksdb only) [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l bulk-load -d 'l.i0 with rocksdb_bulk_load=1 (storage engine rocksdb only) [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l htap-transaction-seconds -d 'Seconds for which one more connection of each client keeps read views open; 0: none [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l no-password -d 'Log in without a password, even if DBDYNO_PASSWORD_FILE is set'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -l json -d 'Print one JSON object instead of text'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand fingerprint" -s V -l version -d 'Print version'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l socket -d 'Unix socket of the server' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l host -d 'Host of the server, by name or address' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l port -d 'TCP port of the server [default: 3306]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l user -d 'User to log in as' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l password-file -d 'File with the password; without it, no password is used' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l database -d 'Schema of the tables' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l tls -d 'Encryption of the connections' -r -f -a "off\t'Never'
preferred\t'Over TCP, if the server offers it'
required\t'Always, whatever certificate the server shows'
verify-ca\t'Always; the certificate is signed by --tls-ca-file'
verify-identity\t'As verify-ca, and the certificate names the host'"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l tls-ca-file -d 'PEM file of the authority that signed the server\'s certificate' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l tls-minimum -d 'Oldest TLS version to accept' -r -f -a "1.2\t'TLS 1.2'
1.3\t'TLS 1.3'"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l tls-cert-file -d 'PEM file of the client certificate, for a user that needs one' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l tls-key-file -d 'PEM file of the client certificate\'s private key' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l compression -d 'Compression of the load\'s connections' -r -f -a "off\t'Not at all'
zlib\t'By zlib, which every server knows'"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l path-timeout -d 'Close TCP connections whose data stays unacknowledged this long [default: 10s]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l ddl-timeout -d 'Longest time for a statement that creates, changes or drops a table' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l patience -d 'How long to wait for a server that answers no connection' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l tables -d 'Number of tables, sbtest1 and on [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l table-size -l rows -d 'Rows a table [default: 10000]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l range-size -d 'Rows of a range select [default: 100]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l point-selects -d 'Point selects an event [default: 10]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l simple-ranges -d 'Simple range selects an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l sum-ranges -d 'SELECT SUM() ranges an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l order-ranges -d 'SELECT ORDER BY ranges an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l distinct-ranges -d 'SELECT DISTINCT ranges an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l index-updates -d 'UPDATEs of the indexed k an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l non-index-updates -d 'UPDATEs of c an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l delete-inserts -d 'DELETE and INSERT pairs an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l range-selects -d 'Whether events have range selects [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l skip-trx -d 'Leave out BEGIN and COMMIT: each statement commits alone [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l auto-inc -d 'AUTO_INCREMENT ids [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l secondary -d 'A plain key on id instead of the primary key [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l create-secondary -d 'An index on k, made after the rows [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l mysql-storage-engine -l storage-engine -d 'Storage engine of the tables [default: innodb]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l create-table-options -d 'Words that follow at the end of CREATE TABLE [default: none]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l rand-type -d 'Distribution of ids and of k: uniform, gaussian, special, pareto, zipfian [default: special]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l rand-spec-iter -d 'gaussian, special: draws in the mean [default: 12]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l rand-spec-pct -d 'special: width of the hot band, percent of the table [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l rand-spec-res -d 'special: share of the draws in the hot band, percent [default: 75]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l rand-pareto-h -d 'pareto: a share 1-h of the draws in the lowest h [default: 0.2]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l rand-zipfian-exp -d 'zipfian: exponent [default: 0.8]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l random-points -d 'select_random_points: values in the IN list [default: 10]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l number-of-ranges -d 'select_random_ranges: ranges in the query [default: 10]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l delta -d 'select_random_ranges: width of a range [default: 5]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l dialect -d 'TPC-C as whom: standard, sysbench-tpcc, tpcc-mysql, hammerdb [default: standard]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l fidelity -d 'tool: with the tool\'s quirks; fixed: with every quirk repaired [default: tool]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l warehouses -d 'Warehouses (of each table set) [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l scale -d 'sysbench-tpcc: its name for warehouses [default: 100]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l fk -d 'Foreign keys: none; declared, with checks off in every session; enforced [default: none]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l use-fk -d 'sysbench-tpcc: on for fk=declared, off for fk=none [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l force-pk -d 'A numbered primary key for history [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l key-order -d 'tpcc-mysql: reversed puts the number first in primary keys (its schema2) [default: normal]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l partition -d 'hammerdb: order_line in partitions from 200 warehouses on [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l strings -d 'Long texts: random, or one letter repeated as sysbench-tpcc has them [default: random]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l c-load -d 'Constant of the last names in the population; the run\'s is chosen to suit it [default: 123]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l trx-level -d 'sysbench-tpcc: isolation level RR, RC or SER [default: RR]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l splittable -d 'sysbench-tpcc: START TRANSACTION READ WRITE or READ ONLY instead of BEGIN [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l enable-purge -d 'sysbench-tpcc: old orders are deleted, too [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l prepared -d 'hammerdb: its calls prepared in SQL [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l no-stored-procs -d 'hammerdb: statements one by one [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l allwarehouse -d 'hammerdb: each transaction draws one of the user\'s own warehouses [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l keyandthink -d 'standard, hammerdb: keying and thinking time in closed loops [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l calls -d 'standard: statements or stored procedures [default: statements]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l home -d 'standard: whether a user keeps its warehouse (fixed) or draws one each time (any) [default: fixed]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l mix -d 'standard: types from a shuffled deck of 23 cards, or by weights [default: deck]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l weights -d 'standard: of new order, payment, order status, delivery, stock level [default: 45,43,4,4,4]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l delivery -d 'standard: deliveries deferred in a queue, or inline [default: queue]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l startid1 -d 'Lowest id of a node [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l maxid1 -d 'Id above the highest one; use at least 1000001 [default: 10000001]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l link-type-count -d 'Types of links, which share a node\'s links [default: 2]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l data-file -d 'LinkBench\'s Distribution.dat, whose law of links a node then holds to the link; empty: dbdyno\'s curve [default: none]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l dbid -d 'Schema that statements name; the target\'s unless given [default: linkdb]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l id2gen-config -d '1: a user takes only second ids of its own remainder, so that no two meet [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l getlinklist-history -d 'Percent of the list reads that go on behind an earlier one [default: 0.3]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l range-limit -d 'Most links a list read gives [default: 10000]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l addlink -d 'Percent of add_link [default: 8.9886601]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l deletelink -d 'Percent of delete_link [default: 2.9907664]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l updatelink -d 'Percent of update_link [default: 8.0122125]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l countlink -d 'Percent of count_link [default: 4.8863567]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l getlink -d 'Percent of multiget_link [default: 0.5261142]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l getlinklist -d 'Percent of get_link_list [default: 50.7119145]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l addnode -d 'Percent of add_node [default: 2.5732789]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l updatenode -d 'Percent of update_node [default: 7.366437]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l deletenode -d 'Percent of delete_node [default: 1.0115914]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l getnode -d 'Percent of get_node [default: 12.9326683]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l partitions -d 'Partitions of linktable; 0: none [default: 16]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l index-after-load -d 'Make the key id1_type when the rows are in [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l table-compression -d 'none, row-compressed (see key_block_size) or page-compressed (see page_compression) [default: none]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l key-block-size -d 'row-compressed: KiB a page takes [default: 8]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l page-compression -d 'page-compressed: MySQL\'s algorithm; MariaDB\'s is the server\'s innodb_compression_algorithm [default: lz4]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l mysql-bulk-insert-batch -d 'Rows a statement when the tables are filled [default: 1024]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l mysql-disable-binlog-load -d 'Keep the filling out of the binary log [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l step -d 'Step to run: l.i0, l.x, l.i1, l.i2, settle, qr or qp with inserts a second and client (qr100) [default: l.i1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l nr1 -d 'Rows of the load, over all clients; rows means the same [default: 1000000]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l nr2 -d 'Rows of the writes after it, over all clients: four fifths in l.i1, one in l.i2 [default: 100000]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l clients -d 'Clients, each with several connections [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l one-table -d 'All clients on one table, instead of one table each [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l step-seconds -d 'Seconds that a step with queries is made for: its inserts are the rate times this [default: 60]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l settle-seconds -d 'settle: seconds to wait at least; 0: the tool\'s 60 and one for each million of nr1 [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l delete-per-insert -d 'Delete as many rows at the low end of the key as are inserted, after the load [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l query-threads -d 'Connections of each client that query, in qr and qp [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l rows-per-commit -d 'Rows of an insert; 0: the step\'s own, 100, 50 or 5 [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l rows-per-query -d 'Rows that a query asks for [default: 10]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l num-secondary-indexes -d 'Secondary keys that l.x makes [default: 3]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l data-length-min -d 'Shortest data of a row [default: 10]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l data-length-max -d 'Longest data of a row [default: 20]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l data-random-pct -d 'Percent of the data that can\'t be compressed, as the tool counts them [default: 50]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l num-partitions -d 'Range partitions of each table; 0: none [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l rows-per-partition -d 'Keys of a range partition; the last one takes the rest [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l table-name -d 'Name of the tables, which their number follows [default: pi]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l unique-checks -d 'off: sets unique_checks=0 for connections that write (storage engine rocksdb only) [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l bulk-load -d 'l.i0 with rocksdb_bulk_load=1 (storage engine rocksdb only) [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l htap-transaction-seconds -d 'Seconds for which one more connection of each client keeps read views open; 0: none [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -l no-password -d 'Log in without a password, even if DBDYNO_PASSWORD_FILE is set'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand cleanup" -s V -l version -d 'Print version'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand script" -l set -d 'Option of the script; may be given several times' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand script" -l socket -d 'Unix socket of the server' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand script" -l host -d 'Host of the server, by name or address' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand script" -l port -d 'TCP port of the server [default: 3306]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand script" -l user -d 'User to log in as' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand script" -l password-file -d 'File with the password; without it, no password is used' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand script" -l database -d 'Schema of the tables' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand script" -l tls -d 'Encryption of the connections' -r -f -a "off\t'Never'
preferred\t'Over TCP, if the server offers it'
required\t'Always, whatever certificate the server shows'
verify-ca\t'Always; the certificate is signed by --tls-ca-file'
verify-identity\t'As verify-ca, and the certificate names the host'"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand script" -l tls-ca-file -d 'PEM file of the authority that signed the server\'s certificate' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand script" -l tls-minimum -d 'Oldest TLS version to accept' -r -f -a "1.2\t'TLS 1.2'
1.3\t'TLS 1.3'"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand script" -l tls-cert-file -d 'PEM file of the client certificate, for a user that needs one' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand script" -l tls-key-file -d 'PEM file of the client certificate\'s private key' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand script" -l compression -d 'Compression of the load\'s connections' -r -f -a "off\t'Not at all'
zlib\t'By zlib, which every server knows'"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand script" -l path-timeout -d 'Close TCP connections whose data stays unacknowledged this long [default: 10s]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand script" -l threads -d 'Users, each with one event in flight' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand script" -l time -d 'How long to start new events, such as 60s; 0 for no limit' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand script" -l events -d 'Events of all users together, 0 for no limit' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand script" -l rate -d 'Events that arrive per second; 0: each user starts its next event when the previous one is done' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand script" -l ignore-errors -d 'Error codes after which an event is repeated, or all' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand script" -l answer-timeout -d 'Longest wait for any byte of a statement\'s answer; `none` waits for ever' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand script" -l seed -d 'Seed of the random numbers, 0 for the current time' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand script" -l workers -d 'Operating system threads that drive the users' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand script" -l dialect -d 'sysbench version that the script was written for: 1.0 or 1.1' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand script" -l fixes -d 'Improvements on sysbench: all, none, or names separated by commas' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand script" -l option -d 'Any other option of sysbench\'s form except those of the server, such as --option=--histogram' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand script" -l report-interval -d 'Time between progress lines, 0 for none' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand script" -l json-lines -d 'Write records to this file, - for standard output' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand script" -l no-password -d 'Log in without a password, even if DBDYNO_PASSWORD_FILE is set'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand script" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand script" -s V -l version -d 'Print version'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l concurrency -d 'Number of connections that drive the workload' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l rng -d 'Random number generator' -r -f -a "sysbench\t'sysbench 1.0.20\'s, number by number'
dbdyno\t'dbdyno\'s own'"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l seed -d 'Seed of the random numbers' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l tables -d 'Number of tables, sbtest1 and on [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l table-size -l rows -d 'Rows a table [default: 10000]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l range-size -d 'Rows of a range select [default: 100]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l point-selects -d 'Point selects an event [default: 10]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l simple-ranges -d 'Simple range selects an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l sum-ranges -d 'SELECT SUM() ranges an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l order-ranges -d 'SELECT ORDER BY ranges an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l distinct-ranges -d 'SELECT DISTINCT ranges an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l index-updates -d 'UPDATEs of the indexed k an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l non-index-updates -d 'UPDATEs of c an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l delete-inserts -d 'DELETE and INSERT pairs an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l range-selects -d 'Whether events have range selects [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l skip-trx -d 'Leave out BEGIN and COMMIT: each statement commits alone [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l auto-inc -d 'AUTO_INCREMENT ids [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l secondary -d 'A plain key on id instead of the primary key [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l create-secondary -d 'An index on k, made after the rows [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l mysql-storage-engine -l storage-engine -d 'Storage engine of the tables [default: innodb]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l create-table-options -d 'Words that follow at the end of CREATE TABLE [default: none]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l rand-type -d 'Distribution of ids and of k: uniform, gaussian, special, pareto, zipfian [default: special]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l rand-spec-iter -d 'gaussian, special: draws in the mean [default: 12]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l rand-spec-pct -d 'special: width of the hot band, percent of the table [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l rand-spec-res -d 'special: share of the draws in the hot band, percent [default: 75]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l rand-pareto-h -d 'pareto: a share 1-h of the draws in the lowest h [default: 0.2]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l rand-zipfian-exp -d 'zipfian: exponent [default: 0.8]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l random-points -d 'select_random_points: values in the IN list [default: 10]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l number-of-ranges -d 'select_random_ranges: ranges in the query [default: 10]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l delta -d 'select_random_ranges: width of a range [default: 5]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l dialect -d 'TPC-C as whom: standard, sysbench-tpcc, tpcc-mysql, hammerdb [default: standard]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l fidelity -d 'tool: with the tool\'s quirks; fixed: with every quirk repaired [default: tool]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l warehouses -d 'Warehouses (of each table set) [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l scale -d 'sysbench-tpcc: its name for warehouses [default: 100]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l fk -d 'Foreign keys: none; declared, with checks off in every session; enforced [default: none]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l use-fk -d 'sysbench-tpcc: on for fk=declared, off for fk=none [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l force-pk -d 'A numbered primary key for history [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l key-order -d 'tpcc-mysql: reversed puts the number first in primary keys (its schema2) [default: normal]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l partition -d 'hammerdb: order_line in partitions from 200 warehouses on [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l strings -d 'Long texts: random, or one letter repeated as sysbench-tpcc has them [default: random]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l c-load -d 'Constant of the last names in the population; the run\'s is chosen to suit it [default: 123]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l trx-level -d 'sysbench-tpcc: isolation level RR, RC or SER [default: RR]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l splittable -d 'sysbench-tpcc: START TRANSACTION READ WRITE or READ ONLY instead of BEGIN [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l enable-purge -d 'sysbench-tpcc: old orders are deleted, too [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l prepared -d 'hammerdb: its calls prepared in SQL [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l no-stored-procs -d 'hammerdb: statements one by one [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l allwarehouse -d 'hammerdb: each transaction draws one of the user\'s own warehouses [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l keyandthink -d 'standard, hammerdb: keying and thinking time in closed loops [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l calls -d 'standard: statements or stored procedures [default: statements]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l home -d 'standard: whether a user keeps its warehouse (fixed) or draws one each time (any) [default: fixed]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l mix -d 'standard: types from a shuffled deck of 23 cards, or by weights [default: deck]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l weights -d 'standard: of new order, payment, order status, delivery, stock level [default: 45,43,4,4,4]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l delivery -d 'standard: deliveries deferred in a queue, or inline [default: queue]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l startid1 -d 'Lowest id of a node [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l maxid1 -d 'Id above the highest one; use at least 1000001 [default: 10000001]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l link-type-count -d 'Types of links, which share a node\'s links [default: 2]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l data-file -d 'LinkBench\'s Distribution.dat, whose law of links a node then holds to the link; empty: dbdyno\'s curve [default: none]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l dbid -d 'Schema that statements name; the target\'s unless given [default: linkdb]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l id2gen-config -d '1: a user takes only second ids of its own remainder, so that no two meet [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l getlinklist-history -d 'Percent of the list reads that go on behind an earlier one [default: 0.3]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l range-limit -d 'Most links a list read gives [default: 10000]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l addlink -d 'Percent of add_link [default: 8.9886601]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l deletelink -d 'Percent of delete_link [default: 2.9907664]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l updatelink -d 'Percent of update_link [default: 8.0122125]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l countlink -d 'Percent of count_link [default: 4.8863567]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l getlink -d 'Percent of multiget_link [default: 0.5261142]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l getlinklist -d 'Percent of get_link_list [default: 50.7119145]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l addnode -d 'Percent of add_node [default: 2.5732789]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l updatenode -d 'Percent of update_node [default: 7.366437]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l deletenode -d 'Percent of delete_node [default: 1.0115914]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l getnode -d 'Percent of get_node [default: 12.9326683]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l partitions -d 'Partitions of linktable; 0: none [default: 16]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l index-after-load -d 'Make the key id1_type when the rows are in [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l table-compression -d 'none, row-compressed (see key_block_size) or page-compressed (see page_compression) [default: none]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l key-block-size -d 'row-compressed: KiB a page takes [default: 8]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l page-compression -d 'page-compressed: MySQL\'s algorithm; MariaDB\'s is the server\'s innodb_compression_algorithm [default: lz4]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l mysql-bulk-insert-batch -d 'Rows a statement when the tables are filled [default: 1024]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l mysql-disable-binlog-load -d 'Keep the filling out of the binary log [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l step -d 'Step to run: l.i0, l.x, l.i1, l.i2, settle, qr or qp with inserts a second and client (qr100) [default: l.i1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l nr1 -d 'Rows of the load, over all clients; rows means the same [default: 1000000]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l nr2 -d 'Rows of the writes after it, over all clients: four fifths in l.i1, one in l.i2 [default: 100000]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l clients -d 'Clients, each with several connections [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l one-table -d 'All clients on one table, instead of one table each [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l step-seconds -d 'Seconds that a step with queries is made for: its inserts are the rate times this [default: 60]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l settle-seconds -d 'settle: seconds to wait at least; 0: the tool\'s 60 and one for each million of nr1 [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l delete-per-insert -d 'Delete as many rows at the low end of the key as are inserted, after the load [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l query-threads -d 'Connections of each client that query, in qr and qp [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l rows-per-commit -d 'Rows of an insert; 0: the step\'s own, 100, 50 or 5 [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l rows-per-query -d 'Rows that a query asks for [default: 10]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l num-secondary-indexes -d 'Secondary keys that l.x makes [default: 3]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l data-length-min -d 'Shortest data of a row [default: 10]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l data-length-max -d 'Longest data of a row [default: 20]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l data-random-pct -d 'Percent of the data that can\'t be compressed, as the tool counts them [default: 50]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l num-partitions -d 'Range partitions of each table; 0: none [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l rows-per-partition -d 'Keys of a range partition; the last one takes the rest [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l table-name -d 'Name of the tables, which their number follows [default: pi]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l unique-checks -d 'off: sets unique_checks=0 for connections that write (storage engine rocksdb only) [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l bulk-load -d 'l.i0 with rocksdb_bulk_load=1 (storage engine rocksdb only) [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l htap-transaction-seconds -d 'Seconds for which one more connection of each client keeps read views open; 0: none [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -l json -d 'Print one JSON object instead of text'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand workloads" -s V -l version -d 'Print version'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand quirks" -l json -d 'Print one JSON object instead of text'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand quirks" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand quirks" -s V -l version -d 'Print version'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l distribution -d 'Print numbers of a distribution instead: uniform, gaussian, special, pareto[:H], zipfian[:EXPONENT], unique' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l seed -d 'Seed of the random numbers' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l worker -d 'Worker whose random numbers are used, counted from 1' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l rng -d 'Random number generator: sysbench\'s, number by number, or dbdyno\'s own' -r -f -a "sysbench\t'sysbench 1.0.20\'s generator on glibc'
dbdyno\t'dbdyno\'s own'"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l events -d 'Events to print' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l command -d 'What to print: the statements that fill the tables, the events, or those that drop the tables' -r -f -a "prepare\t'Create and fill the tables'
run\t'Send events'
cleanup\t'Drop the tables'"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l protocol -d 'How statements are sent: prepared (auto) or as text (disable)' -r -f -a "prepared\t'Prepared once, then executed'
text\t'As text with the values written in'"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l concurrency -d 'Total number of workers; some workloads divide a table among them [default: as many as --worker]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l range -d 'Lowest and highest number to draw [default: 1:1000]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l count -d 'Numbers to draw' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l tables -d 'Number of tables, sbtest1 and on [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l table-size -l rows -d 'Rows a table [default: 10000]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l range-size -d 'Rows of a range select [default: 100]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l point-selects -d 'Point selects an event [default: 10]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l simple-ranges -d 'Simple range selects an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l sum-ranges -d 'SELECT SUM() ranges an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l order-ranges -d 'SELECT ORDER BY ranges an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l distinct-ranges -d 'SELECT DISTINCT ranges an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l index-updates -d 'UPDATEs of the indexed k an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l non-index-updates -d 'UPDATEs of c an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l delete-inserts -d 'DELETE and INSERT pairs an event [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l range-selects -d 'Whether events have range selects [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l skip-trx -d 'Leave out BEGIN and COMMIT: each statement commits alone [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l auto-inc -d 'AUTO_INCREMENT ids [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l secondary -d 'A plain key on id instead of the primary key [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l create-secondary -d 'An index on k, made after the rows [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l mysql-storage-engine -l storage-engine -d 'Storage engine of the tables [default: innodb]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l create-table-options -d 'Words that follow at the end of CREATE TABLE [default: none]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l rand-type -d 'Distribution of ids and of k: uniform, gaussian, special, pareto, zipfian [default: special]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l rand-spec-iter -d 'gaussian, special: draws in the mean [default: 12]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l rand-spec-pct -d 'special: width of the hot band, percent of the table [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l rand-spec-res -d 'special: share of the draws in the hot band, percent [default: 75]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l rand-pareto-h -d 'pareto: a share 1-h of the draws in the lowest h [default: 0.2]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l rand-zipfian-exp -d 'zipfian: exponent [default: 0.8]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l random-points -d 'select_random_points: values in the IN list [default: 10]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l number-of-ranges -d 'select_random_ranges: ranges in the query [default: 10]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l delta -d 'select_random_ranges: width of a range [default: 5]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l dialect -d 'TPC-C as whom: standard, sysbench-tpcc, tpcc-mysql, hammerdb [default: standard]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l fidelity -d 'tool: with the tool\'s quirks; fixed: with every quirk repaired [default: tool]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l warehouses -d 'Warehouses (of each table set) [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l scale -d 'sysbench-tpcc: its name for warehouses [default: 100]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l fk -d 'Foreign keys: none; declared, with checks off in every session; enforced [default: none]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l use-fk -d 'sysbench-tpcc: on for fk=declared, off for fk=none [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l force-pk -d 'A numbered primary key for history [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l key-order -d 'tpcc-mysql: reversed puts the number first in primary keys (its schema2) [default: normal]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l partition -d 'hammerdb: order_line in partitions from 200 warehouses on [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l strings -d 'Long texts: random, or one letter repeated as sysbench-tpcc has them [default: random]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l c-load -d 'Constant of the last names in the population; the run\'s is chosen to suit it [default: 123]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l trx-level -d 'sysbench-tpcc: isolation level RR, RC or SER [default: RR]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l splittable -d 'sysbench-tpcc: START TRANSACTION READ WRITE or READ ONLY instead of BEGIN [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l enable-purge -d 'sysbench-tpcc: old orders are deleted, too [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l prepared -d 'hammerdb: its calls prepared in SQL [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l no-stored-procs -d 'hammerdb: statements one by one [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l allwarehouse -d 'hammerdb: each transaction draws one of the user\'s own warehouses [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l keyandthink -d 'standard, hammerdb: keying and thinking time in closed loops [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l calls -d 'standard: statements or stored procedures [default: statements]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l home -d 'standard: whether a user keeps its warehouse (fixed) or draws one each time (any) [default: fixed]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l mix -d 'standard: types from a shuffled deck of 23 cards, or by weights [default: deck]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l weights -d 'standard: of new order, payment, order status, delivery, stock level [default: 45,43,4,4,4]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l delivery -d 'standard: deliveries deferred in a queue, or inline [default: queue]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l startid1 -d 'Lowest id of a node [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l maxid1 -d 'Id above the highest one; use at least 1000001 [default: 10000001]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l link-type-count -d 'Types of links, which share a node\'s links [default: 2]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l data-file -d 'LinkBench\'s Distribution.dat, whose law of links a node then holds to the link; empty: dbdyno\'s curve [default: none]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l dbid -d 'Schema that statements name; the target\'s unless given [default: linkdb]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l id2gen-config -d '1: a user takes only second ids of its own remainder, so that no two meet [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l getlinklist-history -d 'Percent of the list reads that go on behind an earlier one [default: 0.3]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l range-limit -d 'Most links a list read gives [default: 10000]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l addlink -d 'Percent of add_link [default: 8.9886601]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l deletelink -d 'Percent of delete_link [default: 2.9907664]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l updatelink -d 'Percent of update_link [default: 8.0122125]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l countlink -d 'Percent of count_link [default: 4.8863567]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l getlink -d 'Percent of multiget_link [default: 0.5261142]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l getlinklist -d 'Percent of get_link_list [default: 50.7119145]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l addnode -d 'Percent of add_node [default: 2.5732789]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l updatenode -d 'Percent of update_node [default: 7.366437]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l deletenode -d 'Percent of delete_node [default: 1.0115914]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l getnode -d 'Percent of get_node [default: 12.9326683]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l partitions -d 'Partitions of linktable; 0: none [default: 16]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l index-after-load -d 'Make the key id1_type when the rows are in [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l table-compression -d 'none, row-compressed (see key_block_size) or page-compressed (see page_compression) [default: none]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l key-block-size -d 'row-compressed: KiB a page takes [default: 8]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l page-compression -d 'page-compressed: MySQL\'s algorithm; MariaDB\'s is the server\'s innodb_compression_algorithm [default: lz4]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l mysql-bulk-insert-batch -d 'Rows a statement when the tables are filled [default: 1024]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l mysql-disable-binlog-load -d 'Keep the filling out of the binary log [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l step -d 'Step to run: l.i0, l.x, l.i1, l.i2, settle, qr or qp with inserts a second and client (qr100) [default: l.i1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l nr1 -d 'Rows of the load, over all clients; rows means the same [default: 1000000]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l nr2 -d 'Rows of the writes after it, over all clients: four fifths in l.i1, one in l.i2 [default: 100000]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l clients -d 'Clients, each with several connections [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l one-table -d 'All clients on one table, instead of one table each [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l step-seconds -d 'Seconds that a step with queries is made for: its inserts are the rate times this [default: 60]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l settle-seconds -d 'settle: seconds to wait at least; 0: the tool\'s 60 and one for each million of nr1 [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l delete-per-insert -d 'Delete as many rows at the low end of the key as are inserted, after the load [default: off]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l query-threads -d 'Connections of each client that query, in qr and qp [default: 1]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l rows-per-commit -d 'Rows of an insert; 0: the step\'s own, 100, 50 or 5 [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l rows-per-query -d 'Rows that a query asks for [default: 10]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l num-secondary-indexes -d 'Secondary keys that l.x makes [default: 3]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l data-length-min -d 'Shortest data of a row [default: 10]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l data-length-max -d 'Longest data of a row [default: 20]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l data-random-pct -d 'Percent of the data that can\'t be compressed, as the tool counts them [default: 50]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l num-partitions -d 'Range partitions of each table; 0: none [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l rows-per-partition -d 'Keys of a range partition; the last one takes the rest [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l table-name -d 'Name of the tables, which their number follows [default: pi]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l unique-checks -d 'off: sets unique_checks=0 for connections that write (storage engine rocksdb only) [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l bulk-load -d 'l.i0 with rocksdb_bulk_load=1 (storage engine rocksdb only) [default: on]' -r -f -a "on\t''
off\t''
true\t''
false\t''
1\t''
0\t''"
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l htap-transaction-seconds -d 'Seconds for which one more connection of each client keeps read views open; 0: none [default: 0]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l digest -d 'Print a SHA-256 of the statements in --events events of each user instead, as `run --digest` does'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -l json -d 'Print one JSON list instead of lines'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand sample" -s V -l version -d 'Print version'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand threads" -l server-pid -d 'Process id of the server' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand threads" -l client-pid -d 'Process id of the client; threads that serve its connections count as sessions [default: clients on other hosts]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand threads" -l start-ns -d 'Start of second 0, in ns of the monotonic clock [default: now]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand threads" -l seconds -d 'End after this many seconds [default: at a signal, or when the server or the client ends]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand threads" -l rate -d 'Samples of each session thread per second' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand threads" -l sites -d 'JSON file of known wait sites, learned by provoking waits' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand threads" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand threads" -s V -l version -d 'Print version'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand agent" -l home -d 'Folder of engines, snapshots and runs on this host' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand agent" -l session -d 'Name of the session: letters, digits and hyphens' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand agent" -l lease -d 'End the session after this long without a lab' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand agent" -l lab -d 'Description of the lab, for people who look at this host' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand agent" -l resume -d 'Continue an existing session; never start one'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand agent" -l daemon -d 'Serve the session itself, without standard streams'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand agent" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand agent" -s V -l version -d 'Print version'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand null-server" -l socket -d 'Unix domain socket to create' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand null-server" -l listen -d 'TCP address; port 0 for any that is free' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand null-server" -l backlog -d 'Connections that may wait to be accepted' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand null-server" -l workers -d 'Serving threads' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand null-server" -l server-version -d 'Server version to report to clients' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand null-server" -l auth -d 'Authentication method; every password is accepted' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand null-server" -l stall -d 'Send no reply for a part of each period, such as 100ms/1s' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand null-server" -l freeze -d 'Send no reply from 40 s to 50 s after the epoch: 40s+10s' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand null-server" -l delay -d 'Time from a statement to its reply' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand null-server" -l errors -d 'Error codes and how often to send them: 1213:3%,1205:1% or 1213:every=100' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand null-server" -l errors-on -d 'Statements that get errors: any, a kind such as commit or point_select, or how their text begins' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand null-server" -l drop -d 'Close the connection instead of answering: 0.1% or every=1000 statements' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand null-server" -l refuse -d 'Refuse connections: 40s+10s with error 1040, or reset@40s+10s, or closed@40s+10s' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand null-server" -l capacity -d 'Serve at most this many statements per second, one by one' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand null-server" -l max-prepared -d 'Keep at most this many prepared statements over all connections; more fail with error 1461' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand null-server" -l epoch -d 'Time from which the faults count: first-statement of a load, start, or CLOCK_MONOTONIC in ns' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand null-server" -l seed -d 'Seed of random faults and delays' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand null-server" -l serve -d 'End after this time [default: at SIGTERM or Ctrl-C]' -r
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand null-server" -l log -d 'Write one line per statement: arrived_ns,replied_ns,connection,kind,code' -r -F
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand null-server" -l anyone -d 'Allow addresses other than loopback; anybody who reaches it can log in'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand null-server" -l no-deprecate-eof -d 'Send EOF packets after column definitions, as before CLIENT_DEPRECATE_EOF'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand null-server" -l stats -d 'Print statistics as a JSON line at the end, with exact quantiles (8 bytes of memory per statement)'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand null-server" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand null-server" -s V -l version -d 'Print version'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand help; and not __fish_seen_subcommand_from run search merge populate verify fingerprint cleanup script workloads quirks sample threads agent null-server help" -f -a "run" -d 'Drive a workload and report each second'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand help; and not __fish_seen_subcommand_from run search merge populate verify fingerprint cleanup script workloads quirks sample threads agent null-server help" -f -a "search" -d 'Find the highest rate that keeps response times below a bound'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand help; and not __fish_seen_subcommand_from run search merge populate verify fingerprint cleanup script workloads quirks sample threads agent null-server help" -f -a "merge" -d 'Merge the records of several load hosts into that of one client'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand help; and not __fish_seen_subcommand_from run search merge populate verify fingerprint cleanup script workloads quirks sample threads agent null-server help" -f -a "populate" -d 'Create and fill a workload\'s tables'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand help; and not __fish_seen_subcommand_from run search merge populate verify fingerprint cleanup script workloads quirks sample threads agent null-server help" -f -a "verify" -d 'Check that a workload\'s tables are consistent with each other'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand help; and not __fish_seen_subcommand_from run search merge populate verify fingerprint cleanup script workloads quirks sample threads agent null-server help" -f -a "fingerprint" -d 'Send the same events to a server, one by one, and checksum its tables'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand help; and not __fish_seen_subcommand_from run search merge populate verify fingerprint cleanup script workloads quirks sample threads agent null-server help" -f -a "cleanup" -d 'Drop a workload\'s tables'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand help; and not __fish_seen_subcommand_from run search merge populate verify fingerprint cleanup script workloads quirks sample threads agent null-server help" -f -a "script" -d 'Run a sysbench script or builtin, without sysbench\'s silent failures'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand help; and not __fish_seen_subcommand_from run search merge populate verify fingerprint cleanup script workloads quirks sample threads agent null-server help" -f -a "workloads" -d 'List the workloads and their options, or describe one of them'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand help; and not __fish_seen_subcommand_from run search merge populate verify fingerprint cleanup script workloads quirks sample threads agent null-server help" -f -a "quirks" -d 'List the quirks of the imitated tools and what each does'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand help; and not __fish_seen_subcommand_from run search merge populate verify fingerprint cleanup script workloads quirks sample threads agent null-server help" -f -a "sample" -d 'Print what a workload would send, without a server'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand help; and not __fish_seen_subcommand_from run search merge populate verify fingerprint cleanup script workloads quirks sample threads agent null-server help" -f -a "threads" -d 'Watch what the session threads of a server do and wait for'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand help; and not __fish_seen_subcommand_from run search merge populate verify fingerprint cleanup script workloads quirks sample threads agent null-server help" -f -a "agent" -d 'Serve a lab that runs on another machine'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand help; and not __fish_seen_subcommand_from run search merge populate verify fingerprint cleanup script workloads quirks sample threads agent null-server help" -f -a "null-server" -d 'Serve the MySQL protocol without doing any work, with faults on request'
complete -c dbdyno-load -n "__fish_dbdyno_load_using_subcommand help; and not __fish_seen_subcommand_from run search merge populate verify fingerprint cleanup script workloads quirks sample threads agent null-server help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
