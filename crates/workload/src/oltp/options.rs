//! Holds the options of the family, with sysbench's names and defaults.

use super::OltpScript;
use super::option_table::TABLE;
use crate::WorkloadError;
use dbdyno_chance::Distribution;

/// All options. Names, defaults and meaning are sysbench's; values are checked, which sysbench doesn't do.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OltpOptions {
    pub(crate) tables: u32,
    pub(crate) table_size: u32,
    pub(crate) range_size: u32,
    pub(crate) point_selects: u32,
    pub(crate) simple_ranges: u32,
    pub(crate) sum_ranges: u32,
    pub(crate) order_ranges: u32,
    pub(crate) distinct_ranges: u32,
    pub(crate) index_updates: u32,
    pub(crate) non_index_updates: u32,
    pub(crate) delete_inserts: u32,
    pub(crate) range_selects: bool,
    pub(crate) skip_trx: bool,
    pub(crate) auto_inc: bool,
    pub(crate) secondary: bool,
    pub(crate) create_secondary: bool,
    pub(crate) mysql_storage_engine: String,
    pub(crate) create_table_options: String,
    pub(crate) rand_type: String,
    pub(crate) rand_spec_iter: u32,
    pub(crate) rand_spec_pct: u32,
    pub(crate) rand_spec_res: u32,
    pub(crate) rand_pareto_h: f64,
    pub(crate) rand_zipfian_exp: f64,
    pub(crate) random_points: u32,
    pub(crate) number_of_ranges: u32,
    pub(crate) delta: u32,
}

impl Default for OltpOptions {
    fn default() -> Self {
        Self {
            tables: 1,
            table_size: 10_000,
            range_size: 100,
            point_selects: 10,
            simple_ranges: 1,
            sum_ranges: 1,
            order_ranges: 1,
            distinct_ranges: 1,
            index_updates: 1,
            non_index_updates: 1,
            delete_inserts: 1,
            range_selects: true,
            skip_trx: false,
            auto_inc: true,
            secondary: false,
            create_secondary: true,
            mysql_storage_engine: "innodb".to_owned(),
            create_table_options: String::new(),
            rand_type: "special".to_owned(),
            rand_spec_iter: 12,
            rand_spec_pct: 1,
            rand_spec_res: 75,
            rand_pareto_h: 0.2,
            rand_zipfian_exp: 0.8,
            random_points: 10,
            number_of_ranges: 10,
            delta: 5,
        }
    }
}

impl OltpOptions {
    /// Reads names and values as the user wrote them, over the defaults.
    pub(crate) fn read(
        script: &OltpScript,
        given: &[(String, String)],
    ) -> Result<Self, WorkloadError> {
        let mut options = Self::default();
        TABLE.read(script.name, &mut options, given)?;
        if script.name == "oltp_point_select" {
            options.point_selects = 1; // the script sets it, regardless of the option
        }
        options.check(script)?;
        Ok(options)
    }

    /// Checks what can only be judged when all values are known.
    fn check(&self, script: &OltpScript) -> Result<(), WorkloadError> {
        if script.is_single_table() && self.tables != 1 {
            let allowed = "1 (the script reads sbtest1 alone)";
            return Err(WorkloadError::invalid(
                "tables",
                &self.tables.to_string(),
                allowed,
            ));
        }
        if let Some(allowed) = self.distribution().parameter_error() {
            return Err(WorkloadError::invalid(
                "rand_type",
                &self.rand_type,
                allowed,
            ));
        }
        Ok(())
    }

    /// Returns the distribution of ids, and of k.
    pub(crate) fn distribution(&self) -> Distribution {
        match self.rand_type.as_str() {
            "uniform" => Distribution::Uniform,
            "gaussian" => Distribution::Gaussian {
                iterations: self.rand_spec_iter,
            },
            "pareto" => Distribution::Pareto {
                h: self.rand_pareto_h,
            },
            "zipfian" => Distribution::Zipfian {
                exponent: self.rand_zipfian_exp,
            },
            _ => Distribution::Special {
                iterations: self.rand_spec_iter,
                percent: self.rand_spec_pct,
                reserved: self.rand_spec_res,
            },
        }
    }

    /// Returns every option of the script with its value, in the order of the table.
    pub(crate) fn list(&self, script: &OltpScript) -> Vec<(String, String)> {
        TABLE.list(script.name, self)
    }
}

#[cfg(test)]
mod tests {
    use super::OltpOptions;
    use crate::oltp::script::script_named;
    use crate::option_table::given;

    fn read(script: &str, pairs: &[(&str, &str)]) -> Result<OltpOptions, String> {
        OltpOptions::read(script_named(script).unwrap(), &given(pairs))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn hyphens_and_aliases_and_every_spelling_of_a_switch_are_understood() {
        let options = read(
            "oltp_read_write",
            &[
                ("table-size", "5"),
                ("rows", "7"),
                ("skip-trx", "1"),
                ("auto_inc", "off"),
            ],
        )
        .unwrap();
        assert_eq!(options.table_size, 7);
        assert!(options.skip_trx && !options.auto_inc);
    }

    #[test]
    fn a_mistyped_option_is_refused_with_the_nearest_one() {
        let message = read("oltp_read_write", &[("table_sise", "5")]).unwrap_err();
        assert!(message.contains("\"table_size\""), "{message}");
    }

    #[test]
    fn an_option_of_another_script_is_refused() {
        assert!(read("select_random_points", &[("random_points", "3")]).is_ok());
        assert!(read("oltp_read_write", &[("random_points", "3")]).is_err());
        assert!(read("select_random_points", &[("delta", "3")]).is_err());
    }

    #[test]
    fn values_out_of_range_are_refused_with_what_is_allowed() {
        for (name, value, hint) in [
            ("tables", "0", "1 to"),
            ("tables", "x", "1 to"),
            ("tables", "-1", "1 to"),
            ("table_size", "0", "1 to 2147483647"),
            ("table_size", "2147483648", "1 to 2147483647"),
            ("skip_trx", "yes", "on, off"),
            ("rand_type", "zipf", "zipfian"),
            ("rand_pareto_h", "1", "between 0 and 1"),
            ("rand_zipfian_exp", "-0.1", "zero or more"),
            ("rand_spec_iter", "0", "1 to"),
            ("mysql_storage_engine", "innodb; DROP", "letters"),
            ("create_table_options", "x\0", "without"),
        ] {
            let message = read("oltp_read_write", &[(name, value)]).unwrap_err();
            assert!(
                message.contains(hint) && message.contains(name),
                "{message}"
            );
        }
    }

    #[test]
    fn scripts_that_read_one_table_refuse_more() {
        let message = read("select_random_ranges", &[("tables", "2")]).unwrap_err();
        assert!(message.contains("sbtest1 alone"), "{message}");
    }

    #[test]
    fn the_point_select_script_forces_one_select() {
        let options = read("oltp_point_select", &[("point_selects", "10")]).unwrap();
        assert_eq!(options.point_selects, 1);
    }
}
