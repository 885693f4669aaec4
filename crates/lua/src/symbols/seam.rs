//! Answers the requests of the prelude to the program.

use super::{acting, keep};
use crate::context::Context;
use crate::module_path::package_path;
use crate::prelude::prelude;
use crate::script::ScriptSource;
use dbdyno_sysbench::options::{ArgKind, ScriptOption, Value, option_lines};
use std::ffi::{CStr, c_char, c_int};
use std::ptr::null;

keep!(
    dbdyno_ask,
    dbdyno_number,
    dbdyno_chunk,
    dbdyno_unjudged_exit,
    dbdyno_declare,
    sb_print_test_options,
    sb_lua_set_test_args
);

/// Text that is lent to the prelude until its next call; no pointer: no text.
#[repr(C)]
#[derive(Clone, Copy)]
struct CText {
    pointer: *const u8,
    length: usize,
}

impl CText {
    const NONE: Self = Self {
        pointer: null(),
        length: 0,
    };

    fn lent(text: &[u8]) -> Self {
        Self {
            pointer: text.as_ptr(),
            length: text.len(),
        }
    }

    fn maybe(text: Option<&str>) -> Self {
        text.map_or(Self::NONE, |text| Self::lent(text.as_bytes()))
    }
}

/// Returns texts, by the numbers of `TEXT` in the prelude; `place` and `item` select among several.
#[unsafe(no_mangle)]
extern "C" fn dbdyno_ask(what: c_int, place: c_int, item: c_int) -> CText {
    let (place, item) = (place as usize, item as usize);
    acting(CText::NONE, |context| {
        let script = &context.script;
        let dialect = context.engine.settings.dialect;
        match (what, &script.source) {
            (0, _) => CText::maybe(Some(dialect.version())),
            (1, _) => CText::maybe(script.launch.command.as_deref()),
            (2, _) => CText::maybe(script.path()),
            (3, ScriptSource::Text { body, .. }) => CText::lent(body),
            (4, ScriptSource::Text { chunk_name, .. }) => CText::maybe(Some(chunk_name)),
            (5, _) => CText::maybe(script.launch.arguments.get(place).map(String::as_str)),
            (6, _) => CText::maybe(option_at(context, place).map(|(name, _)| name)),
            (7, _) => match option_at(context, place) {
                Some((_, Value::Text(text))) => CText::maybe(Some(text)),
                _ => CText::NONE,
            },
            (8, _) => match option_at(context, place) {
                Some((_, Value::List(items))) => CText::maybe(items.get(item).map(String::as_str)),
                _ => CText::NONE,
            },
            (9, _) => validated(context, place),
            (10, _) => match prelude(dialect) {
                Ok(prelude) => prelude
                    .later
                    .get(place)
                    .map_or(CText::NONE, |it| CText::lent(it)),
                Err(_) => CText::NONE,
            },
            (11, _) => CText::maybe(context.engine.settings.luajit_command.as_deref()),
            (12, _) => CText::maybe(Some(package_path())),
            _ => CText::NONE,
        }
    })
}

/// Returns the name (0) and value (1) of the option whose validator is called; C strings.
fn validated(context: &Context, place: usize) -> CText {
    match (place, &context.exchange.borrow().validated) {
        (0, (name, _)) => CText::lent(name.as_bytes()),
        (_, (_, Some(value))) => CText::lent(value.as_bytes()),
        _ => CText::NONE,
    }
}

/// Returns numbers, by the numbers of `NUMBER` in the prelude.
#[unsafe(no_mangle)]
extern "C" fn dbdyno_number(what: c_int, place: c_int) -> f64 {
    let place = place as usize;
    acting(0.0, |context| match (what, option_at(context, place)) {
        (0, _) => f64::from(context.actor.tid),
        (1, Some((_, value))) => f64::from(kind_of(value) as u8),
        (2, Some((_, value))) => number_of(value),
        (3, Some((_, Value::List(items)))) => items.len() as f64,
        (4, _) => context
            .exchange
            .borrow()
            .stat
            .get(place)
            .copied()
            .unwrap_or(0.0),
        (5, _) => f64::from(u8::from(context.engine.settings.is_judged)),
        _ => 0.0,
    })
}

/// Says that a script ends the process before the requirements are judged, and returns the exit code for it.
#[unsafe(no_mangle)]
extern "C" fn dbdyno_unjudged_exit(code: c_int) -> c_int {
    acting((), |context| {
        let text = format!("os.exit({code}) ends the run before its requirements are judged");
        context.engine.log.fatal(&text);
    });
    code.max(1)
}

/// Returns the bytecode of a module's file, which the script keeps.
#[unsafe(no_mangle)]
unsafe extern "C" fn dbdyno_chunk(path: *const c_char) -> CText {
    // SAFETY: the prelude gives a string.
    let path = unsafe { CStr::from_ptr(path) }.to_string_lossy();
    acting(CText::NONE, |context| {
        let bytecode = context.script.module(&path);
        bytecode.map_or(CText::NONE, |bytecode| CText::lent(&bytecode))
    })
}

fn option_at(context: &Context, index: usize) -> Option<(&str, &Value)> {
    context.script.options.get()?.iter().nth(index)
}

fn kind_of(value: &Value) -> ArgKind {
    match value {
        Value::Flag(_) => ArgKind::Flag,
        Value::Int(_) => ArgKind::Int,
        Value::Size(_) => ArgKind::Size,
        Value::Double(_) => ArgKind::Double,
        Value::Text(_) => ArgKind::Text,
        Value::List(_) => ArgKind::List,
    }
}

/// Converts a value to a number: all numbers of scripts are doubles.
fn number_of(value: &Value) -> f64 {
    match value {
        Value::Flag(on) => f64::from(u8::from(*on)),
        Value::Int(number) => *number as f64,
        Value::Size(number) => *number as f64,
        Value::Double(number) => *number,
        Value::Text(_) | Value::List(_) => 0.0,
    }
}

fn kind_numbered(number: c_int) -> ArgKind {
    match number {
        0 => ArgKind::Null,
        1 => ArgKind::Flag,
        2 => ArgKind::Int,
        3 => ArgKind::Size,
        4 => ArgKind::Double,
        6 => ArgKind::List,
        7 => ArgKind::File,
        _ => ArgKind::Text,
    }
}

/// Records an option that the script declares.
#[unsafe(no_mangle)]
unsafe extern "C" fn dbdyno_declare(
    name: *const c_char,
    description: *const c_char,
    default: *const c_char,
    kind: c_int,
    has_validator: bool,
) {
    // SAFETY: the prelude gives strings, or nil in the place of the default.
    let (name, description, default) = unsafe {
        (
            text_of(name).unwrap_or_default(),
            text_of(description).unwrap_or_default(),
            text_of(default),
        )
    };
    acting((), |context| {
        context.exchange.borrow_mut().declared.push(ScriptOption {
            name,
            description,
            default,
            kind: kind_numbered(kind),
            has_validator,
        });
    });
}

unsafe fn text_of(text: *const c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: the caller has a C string.
    Some(
        unsafe { CStr::from_ptr(text) }
            .to_string_lossy()
            .into_owned(),
    )
}

/// Returns the lines of the script's options.
#[unsafe(no_mangle)]
extern "C" fn sb_print_test_options() {
    acting((), |context| {
        let script = &context.script;
        let declared = script.declared.get().map_or(&[][..], Vec::as_slice);
        context.engine.log.answer(&option_lines(declared));
    });
}

/// Mirrors `sb_arg_t` of the prelude.
#[repr(C)]
struct CArgument {
    name: *const c_char,
    description: *const c_char,
    value: *const c_char,
    kind: c_int,
    validator: *const (),
}

/// Declares options as sysbench's own module does. Only Lua knows the validators.
#[unsafe(no_mangle)]
unsafe extern "C" fn sb_lua_set_test_args(arguments: *const CArgument, count: usize) -> c_int {
    // SAFETY: the caller passes an array and its length.
    for argument in unsafe { std::slice::from_raw_parts(arguments, count) } {
        // SAFETY: as above, with strings in it.
        unsafe {
            let (name, description) = (argument.name, argument.description);
            dbdyno_declare(name, description, argument.value, argument.kind, false);
        }
    }
    0
}
