//! Creates the tables, to the byte as sysbench 1.0.20 writes them.

use super::OltpOptions;

/// Returns CREATE TABLE for table `number`, from 1.
pub(crate) fn create_table(number: u32, options: &OltpOptions) -> String {
    let id = if options.auto_inc {
        "INTEGER NOT NULL AUTO_INCREMENT"
    } else {
        "INTEGER NOT NULL"
    };
    let key = if options.secondary {
        "KEY xid"
    } else {
        "PRIMARY KEY"
    };
    let (engine, more) = (&options.mysql_storage_engine, &options.create_table_options);
    format!(
        "CREATE TABLE sbtest{number}(\n  id {id},\n  k INTEGER DEFAULT '0' NOT NULL,\n  \
         c CHAR(120) DEFAULT '' NOT NULL,\n  pad CHAR(60) DEFAULT '' NOT NULL,\n  {key} (id)\n) \
         /*! ENGINE = {engine} */ {more}"
    )
}

/// Returns CREATE INDEX on k, for when the rows are in.
pub(crate) fn create_index(number: u32) -> String {
    format!("CREATE INDEX k_{number} ON sbtest{number}(k)")
}

/// Returns DROP TABLE, whether it exists or not.
pub(crate) fn drop_table(number: u32) -> String {
    format!("DROP TABLE IF EXISTS sbtest{number}")
}

#[cfg(test)]
mod tests {
    use super::create_table;
    use crate::oltp::OltpOptions;

    #[test]
    fn the_table_is_made_as_sysbench_makes_it() {
        let expected = "CREATE TABLE sbtest3(\n  id INTEGER NOT NULL AUTO_INCREMENT,\n  \
                        k INTEGER DEFAULT '0' NOT NULL,\n  c CHAR(120) DEFAULT '' NOT NULL,\n  \
                        pad CHAR(60) DEFAULT '' NOT NULL,\n  PRIMARY KEY (id)\n) /*! ENGINE = innodb */ ";
        assert_eq!(create_table(3, &OltpOptions::default()), expected);
    }

    #[test]
    fn options_change_the_id_the_key_the_engine_and_the_end() {
        let options = OltpOptions {
            auto_inc: false,
            secondary: true,
            mysql_storage_engine: "rocksdb".to_owned(),
            create_table_options: "COMPRESSION='zlib'".to_owned(),
            ..OltpOptions::default()
        };
        let text = create_table(1, &options);
        assert!(text.contains("id INTEGER NOT NULL,") && text.contains("KEY xid (id)"));
        assert!(text.ends_with("/*! ENGINE = rocksdb */ COMPRESSION='zlib'"));
    }
}
