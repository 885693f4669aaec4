# Runs HammerDB's own timed TPROC-C driver without its windows, and prints how many transactions it did.
#
# usage: tclsh hammerdb.tcl DIRECTORY USERS SECONDS OPTION VALUE ...
#
# DIRECTORY is a checkout of HammerDB. OPTION is one of its own (mysql_socket, mysql_user, ...; config/mysql.xml has
# their defaults); mysql_password_file names a file, since a password in an argument could be read by others. Needs the
# Tcl packages Thread and mysqltcl (TCLLIBPATH tells Tcl where they are).
#
# HammerDB writes its driver into an editor window and gives that text to its virtual users, one thread each. Here a
# command collects the text, and the threads below are the virtual users. The first of them is HammerDB's monitor, which
# only measures; as in its replica mode it has nothing to do.

package require Thread

lassign $argv directory users seconds
set options [lrange $argv 3 end]

proc read_file {path} {
    set file [open $path]
    set text [read $file]
    close $file
    return $text
}

proc settings {directory options} {
    foreach {- name value} [regexp -all -inline {<(mysql_\w+)>([^<]*)</} [read_file $directory/config/mysql.xml]] {
        dict set all $name $value
    }
    set all [dict merge $all $options]
    if {[dict exists $all mysql_password_file]} {
        dict set all mysql_pass [string trim [read_file [dict get $all mysql_password_file]]]
    }
    return $all
}

# The commands of HammerDB's editor that the driver is written with.
set driver ""
proc .ed_mainFrame.mainwin.textFrame.left.text {command position text} {
    if {$command ne "fastinsert" || $position ne "end"} {error "the driver is edited: $command $position"}
    append ::driver $text
}
proc .ed_mainFrame.notebook {args} {}
proc ed_edit_clear {} {}

set dbdict {mysql {library mysqltcl}}
set opmode Replica
set quote_passwords 0
set mysql_ssl_options { -ssl false }
set configmysql [dict create tpcc [settings $directory $options]]
source $directory/src/generic/gentpcc.tcl
source $directory/src/mysql/mysqloltp.tcl
loadtimedmysqltpcc

tsv::set application abort 0
tsv::set application themaster [thread::id]
for {set user 0} {$user <= $users} {incr user} {
    set thread [thread::create]
    thread::send $thread [list set auto_path $auto_path]
    thread::send $thread [list ::tcl::tm::path add $directory/modules]
    thread::send $thread {proc puts {args} {}}
    thread::send $thread {set it 0}
    lappend threads $thread
}
foreach thread $threads {thread::send -async $thread $driver ended($thread)}
after [expr {$seconds * 1000}] {set over 1}
vwait over
tsv::set application abort 1
set events 0
foreach thread $threads {
    if {![info exists ended($thread)]} {vwait ended($thread)}
    if {$ended($thread) ne "" && [string match *rror* $ended($thread)]} {puts stderr $ended($thread)}
    incr events [thread::send $thread {set it}]
}
puts "events: $events"
