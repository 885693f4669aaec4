#!/usr/bin/env bash
# Repeats cells of a study with sysbench 1.0.20: the same servers, option files, rows and connections.
#
#   check-with-sysbench.sh CELLS.tsv [PROGRAM..] >TPS.tsv
#
# Run it where the servers of the study ran, as that user. A line of CELLS.tsv, separated by tabs: name of the run, script of
# sysbench, threads, snapshot, option file of the run, command of the server. A line of TPS.tsv: the run, a program, and its
# mean over five seconds. The first program on a server warms it up for eight seconds, each further one for two. The default
# program is sysbench; dbdyno-load takes the same words, so both can be compared within seconds on one server. DBDYNO_HOME is
# the `home` of the study's host. As root, servers run as the owner of their snapshots.
set -euo pipefail
cells=$1 && shift
programs=("${@:-sysbench}")
home=${DBDYNO_HOME:-$HOME/.cache/dbdyno}
snapshots=$home/snapshots
work=$home/sysbench-check
window=5 port=43217

stop() { [ -z "${pid:-}" ] || { kill "$pid" && wait "$pid"; } 2>/dev/null || true; pid=; }
trap stop EXIT

start() { # snapshot, option file, command
    rm -rf "$work" && mkdir -p "$work/tmp"
    cp -a "$snapshots/$1/data" "$work/data"
    owner=$(stat -c %U "$work/data") && chown -R "$owner" "$work"
    sed -E -e "s#^datadir = .*#datadir = $work/data#" -e "s#^tmpdir = .*#tmpdir = $work/tmp#" -e "s#^port = .*#port = $port#" \
        -e "s#^socket = .*#socket = $work/s.sock#" -e "s#^pid_file = .*#pid_file = $work/pid#" \
        -e "s#^log_error = .*#log_error = $work/error.log#" -e "s#[^ ]*/run/[^/]*/s[0-9]*/data#$work/data#" "$2" >"$work/server.cnf"
    # A session of its own, as dbdyno and systemd give a server: Linux shares out processors among sessions (autogroup).
    # shellcheck disable=SC2086 # the command has several words
    setsid $3 --defaults-file="$work/server.cnf" --user="$owner" >"$work/output" 2>&1 &
    pid=$!
    for _ in $(seq 300); do
        (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && return
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.1
    done
    tail -n 5 "$work/error.log" "$work/output" >&2
    return 1
}

drive() { # program, script, threads, seconds of warm-up
    "$1" --config-file="$work/sysbench.cnf" "$2" --mysql-host=127.0.0.1 --mysql-port=$port --mysql-db=dbdyno_sbtest \
        --tables=4 --table-size=180000 --rand-type=uniform --threads="$3" --time=$(($4 + window)) \
        --report-interval=1 run </dev/null >"$work/sysbench.log" 2>&1 || { tail -n 5 "$work/sysbench.log" >&2; return 1; }
    awk -v first=$(($4 + 1)) -v last=$(($4 + window)) \
        '/^\[ *[0-9]+s \]/ { second = $2 + 0; if (second >= first && second <= last) { sum += $7; n++ } }
         END { printf "%.2f", sum / n }' "$work/sysbench.log"
}

while IFS=$'\t' read -r run script threads snapshot options command; do
    start "$snapshot" "$options" "$command"
    # In a file, as arguments are seen by everybody.
    jq -r '"mysql-user=dbdyno\nmysql-password=" + .load' "$snapshots/$snapshot/data.credentials" >"$work/sysbench.cnf"
    warm_up=8
    for program in "${programs[@]}"; do
        tps=$(drive "$program" "$script" "$threads" "$warm_up")
        printf '%s\t%s\t%s\n' "$run" "$(basename "$program")" "$tps"
        warm_up=2
    done
    stop
done <"$cells"
rm -rf "$work"
