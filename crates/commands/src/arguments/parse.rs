//! Parses values of arguments in human units.

use crate::order::Place;
use dbdyno_drive::FurtherError;

const DURATION_EXAMPLES: &str = "write for example 500ms, 60s, 1m30s or 5m";

/// Parses the name or address of a host, which has no port; an address of IPv6 has several colons.
pub(super) fn host_name(text: &str) -> Result<String, String> {
    let (name, port) = text.rsplit_once(':').unwrap_or((text, ""));
    let is_address = name.contains(':') && !name.ends_with(']');
    if port.is_empty() || is_address {
        return Ok(text.to_owned());
    }
    Err(format!("write --host {name} --port {port}"))
}

/// Parses the seconds of a duration such as `90`, `90s`, `1m30s`, `1.5m` or `1h`; only whole seconds, because they lie
/// on one grid.
pub(super) fn seconds(text: &str) -> Result<u32, String> {
    let nanoseconds = nanoseconds(text)?;
    let whole = nanoseconds.is_multiple_of(1_000_000_000);
    let seconds = u32::try_from(nanoseconds / 1_000_000_000);
    seconds
        .ok()
        .filter(|_| whole)
        .ok_or_else(|| "whole seconds are allowed".to_owned())
}

/// Parses the nanoseconds of a duration such as `500ms`, `5s`, `1m30s` or `5`.
pub(super) fn nanoseconds(text: &str) -> Result<u64, String> {
    let (first, mut rest) = split_quantity(text.trim())?;
    let mut total = quantity_ns(first)?;
    let mut has_units = !first.1.is_empty();
    let is_sum = !rest.is_empty();
    while !rest.is_empty() {
        let (next, behind) = split_quantity(rest)?;
        total += quantity_ns(next)?;
        has_units &= !next.1.is_empty();
        rest = behind;
    }
    if is_sum && !has_units {
        return Err(DURATION_EXAMPLES.to_owned()); // 1m30 may be 1m30s or 1m30ms
    }
    Ok(total.round() as u64)
}

/// Splits off a number and its unit.
fn split_quantity(text: &str) -> Result<((f64, &str), &str), String> {
    let is_number = |c: char| c.is_ascii_digit() || c == '.';
    let unit_at = text.find(|c| !is_number(c)).unwrap_or(text.len());
    let (number, rest) = text.split_at(unit_at);
    let rest = rest.trim_start();
    let (unit, behind) = rest.split_at(rest.find(is_number).unwrap_or(rest.len()));
    match number.parse() {
        Ok(number) if (0.0..=1e9).contains(&number) => Ok(((number, unit.trim()), behind)),
        _ => Err(DURATION_EXAMPLES.to_owned()),
    }
}

fn quantity_ns((number, unit): (f64, &str)) -> Result<f64, String> {
    let unit_ns = match unit {
        "" | "s" => 1e9,
        "us" | "µs" => 1e3,
        "ms" => 1e6,
        "m" | "min" => 60e9,
        "h" => 3600e9,
        _ => {
            return Err(format!(
                "unit {unit:?} is not known: us, ms, s, m or h is allowed"
            ));
        }
    };
    Ok(number * unit_ns)
}

/// A count that may be unlimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limit(pub(crate) Option<u32>);

/// Parses a limit such as `100`, or `none`.
pub(super) fn limit(text: &str) -> Result<Limit, String> {
    if text.trim() == "none" {
        return Ok(Limit(None));
    }
    let count = text.trim().parse();
    count
        .map(|count| Limit(Some(count)))
        .map_err(|_| "write for example 100, or none".to_owned())
}

/// A time that may be unlimited, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TimeLimit(pub(crate) Option<u64>);

/// Parses a time such as `90s`, or `none`.
pub(super) fn time_limit(text: &str) -> Result<TimeLimit, String> {
    match text.trim() {
        "none" => Ok(TimeLimit(None)),
        text => nanoseconds(text).map(|ns| TimeLimit(Some(ns))),
    }
}

/// Parses on or off.
pub(super) fn switch(text: &str) -> Result<bool, String> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err("write on or off".to_owned()),
    }
}

/// Parses the numbers of a list such as `0,2-3`.
pub(super) fn cpu_list(text: &str) -> Result<Vec<usize>, String> {
    let wrong = || "write for example 0 or 0,2-3".to_owned();
    let mut cpus = Vec::new();
    for part in text.split(',') {
        let (low, high) = part.split_once('-').unwrap_or((part, part));
        let low: usize = low.trim().parse().map_err(|_| wrong())?;
        let high: usize = high.trim().parse().map_err(|_| wrong())?;
        if low > high || high > 4096 {
            return Err(wrong());
        }
        cpus.extend(low..=high);
    }
    Ok(cpus)
}

/// Parses a role and the address of its server, such as `reader=db2:3307` or `reader=/run/mysqld/mysqld.sock`.
pub(super) fn role_target(text: &str) -> Result<(String, Place), String> {
    let wrong = || "write for example reader=db2:3307 or reader=/run/mysqld/mysqld.sock".to_owned();
    let (role, address) = text.split_once('=').ok_or_else(wrong)?;
    let (role, address) = (role.trim(), address.trim());
    if role.is_empty() || address.is_empty() {
        return Err(wrong());
    }
    let mut place = Place {
        socket: None,
        host: None,
        port: None,
    };
    if address.starts_with('/') {
        place.socket = Some(address.into());
    } else {
        // An IPv6 address has its own colons, and brackets if a port follows.
        let is_bare_ipv6 = address.matches(':').count() > 1 && !address.starts_with('[');
        let (host, port) = match address.rsplit_once(':') {
            Some((host, port)) if !is_bare_ipv6 && !address.ends_with(']') => (host, Some(port)),
            _ => (address, None),
        };
        let port = port.map(|port| port.parse().map_err(|_| wrong()));
        place.host = Some(host.trim_matches(['[', ']']).to_owned());
        place.port = port.transpose()?;
    }
    Ok((role.to_owned(), place))
}

/// Parses the error codes of a list such as `1213,1205`, or `none`.
pub(super) fn code_list(text: &str) -> Result<Vec<u16>, String> {
    if text == "none" {
        return Ok(Vec::new());
    }
    text.split(',')
        .map(|code| {
            code.trim()
                .parse()
                .map_err(|_| "write for example 1213,1020,1205, or none".to_owned())
        })
        .collect()
}

/// Parses an error such as `1180`, or `1180/149` with the storage engine's own number.
pub(super) fn further_error(text: &str) -> Result<FurtherError, String> {
    let number = |text: &str| {
        text.trim()
            .parse()
            .map_err(|_| "write for example 1180/149".to_owned())
    };
    let (code, cause) = match text.split_once('/') {
        Some((code, cause)) => (code, Some(number(cause)?)),
        None => (text, None),
    };
    Ok(FurtherError {
        code: number(code)?,
        cause,
    })
}

/// A list as clap wants it: one value, not one value each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ValueList<T>(pub(crate) Vec<T>);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_of_a_role_is_a_host_or_a_socket() {
        let host = |host: &str, port| Place {
            socket: None,
            host: Some(host.to_owned()),
            port,
        };
        for (text, expected) in [
            ("reader=db2", host("db2", None)),
            ("reader=db2:3307", host("db2", Some(3307))),
            ("reader=::1", host("::1", None)),
            ("reader=[::1]", host("::1", None)),
            ("reader=[::1]:3307", host("::1", Some(3307))),
        ] {
            assert_eq!(
                role_target(text),
                Ok(("reader".to_owned(), expected)),
                "{text}"
            );
        }
        let (_, place) = role_target("reader=/run/s.sock").unwrap();
        assert_eq!(place.socket.unwrap().to_str(), Some("/run/s.sock"));
        for wrong in [
            "reader",
            "reader=",
            "=db2",
            "reader=db2:port",
            "reader=db2:",
        ] {
            assert!(role_target(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_host_with_a_port_is_answered_by_the_two_arguments() {
        for host in [
            "localhost",
            "db2.example",
            "127.0.0.1",
            "::1",
            "fe80::1",
            "",
        ] {
            assert_eq!(host_name(host).as_deref(), Ok(host));
        }
        for (text, name, port) in [("db2:3307", "db2", "3307"), ("[::1]:33", "[::1]", "33")] {
            let remedy = format!("write --host {name} --port {port}");
            assert_eq!(host_name(text), Err(remedy), "{text}");
        }
    }

    #[test]
    fn durations_have_units_and_seconds_are_whole() {
        assert_eq!(seconds("60s"), Ok(60));
        assert_eq!(seconds("90"), Ok(90));
        assert_eq!(seconds("1.5m"), Ok(90));
        assert_eq!(seconds("2h"), Ok(7200));
        assert_eq!(seconds("1m30s"), Ok(90));
        assert_eq!(seconds(" 1h 1m 1 s"), Ok(3661));
        assert_eq!(nanoseconds("250ms"), Ok(250_000_000));
        for wrong in [
            "", "s", "1.5", "10x", "-1s", "1e99h", "NaN", "1m30", "5 5s", "1m-30s", "1..5s", ".",
        ] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn processors_are_listed_with_ranges() {
        assert_eq!(cpu_list("0,2-4"), Ok(vec![0, 2, 3, 4]));
        for wrong in ["", "a", "3-1", "0-", "-1", "0-100000"] {
            assert!(cpu_list(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn error_codes_are_listed_or_none() {
        assert_eq!(code_list("1213,1205"), Ok(vec![1213, 1205]));
        let further = |code, cause| Ok(FurtherError { code, cause });
        assert_eq!(further_error("1180/149"), further(1180, Some(149)));
        assert_eq!(further_error(" 1180 "), further(1180, None));
        for wrong in ["", "deadlock", "1180/", "/149", "1180/149/1", "70000"] {
            assert!(further_error(wrong).is_err(), "{wrong}");
        }
        assert_eq!(code_list("none"), Ok(Vec::new()));
        assert!(code_list("all").is_err());
    }
}
