//! Names a wait by the functions that led to it.
//!
//! Two tables serve: functions whose names the server's symbol tables hold, and return addresses that were learned by
//! provoking each wait once on the same build ([`ProbedSite`]), for builds that hide the names of their storage engine.

use crate::wait_class::WaitClass;

/// A return address that leads to waits of one class only, in one build of a program or library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbedSite {
    /// The linker's mark of the build.
    pub build_id: String,
    /// Address within the file's own numbering.
    pub address: u64,
    /// What waits there.
    pub class: WaitClass,
}

/// A frame of a stack: where it is, and the function if its name is known.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame<'a> {
    pub(crate) build_id: &'a str,
    pub(crate) address: u64,
    pub(crate) function: Option<&'a str>,
}

/// Parts of names of functions, as the linker knows them. The rules are tried in order, each on the whole stack: a
/// latch that is waited for while the redo log is written is part of writing it.
const RULES: &[(WaitClass, &[&str])] = &[
    (WaitClass::Sleep, &["Item_func_sleep"]),
    (
        WaitClass::UserLock,
        &["Item_func_get_lock", "Global_read_lock", "Backup_lock"],
    ),
    (
        WaitClass::RowLock,
        &[
            "lock_wait_suspend_thread",
            "lock_wait_for",
            "PointLockManager",
            "row_lock_wait",
        ],
    ),
    (
        WaitClass::RedoSpace,
        &["log_free_check", "log_checkpoint_margin"],
    ),
    (
        WaitClass::WriteStall,
        &["DelayWrite", "ThrottleLowPriWrites", "WriteBufferManager"],
    ),
    (
        WaitClass::RedoFlush,
        &[
            "log_write_up_to",
            "log_wait_for_flush",
            "log_wait_for_write",
            // MySQL: room in the log buffer, which comes when the log is written.
            "log_wait_for_space_in_log_buf",
            "log_wait_for_space_after_reserving",
            "log_buffer_flush",
            "trx_flush_log",
            "JoinBatchGroup",
            "AwaitState",
            "FlushWAL",
            "SyncWAL",
            "WriteToWAL",
            // MariaDB commits asynchronously: before the answer is sent the session waits for the redo log. A wait for
            // the network would be a system call on a socket.
            "net_real_write",
        ],
    ),
    (
        WaitClass::FreePage,
        &["buf_LRU_get_free", "buf_flush_single_page", "buf_LRU_scan"],
    ),
    (WaitClass::Admission, &["srv_conc_", "thd_wait_begin"]),
    (
        WaitClass::MetadataLock,
        &[
            "8MDL_wait",
            "11MDL_context",
            "thr_multi_lock",
            "mysql_lock_tables",
        ],
    ),
    (
        WaitClass::CommitOrder,
        &[
            "MYSQL_BIN_LOG",
            "Commit_stage_manager",
            "Commit_order_manager",
            "wait_for_commit",
            "ordered_commit",
        ],
    ),
    (
        WaitClass::DataRead,
        &["buf_read_page", "buf_wait_for_read", "fil_io"],
    ),
    (
        WaitClass::Latch,
        &[
            "sync_array",
            "rw_lock",
            "Mutex",
            "mutex",
            "srw_lock",
            "buf_page_get",
        ],
    ),
];

/// Returns the class of a wait; `None`: not named.
pub(crate) fn class_of(frames: &[Frame<'_>], probed: &[ProbedSite]) -> Option<WaitClass> {
    let learned = frames.iter().find_map(|frame| {
        let is_here =
            |site: &&ProbedSite| site.address == frame.address && site.build_id == frame.build_id;
        probed.iter().find(is_here).map(|site| site.class)
    });
    learned.or_else(|| {
        let names: Vec<&str> = frames.iter().filter_map(|frame| frame.function).collect();
        let leads = |parts: &[&str]| {
            names
                .iter()
                .any(|name| parts.iter().any(|part| name.contains(part)))
        };
        RULES
            .iter()
            .find(|(_, parts)| leads(parts))
            .map(|(class, _)| *class)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(functions: &[&'static str]) -> Option<WaitClass> {
        let frames: Vec<_> = functions
            .iter()
            .map(|&function| Frame {
                build_id: "b1",
                address: 1,
                function: Some(function),
            })
            .collect();
        class_of(&frames, &[])
    }

    #[test]
    fn the_most_telling_function_of_a_stack_names_the_wait() {
        let get_lock = [
            "_ZN8MDL_wait10timed_waitE",
            "_ZN18Item_func_get_lock7val_intEv",
        ];
        assert_eq!(named(&get_lock), Some(WaitClass::UserLock));
        let metadata = ["_ZN8MDL_wait10timed_waitE", "_Z10open_tableP3THD"];
        assert_eq!(named(&metadata), Some(WaitClass::MetadataLock));
        let redo = [
            "_ZN8os_event4waitE",
            "_Z15log_write_up_to",
            "_ZN13MYSQL_BIN_LOG",
        ];
        assert_eq!(named(&redo), Some(WaitClass::RedoFlush));
        assert_eq!(named(&["_Z16dispatch_commandP3THD"]), None);
    }

    #[test]
    fn room_in_the_log_buffer_is_a_wait_for_writing_it_and_not_for_a_checkpoint() {
        let buffer = [
            "_ZL34log_wait_for_space_after_reservingR5log_t",
            "_ZN5mtr_t7Command7executeEv",
        ];
        assert_eq!(named(&buffer), Some(WaitClass::RedoFlush));
        let checkpoint = ["_Z19log_free_check_waitR5log_t", "_Z14log_free_checkv"];
        assert_eq!(named(&checkpoint), Some(WaitClass::RedoSpace));
    }

    #[test]
    fn a_learned_address_of_the_same_build_comes_first() {
        let site = ProbedSite {
            build_id: "b1".to_owned(),
            address: 7,
            class: WaitClass::RowLock,
        };
        let frame = |build_id, address| Frame {
            build_id,
            address,
            function: None,
        };
        let probed = [site];
        assert_eq!(
            class_of(&[frame("b1", 3), frame("b1", 7)], &probed),
            Some(WaitClass::RowLock)
        );
        assert_eq!(class_of(&[frame("b2", 7)], &probed), None);
    }
}
