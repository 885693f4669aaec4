//! Turns the options of the workloads into arguments, one for each row of their table.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Args, Command, Error, FromArgMatches};
use dbdyno_workload::{OptionInfo, option_table};

/// Options of the workload that were given. `--table-size 1000` and `--table_size=1000` are the same; a
/// switch alone means on.
#[derive(Debug, Clone, Default)]
pub(crate) struct WorkloadOptions(pub(crate) Vec<(String, String)>);

impl FromArgMatches for WorkloadOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut options = Self::default();
        options.update_from_arg_matches(matches)?;
        Ok(options)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        for (info, _) in option_table() {
            if let Some(value) = matches.get_one::<String>(info.name) {
                self.0.push((info.name.to_owned(), value.clone()));
            }
        }
        Ok(())
    }
}

impl Args for WorkloadOptions {
    fn augment_args(command: Command) -> Command {
        option_table().fold(command, |command, (info, default)| {
            command.arg(argument(info, &default))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

fn argument(info: OptionInfo, default: &str) -> Arg {
    let hyphened = info.name.replace('_', "-");
    let shown = if default.is_empty() { "none" } else { default };
    let argument = Arg::new(info.name)
        .help(format!("{} [default: {shown}]", info.help))
        .help_heading(info.family)
        .allow_negative_numbers(true)
        .overrides_with(info.name);
    let argument = match info.name {
        "table_size" => argument.visible_alias("rows").alias(info.name),
        "mysql_storage_engine" => argument.visible_alias("storage-engine").alias(info.name),
        name if name.contains('_') => argument.alias(name),
        _ => argument,
    };
    let argument = argument.long(hyphened);
    if !info.is_switch {
        return argument.value_name("VALUE");
    }
    argument
        .value_name("on|off")
        .num_args(0..=1)
        .default_missing_value("on")
        .value_parser(PossibleValuesParser::new([
            "on", "off", "true", "false", "1", "0",
        ]))
        .hide_possible_values(true)
}
