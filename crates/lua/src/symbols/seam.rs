//! What the prelude asks of the program.

use super::{acting, keep};
use crate::context::Context;
use crate::exchange::CStat;
use crate::script::Source;
use dbdyno_sysbench::Level;
use dbdyno_sysbench::options::{ArgKind, OptionValues, ScriptOption, Value, script_help};
use std::ffi::{CStr, c_char, c_int};
use std::ptr::null;

keep!(
    dbdyno_tid,
    dbdyno_fact,
    dbdyno_argument,
    dbdyno_chunk,
    dbdyno_option_at,
    dbdyno_option_item,
    dbdyno_declare,
    dbdyno_validated,
    dbdyno_current_stat,
    dbdyno_print_options,
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

#[unsafe(no_mangle)]
extern "C" fn dbdyno_tid() -> c_int {
    acting(0, |context| context.actor.tid as c_int)
}

/// The numbers are those of `FACT` in the prelude.
#[unsafe(no_mangle)]
extern "C" fn dbdyno_fact(which: c_int) -> CText {
    acting(CText::NONE, |context| {
        let script = &context.script;
        match (which, &script.source) {
            (0, _) => CText::lent(context.engine.settings.dialect.version().as_bytes()),
            (1, _) => CText::maybe(script.launch.command.as_deref()),
            (2, _) => CText::maybe(script.path()),
            (3, Source::Text { body, .. }) => CText::lent(body),
            (4, Source::Text { chunk_name, .. }) => CText::lent(chunk_name.as_bytes()),
            _ => CText::NONE,
        }
    })
}

#[unsafe(no_mangle)]
extern "C" fn dbdyno_argument(index: c_int) -> CText {
    acting(CText::NONE, |context| {
        let arguments = &context.script.launch.arguments;
        CText::maybe(arguments.get(index as usize).map(String::as_str))
    })
}

/// The bytecode of a module's file, which the script keeps.
#[unsafe(no_mangle)]
unsafe extern "C" fn dbdyno_chunk(path: *const c_char) -> CText {
    // SAFETY: the prelude gives a string.
    let path = unsafe { CStr::from_ptr(path) }.to_string_lossy();
    acting(CText::NONE, |context| match context.script.module(&path) {
        Some(bytecode) => CText::lent(&bytecode),
        None => CText::NONE,
    })
}

/// `dbdyno_option` of the prelude.
#[repr(C)]
struct COption {
    name: CText,
    kind: c_int,
    number: f64,
    text: CText,
    count: usize,
}

fn option_at(context: &Context, index: usize) -> Option<(&str, &Value)> {
    context
        .script
        .options
        .get()
        .and_then(|options: &OptionValues| options.iter().nth(index))
}

/// Describes an option; false behind the last.
#[unsafe(no_mangle)]
unsafe extern "C" fn dbdyno_option_at(index: usize, option: *mut COption) -> bool {
    acting(false, |context| {
        let Some((name, value)) = option_at(context, index) else {
            return false;
        };
        let described = COption {
            name: CText::lent(name.as_bytes()),
            kind: kind_of(value) as c_int,
            number: number_of(value),
            text: match value {
                Value::Text(text) => CText::lent(text.as_bytes()),
                _ => CText::NONE,
            },
            count: match value {
                Value::List(items) => items.len(),
                _ => 0,
            },
        };
        // SAFETY: the prelude gives room for one.
        unsafe { option.write(described) };
        true
    })
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

/// All numbers of scripts are doubles.
fn number_of(value: &Value) -> f64 {
    match value {
        Value::Flag(on) => f64::from(u8::from(*on)),
        Value::Int(number) => *number as f64,
        Value::Size(number) => *number as f64,
        Value::Double(number) => *number,
        Value::Text(_) | Value::List(_) => 0.0,
    }
}

/// One word of a list.
#[unsafe(no_mangle)]
extern "C" fn dbdyno_option_item(index: usize, item: usize) -> CText {
    acting(CText::NONE, |context| match option_at(context, index) {
        Some((_, Value::List(items))) => CText::maybe(items.get(item).map(String::as_str)),
        _ => CText::NONE,
    })
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

/// Takes down an option that the script declares.
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

/// Name (0) and value (1) of the option whose validator is asked; C strings.
#[unsafe(no_mangle)]
extern "C" fn dbdyno_validated(which: c_int) -> CText {
    acting(CText::NONE, |context| {
        let exchange = context.exchange.borrow();
        match (which, &exchange.validated) {
            (0, (name, _)) => CText::lent(name.as_bytes()),
            (_, (_, Some(value))) => CText::lent(value.as_bytes()),
            _ => CText::NONE,
        }
    })
}

/// The figures of the report at hand.
#[unsafe(no_mangle)]
extern "C" fn dbdyno_current_stat() -> *const CStat {
    acting(null(), |context| {
        std::ptr::from_ref(&context.exchange.borrow().stat)
    })
}

/// The lines of the script's options.
#[unsafe(no_mangle)]
extern "C" fn dbdyno_print_options() {
    acting((), |context| {
        let script = &context.script;
        let declared = script.declared.get().map_or(&[][..], Vec::as_slice);
        let name = script.base_name();
        let help = script_help(name.strip_suffix(".lua").unwrap_or(name), declared);
        context.engine.log.print(Level::Notice, &help);
    });
}

#[unsafe(no_mangle)]
extern "C" fn sb_print_test_options() {
    dbdyno_print_options();
}

/// `sb_arg_t` of the prelude.
#[repr(C)]
struct CArgument {
    name: *const c_char,
    description: *const c_char,
    value: *const c_char,
    kind: c_int,
    validator: *const (),
}

/// Declares options in the way of sysbench's own module. Validators are only known to Lua.
#[unsafe(no_mangle)]
unsafe extern "C" fn sb_lua_set_test_args(arguments: *const CArgument, count: usize) -> c_int {
    // SAFETY: whoever calls gives an array and its length.
    for argument in unsafe { std::slice::from_raw_parts(arguments, count) } {
        // SAFETY: as above, with strings in it.
        unsafe {
            let (name, description) = (argument.name, argument.description);
            dbdyno_declare(name, description, argument.value, argument.kind, false);
        }
    }
    0
}
