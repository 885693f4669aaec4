//! Builds generators from what `workload.toml` says of them.

use super::form::{Choice, GeneratorForm};
use super::generator::{Generator, Hotspot, NumberMapping};
use dbdyno_chance::Distribution;

/// YCSB's exponent of Zipf's law.
const EXPONENT: f64 = 0.99;
/// How many of the latest numbers `latest_of` goes back to.
const WINDOW: u32 = 1000;
/// Most draws in few numbers, as in YCSB's hotspot.
const HOT_SHARE: f64 = 0.2;
const HOT_DRAWS: f64 = 0.8;
const MOVES_AFTER: u32 = 1000;
/// Numbers of a sequence that each user has for itself. Two hundred blocks fit in INT.
const BLOCK: u32 = 10_000_000;
const LONGEST_TEXT: u32 = 1 << 20;

/// Names of the kinds of values, and which settings each takes.
const KINDS: &[(&str, &[&str])] = &[
    ("uniform", &[]),
    ("zipf", &["exponent", "scatter"]),
    ("latest", &["exponent"]),
    ("latest_of", &["exponent", "window"]),
    ("hotspot", &["hot_share", "hot_draws"]),
    ("moving_hotspot", &["hot_share", "hot_draws", "moves_after"]),
    ("sequence", &["block"]),
    ("text", &[]),
    ("choose", &[]),
];

/// Makes the generator. `sequence_at` gives the place of the sequence of that name.
///
/// # Errors
/// What is wrong, and what would be right.
pub(super) fn generator(
    form: &GeneratorForm,
    sequence_at: impl Fn(&str) -> Option<usize>,
) -> Result<Generator, String> {
    let kind = only_kind(form)?;
    refuse_settings_of_others(form, kind)?;
    let exponent = form.exponent.unwrap_or(EXPONENT);
    let zipf = Distribution::Zipfian { exponent };
    if let Some(allowed) = zipf.parameter_error() {
        return Err(format!("exponent = {exponent}: {allowed} is allowed"));
    }
    if let Some(bounds) = form.uniform {
        let (low, count) = interval(bounds)?;
        return Ok(number(low, count, Distribution::Uniform, NumberMapping::Up));
    }
    if let Some(bounds) = form.zipf {
        let (low, count) = interval(bounds)?;
        let scatter = form.scatter.unwrap_or(false);
        let mapping = if scatter {
            NumberMapping::scatter(count)
        } else {
            NumberMapping::Up
        };
        return Ok(number(low, count, zipf, mapping));
    }
    if let Some(bounds) = form.latest {
        let (low, count) = interval(bounds)?;
        return Ok(number(
            low,
            count,
            zipf,
            NumberMapping::Down { last: count - 1 },
        ));
    }
    if let Some(name) = &form.latest_of {
        let window = at_least_one("window", form.window.unwrap_or(WINDOW))?;
        return Ok(Generator::LatestOf {
            sequence: sequence_at(name)
                .ok_or_else(|| format!("latest_of: {name:?} is not a parameter with a sequence"))?,
            sampler: zipf.sampler(0, window - 1),
        });
    }
    if let Some(bounds) = form.hotspot.or(form.moving_hotspot) {
        return hotspot(form, bounds).map(Generator::Hotspot);
    }
    if let Some(first) = form.sequence {
        let block = at_least_one("block", form.block.unwrap_or(BLOCK))?;
        return Ok(Generator::Sequence {
            first,
            block: block.into(),
        });
    }
    if let Some([shortest, longest]) = form.text {
        if shortest > longest || longest > LONGEST_TEXT {
            return Err(format!(
                "text = [{shortest}, {longest}]: the shortest and the longest length, at most {LONGEST_TEXT}, are allowed"
            ));
        }
        return Ok(Generator::Text { shortest, longest });
    }
    let choices: &[Choice] = form.choose.as_deref().unwrap_or_default();
    if choices.is_empty() {
        return Err("choose = []: at least one value is needed".to_owned());
    }
    Ok(Generator::Choose(choices.to_vec()))
}

/// Returns which kind of values it is.
fn only_kind(form: &GeneratorForm) -> Result<&'static str, String> {
    let given = [
        form.uniform.is_some(),
        form.zipf.is_some(),
        form.latest.is_some(),
        form.latest_of.is_some(),
        form.hotspot.is_some(),
        form.moving_hotspot.is_some(),
        form.sequence.is_some(),
        form.text.is_some(),
        form.choose.is_some(),
    ];
    let kinds = KINDS.iter().zip(given).filter(|&(_, is_given)| is_given);
    let kinds: Vec<_> = kinds.map(|(&(kind, _), _)| kind).collect();
    match kinds[..] {
        [kind] => Ok(kind),
        [] => {
            let known: Vec<_> = KINDS.iter().map(|(kind, _)| *kind).collect();
            Err(format!(
                "it has no kind of values: one of {} is needed",
                known.join(", ")
            ))
        }
        _ => Err(format!(
            "{} can't be combined: one of them is allowed",
            kinds.join(" and ")
        )),
    }
}

fn refuse_settings_of_others(form: &GeneratorForm, kind: &str) -> Result<(), String> {
    let given = [
        ("exponent", form.exponent.is_some()),
        ("scatter", form.scatter.is_some()),
        ("window", form.window.is_some()),
        ("hot_share", form.hot_share.is_some()),
        ("hot_draws", form.hot_draws.is_some()),
        ("moves_after", form.moves_after.is_some()),
        ("block", form.block.is_some()),
    ];
    let own = KINDS.iter().find(|(known, _)| *known == kind);
    let own = own.map_or(&[][..], |(_, settings)| settings);
    let foreign = given
        .iter()
        .find(|(name, is_given)| *is_given && !own.contains(name));
    foreign.map_or(Ok(()), |(name, _)| {
        let settings = if own.is_empty() {
            "none".to_owned()
        } else {
            own.join(", ")
        };
        Err(format!(
            "{name} is not a setting of {kind}, which has {settings}"
        ))
    })
}

/// Returns the lowest number and how many there are.
fn interval([low, high]: [i64; 2]) -> Result<(i64, u32), String> {
    let count = high
        .checked_sub(low)
        .and_then(|distance| u32::try_from(distance).ok());
    let count = count.and_then(|distance| distance.checked_add(1));
    count.map(|count| (low, count)).ok_or_else(|| {
        format!("[{low}, {high}]: the lowest and the highest number, at most 4294967294 apart, are allowed")
    })
}

fn number(low: i64, count: u32, distribution: Distribution, mapping: NumberMapping) -> Generator {
    Generator::Number {
        low,
        sampler: distribution.sampler(0, count - 1),
        mapping,
    }
}

fn hotspot(form: &GeneratorForm, bounds: [i64; 2]) -> Result<Hotspot, String> {
    let (low, count) = interval(bounds)?;
    let share = |name: &str, value: f64| {
        let right = (0.0..=1.0).contains(&value);
        right
            .then_some(value)
            .ok_or_else(|| format!("{name} = {value}: 0 to 1 is allowed"))
    };
    let hot_share = share("hot_share", form.hot_share.unwrap_or(HOT_SHARE))?;
    let moves_after = match form.moving_hotspot {
        Some(_) => Some(at_least_one(
            "moves_after",
            form.moves_after.unwrap_or(MOVES_AFTER),
        )?),
        None => None,
    };
    Ok(Hotspot {
        low,
        count,
        hot: ((f64::from(count) * hot_share).round() as u32).clamp(1, count),
        hot_draws: share("hot_draws", form.hot_draws.unwrap_or(HOT_DRAWS))?,
        moves_after,
    })
}

fn at_least_one(name: &str, value: u32) -> Result<u32, String> {
    if value == 0 {
        return Err(format!("{name} = 0: at least 1 is needed"));
    }
    Ok(value)
}
