//! Measures the disk space of the tables on the server, and checks whether the requested compression shows
//! there: a server may accept a table's definition and still write its pages as before.

use super::condition_checker::Verdict;
use crate::record::{ConditionLine, TableSpace};
use dbdyno_wire::{QueryResult, Session, WireError};
use dbdyno_workload::Compression;

/// InnoDB's files, by the list's name in MySQL since 8.0, and by its older one, which MariaDB keeps.
const TABLESPACES: [&str; 2] = ["INNODB_TABLESPACES", "INNODB_SYS_TABLESPACES"];
/// Files count as having holes if they take less than this share of their length.
const LENGTH_WITH_HOLES: f64 = 0.95;

/// Measures the space of each table. Unreadable values are left out: a user may lack the right (PROCESS), a storage
/// engine the files.
pub(super) fn measure(
    session: &mut Session,
    tables: &[String],
) -> Result<Vec<TableSpace>, WireError> {
    // MySQL would answer from its cache, up to a day old; others don't have the variable.
    match session.query("SET SESSION information_schema_stats_expiry = 0") {
        Err(error) if error.is_connection_lost() => return Err(error),
        _ => {}
    }
    let list = tables.join("', '");
    let sql = format!(
        "SELECT table_name, data_length, index_length FROM information_schema.tables \
         WHERE table_schema = DATABASE() AND table_name IN ('{list}')"
    );
    let estimates = session.select_columns(&sql, 3)?;
    let mut spaces: Vec<TableSpace> = tables
        .iter()
        .map(|name| estimated(name, &estimates))
        .collect();
    if let Some(files) = TABLESPACES.iter().find_map(|view| {
        let sql = format!(
            "SELECT * FROM information_schema.{view} WHERE name LIKE CONCAT(DATABASE(), '/%')"
        );
        session.select(&sql).ok()
    }) {
        add_files(&mut spaces, &files);
    }
    Ok(spaces)
}

/// Has the server write its dirty pages, so that the disk shows the tables' real size. A user without the right to do
/// so measures without. Returns whether it was done.
pub(super) fn write_out(session: &mut Session, tables: &[String]) -> bool {
    let sql = format!("FLUSH TABLES {} FOR EXPORT", tables.join(", "));
    session.query(&sql).is_ok() && session.query("UNLOCK TABLES").is_ok()
}

fn estimated(name: &str, estimates: &QueryResult) -> TableSpace {
    let row = estimates
        .rows
        .iter()
        .find(|row| text(row.first()).is_some_and(|found| found.eq_ignore_ascii_case(name)));
    let number = |place: usize| row.and_then(|row| text(row.get(place))?.parse().ok());
    TableSpace {
        name: name.to_owned(),
        data_bytes: number(1).unwrap_or(0),
        index_bytes: number(2).unwrap_or(0),
        ..TableSpace::default()
    }
}

/// Adds up the files of a table: each of its partitions has one.
fn add_files(spaces: &mut [TableSpace], files: &QueryResult) {
    let place = |wanted: &str| {
        let mut names = files.columns.iter();
        names.position(|name| name.eq_ignore_ascii_case(wanted))
    };
    let (name, page, zip) = (place("NAME"), place("PAGE_SIZE"), place("ZIP_PAGE_SIZE"));
    let (length, allocated) = (place("FILE_SIZE"), place("ALLOCATED_SIZE"));
    for row in &files.rows {
        let number = |place: Option<usize>| text(row.get(place?))?.parse::<u64>().ok();
        let Some(table) = name.and_then(|place| text(row.get(place))).map(table_of) else {
            continue;
        };
        let mut same = spaces.iter_mut();
        let Some(space) = same.find(|space| space.name.eq_ignore_ascii_case(table)) else {
            continue;
        };
        add(&mut space.file_bytes, number(length));
        add(&mut space.allocated_bytes, number(allocated));
        let packed = number(zip).filter(|&bytes| bytes > 0);
        space.page_bytes = packed.or_else(|| number(page));
    }
}

fn add(sum: &mut Option<u64>, more: Option<u64>) {
    if let Some(more) = more {
        *sum = Some(sum.unwrap_or(0) + more);
    }
}

/// Returns the table of a file: `schema/linktable#p#p0` holds a part of `linktable`.
fn table_of(file: &str) -> &str {
    let name = file.rsplit('/').next().unwrap_or(file);
    name.split('#').next().unwrap_or(name)
}

fn text(value: Option<&Option<Vec<u8>>>) -> Option<&str> {
    std::str::from_utf8(value?.as_deref()?).ok()
}

/// Returns whether the compression shows on the disk. An unreadable value is reported and proves nothing; nor do files
/// without holes while pages may still be in memory.
pub(super) fn judge(
    compression: Compression,
    spaces: &[TableSpace],
    is_written_out: bool,
) -> (Verdict, ConditionLine) {
    let (meaning, wrong) = match compression {
        Compression::SmallPages(bytes) => (
            format!("pages on disk have {bytes} bytes"),
            other_pages(spaces, u64::from(bytes)),
        ),
        Compression::Holes => (
            "files take less disk space than their length".to_owned(),
            without_holes(spaces),
        ),
    };
    let (verdict, status) = match &wrong {
        Some(wrong) if wrong.is_empty() => (Verdict::Holds, "holds"),
        Some(_) if is_written_out || compression != Compression::Holes => {
            (Verdict::Broken, "broken")
        }
        Some(_) | None => (Verdict::NotRequired, "told"),
    };
    let shown = wrong.unwrap_or_else(|| spaces.iter().collect());
    let first_rows: Vec<_> = match verdict {
        Verdict::Holds => Vec::new(),
        _ => shown.into_iter().map(row_of).collect(),
    };
    let line = ConditionLine {
        record: "condition",
        name: "compression_on_disk".to_owned(),
        meaning,
        status,
        required: verdict != Verdict::NotRequired,
        quirks: "",
        rows: first_rows.len(),
        has_more_rows: false,
        first_rows,
        elapsed_ns: 0,
        sql: format!(
            "SELECT * FROM information_schema.{}",
            TABLESPACES.join(" or ")
        ),
    };
    (verdict, line)
}

/// Returns tables whose pages have another size; `None` if the server reports none.
fn other_pages(spaces: &[TableSpace], bytes: u64) -> Option<Vec<&TableSpace>> {
    let is_known = spaces.iter().all(|space| space.page_bytes.is_some());
    let others = spaces
        .iter()
        .filter(|space| space.page_bytes != Some(bytes));
    is_known.then(|| others.collect())
}

/// Returns all tables, if their files together have no holes: small ones never have any.
fn without_holes(spaces: &[TableSpace]) -> Option<Vec<&TableSpace>> {
    let sum = |of: fn(&TableSpace) -> Option<u64>| spaces.iter().map(of).sum::<Option<u64>>();
    let (length, allocated) = (
        sum(|space| space.file_bytes)?,
        sum(|space| space.allocated_bytes)?,
    );
    let has_holes = (allocated as f64) < LENGTH_WITH_HOLES * length as f64;
    Some(if has_holes {
        Vec::new()
    } else {
        spaces.iter().collect()
    })
}

/// Formats name, length of the files, space they take, bytes of a page.
fn row_of(space: &TableSpace) -> Vec<Option<String>> {
    let number = |number: Option<u64>| number.map(|number| number.to_string());
    vec![
        Some(space.name.clone()),
        number(space.file_bytes),
        number(space.allocated_bytes),
        number(space.page_bytes),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(columns: &[&str], rows: &[&[&str]]) -> QueryResult {
        let value = |value: &&str| Some(value.as_bytes().to_vec());
        QueryResult {
            columns: columns.iter().map(|&name| name.to_owned()).collect(),
            rows: rows
                .iter()
                .map(|row| row.iter().map(value).collect())
                .collect(),
            ..QueryResult::default()
        }
    }

    fn of(name: &str, files: &QueryResult) -> TableSpace {
        let mut spaces = vec![estimated(name, &result(&[], &[]))];
        add_files(&mut spaces, files);
        spaces.remove(0)
    }

    #[test]
    fn partitions_of_a_table_are_added_up_in_each_familys_columns() {
        let mysql = result(
            &[
                "NAME",
                "PAGE_SIZE",
                "ZIP_PAGE_SIZE",
                "FILE_SIZE",
                "ALLOCATED_SIZE",
            ],
            &[
                &["s/linktable#p#p0", "16384", "8192", "100", "60"],
                &["s/linktable#p#p1", "16384", "8192", "100", "50"],
                &["s/nodetable", "16384", "0", "7", "7"],
            ],
        );
        let links = of("linktable", &mysql);
        assert_eq!(
            (links.file_bytes, links.allocated_bytes),
            (Some(200), Some(110))
        );
        assert_eq!(links.page_bytes, Some(8192));
        assert_eq!(of("nodetable", &mysql).page_bytes, Some(16384));
        let mariadb = result(
            &["SPACE", "NAME", "PAGE_SIZE", "FILE_SIZE", "ALLOCATED_SIZE"],
            &[&["9", "s/linktable#P#p0", "4096", "100", "100"]],
        );
        assert_eq!(of("linktable", &mariadb).page_bytes, Some(4096));
        assert_eq!(of("another", &mariadb), of("another", &result(&[], &[])));
    }

    fn space(file: Option<u64>, allocated: Option<u64>, page: Option<u64>) -> TableSpace {
        TableSpace {
            name: "linktable".to_owned(),
            file_bytes: file,
            allocated_bytes: allocated,
            page_bytes: page,
            ..TableSpace::default()
        }
    }

    #[test]
    fn compression_is_judged_by_what_is_on_the_disk() {
        let status = |compression, space: TableSpace| judge(compression, &[space], true).1.status;
        let small = Compression::SmallPages(8192);
        assert_eq!(status(small, space(None, None, Some(8192))), "holds");
        assert_eq!(status(small, space(None, None, Some(16384))), "broken");
        assert_eq!(status(small, space(Some(1), Some(1), None)), "told");
        let holes = Compression::Holes;
        assert_eq!(status(holes, space(Some(1000), Some(600), None)), "holds");
        assert_eq!(status(holes, space(Some(1000), Some(990), None)), "broken");
        assert_eq!(status(holes, space(Some(1000), None, None)), "told");
        let full = [space(Some(1000), Some(990), None)];
        let (_, line) = judge(holes, &full, true);
        assert_eq!((line.rows, line.required), (1, true));
        assert_eq!(judge(holes, &full, false).1.status, "told");
    }
}
