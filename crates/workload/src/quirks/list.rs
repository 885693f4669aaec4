//! Holds the quirks themselves, in rising order within a tool.

use super::{Quirk, imitated, not_imitated};

const SYSBENCH: &[&str] = &["sysbench"];
const SYSBENCH_TPCC: &[&str] = &["tpcc/sysbench-tpcc"];
const TPCC_MYSQL: &[&str] = &["tpcc/tpcc-mysql"];
const HAMMERDB: &[&str] = &["tpcc/hammerdb"];
const LINKBENCH: &[&str] = &["linkbench"];
const INSERT_BENCHMARK: &[&str] = &["insert-benchmark"];

/// The `when` of most quirks.
const TOOL: &str = "fidelity = tool";

pub(super) const QUIRKS: &[Quirk] = &[
    imitated(
        "Q-SB-1",
        SYSBENCH,
        "rand_type = special",
        "The default distribution of row ids is `special` in sysbench 1.0.20 and `uniform` in its master branch. \
         Published results often do not say which.",
        "sysbench 1.0.20, src/sb_rand.c; read",
    ),
    imitated(
        "Q-SB-2",
        SYSBENCH,
        "rand_type = special",
        "The hot band of `special` is 0.75 % of the table instead of the 1 % that was asked for, because a draw is \
         used twice.",
        "sysbench 1.0.20, src/sb_rand.c; read",
    ),
    not_imitated(
        "Q-SB-3",
        SYSBENCH,
        "dbdyno uses the rule of 1.0.20",
        "In the master branch every `gaussian` draw returns the lowest id, because an option that was removed is \
         read as 0.",
        "sysbench master (3ceba0b), src/sb_rand.c; seen by running its generator",
    ),
    imitated(
        "Q-SB-4",
        SYSBENCH,
        "rng = sysbench",
        "Loaded rows and unique ids do not depend on the seed: their generator is seeded before `--rand-seed` is \
         read. In Debian 12's package they differ from run to run.",
        "sysbench 1.0.20, src/sb_rand.c and src/sysbench.c; read, and seen in both builds",
    ),
    imitated(
        "Q-SB-5",
        SYSBENCH,
        "always",
        "After an ignored error the event starts again with new random values and without ROLLBACK. It counts \
         once, and its time includes the failed attempts.",
        "sysbench 1.0.20, src/lua/oltp_common.lua; read",
    ),
    imitated(
        "Q-SB-6",
        SYSBENCH,
        "always",
        "A statement that changes no row counts as `other`, even if it is an UPDATE or a DELETE.",
        "sysbench 1.0.20, src/drivers/mysql/drv_mysql.c; recorded",
    ),
    imitated(
        "Q-SB-7",
        SYSBENCH,
        "skip_trx = on with delete_inserts above 0",
        "Outside transactions two workers can meet on one id, so the second INSERT fails with a duplicate key \
         (error 1062).",
        "sysbench 1.0.20, src/lua/oltp_common.lua; recorded",
    ),
    imitated(
        "Q-ST-1",
        SYSBENCH_TPCC,
        TOOL,
        "No order and no payment touches another warehouse: the loop that should choose another one always ends at \
         the home warehouse. The dialect has no conflicts across warehouses.",
        "sysbench-tpcc (585e2b8), tpcc_run.lua; recorded",
    ),
    imitated(
        "Q-ST-2",
        SYSBENCH_TPCC,
        TOOL,
        "Items and customers are drawn almost uniformly: the constant of NURand is drawn again at every call. The \
         most frequent item is 1.18 times as frequent as in a uniform draw, instead of 195 times.",
        "sysbench-tpcc (585e2b8), tpcc_common.lua; recorded, and seen by running the function",
    ),
    imitated(
        "Q-ST-3",
        SYSBENCH_TPCC,
        TOOL,
        "Order status reads the lines of a wrong order, always one of orders 1 to 10 of the district.",
        "sysbench-tpcc (585e2b8), tpcc_run.lua; recorded",
    ),
    imitated(
        "Q-ST-4",
        SYSBENCH_TPCC,
        "strings = repeated",
        "Long strings repeat one letter. Engines with compression look smaller and faster than with real text.",
        "sysbench-tpcc (585e2b8), tpcc_common.lua; recorded",
    ),
    imitated(
        "Q-ST-5",
        SYSBENCH_TPCC,
        TOOL,
        "The intended rollback of 1 % of the new orders comes one line early, counts as an ignored error, and \
         still counts as a transaction.",
        "sysbench-tpcc (585e2b8), tpcc_run.lua; recorded",
    ),
    imitated(
        "Q-ST-6",
        SYSBENCH_TPCC,
        TOOL,
        "The amount of an order line is written as a whole number; the fraction is cut off.",
        "sysbench-tpcc (585e2b8), tpcc_run.lua; recorded",
    ),
    imitated(
        "Q-ST-7",
        SYSBENCH_TPCC,
        TOOL,
        "A search by last name takes row n/2 + 1 (n made even first) instead of the middle row.",
        "sysbench-tpcc (585e2b8), tpcc_run.lua; recorded",
    ),
    imitated(
        "Q-ST-8",
        SYSBENCH_TPCC,
        TOOL,
        "After an error the event starts again with a new transaction type, so long transactions that fail often \
         are too rare in the final mix.",
        "sysbench-tpcc (585e2b8), tpcc.lua; read",
    ),
    not_imitated(
        "Q-TM-1",
        TPCC_MYSQL,
        "dbdyno judges response times in seconds",
        "The tool compares milliseconds with limits in seconds: 5 ms already count as late for a new order.",
        "tpcc-mysql (1ec1c5e), src/driver.c; recorded",
    ),
    not_imitated(
        "Q-TM-2",
        TPCC_MYSQL,
        "dbdyno's histogram has at most 0.1 % error",
        "The tool's percentiles show everything under 1 ms as 1 ms, and cover new orders only.",
        "tpcc-mysql (1ec1c5e), src/main.c; read",
    ),
    imitated(
        "Q-TM-3",
        TPCC_MYSQL,
        TOOL,
        "The constant of NURand is not kept, so the draw of an item reuses the number drawn before it. The most \
         frequent item gets 0.051 % of the draws instead of 0.195 %. The outcome depends on the compiler; dbdyno \
         imitates gcc 12.",
        "tpcc-mysql (1ec1c5e), src/support.c; recorded",
    ),
    imitated(
        "Q-TM-4",
        TPCC_MYSQL,
        TOOL,
        "Order status by name ignores the customer that was found and goes on with another one, drawn before.",
        "tpcc-mysql (1ec1c5e), src/ordstat.c; recorded",
    ),
    imitated(
        "Q-TM-5",
        TPCC_MYSQL,
        TOOL,
        "Payment of a customer with bad credit writes the old c_data back instead of the new one.",
        "tpcc-mysql (1ec1c5e), src/payment.c; recorded",
    ),
    imitated(
        "Q-TM-6",
        TPCC_MYSQL,
        TOOL,
        "Delivery reads without a lock: two deliveries of one warehouse can take the same order and pay its amount \
         twice.",
        "tpcc-mysql (1ec1c5e), src/delivery.c; read",
    ),
    imitated(
        "Q-TM-7",
        TPCC_MYSQL,
        TOOL,
        "Payment never updates c_ytd_payment, so consistency condition 12 breaks after the first payment.",
        "tpcc-mysql (1ec1c5e), src/payment.c; recorded",
    ),
    imitated(
        "Q-TM-8",
        TPCC_MYSQL,
        TOOL,
        "Money is sent as 32-bit floating point: 781.04 becomes 781.0399780273438, and a balance above 131,072.00 \
         can lose a cent with each payment.",
        "tpcc-mysql (1ec1c5e), src/payment.c; recorded",
    ),
    not_imitated(
        "Q-TM-9",
        TPCC_MYSQL,
        "each connection of dbdyno has its own generator",
        "All threads of the tool share one random generator behind a lock, which limits the client above a few \
         hundred connections.",
        "tpcc-mysql (1ec1c5e), src/support.c; read",
    ),
    imitated(
        "Q-TM-10",
        TPCC_MYSQL,
        TOOL,
        "More rows than intended hold the word \"original\", 19 % of stock instead of 10 %, because an array is not \
         cleared. The outcome depends on compiler and machine; dbdyno uses 10 % for items and 19 % for stock.",
        "tpcc-mysql (1ec1c5e), src/load.c; recorded",
    ),
    imitated(
        "Q-HD-1",
        HAMMERDB,
        TOOL,
        "The loaded orders do not go to each customer once: about half of the customers have no order, and the last \
         ones have several.",
        "HammerDB (5725747), mysqloltp.tcl and mariaoltp.tcl; recorded",
    ),
    imitated(
        "Q-HD-2",
        HAMMERDB,
        TOOL,
        "Amounts are the wrong way round: delivered order lines cost 0 to 100, undelivered ones nothing. \
         Consistency conditions 10 and 12 do not hold even after loading.",
        "HammerDB (5725747), mysqloltp.tcl and mariaoltp.tcl; recorded",
    ),
    imitated(
        "Q-HD-3",
        HAMMERDB,
        TOOL,
        "Stock is read without a lock and written as a value, so two orders of one item can lose an update.",
        "HammerDB (5725747), mysqloltp.tcl and mariaoltp.tcl; read",
    ),
    imitated(
        "Q-HD-4",
        HAMMERDB,
        TOOL,
        "Payment adds the amount to the customer's balance; the standard subtracts it.",
        "HammerDB (5725747), mysqloltp.tcl and mariaoltp.tcl; recorded",
    ),
    imitated(
        "Q-HD-5",
        HAMMERDB,
        "fidelity = tool with stored procedures",
        "Delivery of a district without new orders goes on with the order number of the district before, and two \
         deliveries can take the same order.",
        "HammerDB (5725747), mysqloltp.tcl and mariaoltp.tcl; read",
    ),
    imitated(
        "Q-HD-6",
        HAMMERDB,
        TOOL,
        "c_delivery_cnt and c_ytd_payment are never updated.",
        "HammerDB (5725747), mysqloltp.tcl and mariaoltp.tcl; recorded",
    ),
    imitated(
        "Q-HD-7",
        HAMMERDB,
        "fidelity = tool with stored procedures",
        "A search by last name takes row n/2 + 1 (n made even first) instead of the middle row.",
        "HammerDB (5725747), mysqloltp.tcl and mariaoltp.tcl; read",
    ),
    imitated(
        "Q-HD-8",
        HAMMERDB,
        "fidelity = tool with no_stored_procs = on",
        "Without procedures payment takes row n/2 + 1 of the customers found and writes names of variables into \
         c_data, order status ignores the number of the customer found, and delivery stops at the first empty district.",
        "HammerDB (5725747), mysqloltp.tcl and mariaoltp.tcl; read",
    ),
    imitated(
        "Q-HD-9",
        HAMMERDB,
        TOOL,
        "Items and customers are drawn uniformly; the standard asks for NURand's skew.",
        "HammerDB (5725747), mysqloltp.tcl and mariaoltp.tcl; recorded",
    ),
    imitated(
        "Q-HD-10",
        HAMMERDB,
        TOOL,
        "Payment of a customer with bad credit cuts c_data too short, so long texts shrink with each payment.",
        "HammerDB (5725747), mysqloltp.tcl and mariaoltp.tcl; recorded",
    ),
    imitated(
        "Q-HD-11",
        HAMMERDB,
        TOOL,
        "No ROLLBACK follows an error. What the server has not undone itself is committed by the next START \
         TRANSACTION; on MyRocks that is all but the failed statement.",
        "HammerDB (5725747), mysqloltp.tcl and mariaoltp.tcl; read, and seen on MyRocks",
    ),
    imitated(
        "Q-HD-12",
        HAMMERDB,
        "fidelity = tool with warehouses = 1",
        "With one warehouse, o_all_local says of one line in a hundred that another warehouse supplies it.",
        "HammerDB (5725747), mysqloltp.tcl and mariaoltp.tcl; read",
    ),
    imitated(
        "Q-LB-1",
        LINKBENCH,
        TOOL,
        "Each node gets one or two links more than the distribution says: 5,249,370 instead of 4,975,697 with \
         1,000,000 ids.",
        "LinkBench (ac67d54), LinkBenchLoad; recorded",
    ),
    imitated(
        "Q-LB-2",
        LINKBENCH,
        TOOL,
        "One node always gets 961,963 links, so a small graph is almost a single list. Use 1,000,000 ids or more.",
        "LinkBench (ac67d54), RealDistribution; recorded",
    ),
    imitated(
        "Q-LB-3",
        LINKBENCH,
        "always",
        "The setting `motif_length` is ignored; the repeated part of the data always has 512 bytes.",
        "LinkBench (ac67d54), MotifDataGenerator; read",
    ),
    not_imitated(
        "Q-LB-4",
        LINKBENCH,
        "dbdyno times them and keeps them as a type",
        "The response time of a list read that continues an earlier one is booked as 0.",
        "LinkBench (ac67d54), LinkBenchRequest; read",
    ),
    imitated(
        "Q-LB-5",
        LINKBENCH,
        TOOL,
        "The settings `write_uncorr_*` are never read, so link writes choose their nodes as link reads do.",
        "LinkBench (ac67d54), LinkBenchRequest; recorded",
    ),
    imitated(
        "Q-LB-6",
        LINKBENCH,
        TOOL,
        "A request for several links asks for one more than intended: 3.6 on average instead of 2.6.",
        "LinkBench (ac67d54), LinkBenchRequest; recorded",
    ),
    imitated(
        "Q-LB-7",
        LINKBENCH,
        TOOL,
        "No ROLLBACK precedes the repeat after a lock wait timeout (error 1205), so the stored count of a node's \
         links can end up wrong by one.",
        "LinkBench (ac67d54), LinkStoreMysql; recorded",
    ),
    not_imitated(
        "Q-LB-8",
        LINKBENCH,
        "dbdyno writes its own records",
        "In the tool's `csvstream` file the column sampleDuration_us holds milliseconds, and DELETE_LINK is \
         missing.",
        "LinkBench (ac67d54), SampledStats; recorded",
    ),
    not_imitated(
        "Q-LB-9",
        LINKBENCH,
        "dbdyno's rate begins with the first request",
        "The tool's requests per second include the time in which its workers connect: 2,830 instead of 3,428 in a \
         run of 6 seconds.",
        "LinkBench (ac67d54), LinkBenchDriver; recorded",
    ),
    imitated(
        "Q-IB-1",
        INSERT_BENCHMARK,
        "fidelity = tool in steps with point queries",
        "Point queries draw ids from 0 up until the step deletes rows itself, so they also ask for rows that \
         earlier steps deleted.",
        "iibench.py (e1ba3d9); recorded",
    ),
    not_imitated(
        "Q-IB-2",
        INSERT_BENCHMARK,
        "dbdyno repeats transient errors and counts them",
        "On Python 3 the error handler itself fails: the worker process ends, nothing is counted, and the client \
         reports 0 rows/s from then on.",
        "iibench.py (e1ba3d9); recorded",
    ),
    not_imitated(
        "Q-IB-3",
        INSERT_BENCHMARK,
        "dbdyno's seed decides the rows",
        "The `seed` option has no effect: each worker process seeds itself again.",
        "iibench.py (e1ba3d9); recorded",
    ),
];
