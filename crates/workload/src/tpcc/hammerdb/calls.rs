//! Calls one procedure a transaction: a statement that sets variables, the call, and a look at what came out.

use super::super::build::CannedQuestion;
use super::super::input::TransactionInput;
use super::super::names::LastName;
use super::super::terminal::{Event, TransactionExecutor};
use super::super::transaction::{DELIVERY, NEW_ORDER, ORDER_STATUS, PAYMENT};
use crate::transaction_script::{Aborted, EventEnd, ScriptContext};
use crate::{Class, StatementTemplate, TransactionType};
use dbdyno_wire::{BufferedRows, OkReply, Parameter, Parameters, Reply, RowsReply};

/// Describes how a procedure is called. Places `?` of `sets` and of `arguments` take the terminal's values.
struct Procedure {
    /// Names of its three statement types.
    types: [&'static str; 3],
    name: &'static str,
    /// Variables that carry the arguments when the call is prepared, in the order of the `?` in `arguments`.
    inputs: &'static [&'static str],
    /// Variables that go in and come out again, or nothing.
    sets: &'static str,
    arguments: &'static str,
    /// What comes out, or nothing.
    outputs: &'static str,
}

/// In the order of the transaction types.
const PROCEDURES: [Procedure; 5] = [
    Procedure {
        types: ["new_order.set", "new_order.call", "new_order.select_outs"],
        name: "NEWORD",
        inputs: &["@w_id", "@max_w_id", "@d_id", "@c_id", "@ol_cnt"],
        sets: "@next_o_id = 0, rand_seed1 = ?, rand_seed2 = ?",
        arguments: "?, ?, ?, ?, ?, @disc, @last, @credit, @dtax, @wtax, @next_o_id, NOW()",
        outputs: "@disc, @last, @credit, @dtax, @wtax, @next_o_id",
    },
    Procedure {
        types: ["payment.set", "payment.call", "payment.select_outs"],
        name: "PAYMENT",
        inputs: &[
            "@w_id", "@d_id", "@c_w_id", "@c_d_id", "@by_name", "@amount",
        ],
        sets: "@c_id = ?, @c_last = ?, @c_credit = '', @c_balance = 0",
        arguments: "?, ?, ?, ?, @c_id, ?, ?, @c_last, @w_street_1, @w_street_2, @w_city, @w_state, @w_zip, \
             @d_street_1, @d_street_2, @d_city, @d_state, @d_zip, @c_first, @c_middle, @c_street_1, @c_street_2, \
             @c_city, @c_state, @c_zip, @c_phone, @c_since, @c_credit, @c_credit_lim, @c_discount, @c_balance, \
             @c_data, NOW()",
        outputs: "@c_id, @c_last, @w_street_1, @w_street_2, @w_city, @w_state, @w_zip, @d_street_1, @d_street_2, \
             @d_city, @d_state, @d_zip, @c_first, @c_middle, @c_street_1, @c_street_2, @c_city, @c_state, @c_zip, \
             @c_phone, @c_since, @c_credit, @c_credit_lim, @c_discount, @c_balance, @c_data",
    },
    Procedure {
        types: [
            "order_status.set",
            "order_status.call",
            "order_status.select_outs",
        ],
        name: "OSTAT",
        inputs: &["@w_id", "@d_id", "@by_name"],
        sets: "@c_id = ?, @c_last = ?",
        arguments: "?, ?, @c_id, ?, @c_last, @c_first, @c_middle, @c_balance, @o_id, @entry_d, @carrier_id",
        outputs: "@c_id, @c_last, @c_first, @c_middle, @c_balance, @o_id, @entry_d, @carrier_id",
    },
    Procedure {
        types: ["delivery.set", "delivery.call", "delivery.select_outs"],
        name: "DELIVERY",
        inputs: &["@w_id", "@carrier"],
        sets: "",
        arguments: "?, ?, NOW()",
        outputs: "",
    },
    Procedure {
        types: [
            "stock_level.set",
            "stock_level.call",
            "stock_level.select_outs",
        ],
        name: "SLEV",
        inputs: &["@w_id", "@d_id", "@threshold"],
        sets: "",
        arguments: "?, ?, ?, @low_stock",
        outputs: "@low_stock",
    },
];

impl Procedure {
    /// Returns its statements, as far as this form has them.
    fn texts(&self, is_prepared: bool) -> [Option<String>; 3] {
        let assigned = self.inputs.iter().map(|variable| format!("{variable} = ?"));
        let mut sets: Vec<String> = assigned.filter(|_| is_prepared).collect();
        sets.extend((!self.sets.is_empty()).then(|| self.sets.to_owned()));
        let call = if is_prepared {
            format!("EXECUTE {} USING {}", self.handle(), self.inputs.join(", "))
        } else {
            format!("CALL {}({})", self.name, self.arguments)
        };
        [
            (!sets.is_empty()).then(|| format!("SET {}", sets.join(", "))),
            Some(call),
            (!self.outputs.is_empty()).then(|| format!("SELECT {}", self.outputs)),
        ]
    }

    /// Returns the name of the prepared call.
    fn handle(&self) -> String {
        format!("{}_call", self.name.to_lowercase())
    }
}

/// Where the three statements of each transaction type are among the workload's.
type Places = [[Option<u16>; 3]; 5];

fn places(is_prepared: bool) -> Places {
    let mut next = 0..;
    PROCEDURES.each_ref().map(|procedure| {
        let texts = procedure.texts(is_prepared);
        texts.map(|text| text.and_then(|_| next.next()))
    })
}

/// Returns the statements and the names of their types, a separate type for each.
pub(super) fn statements(is_prepared: bool) -> (Vec<StatementTemplate>, Vec<&'static str>) {
    let named = PROCEDURES.iter().flat_map(|procedure| {
        let texts = procedure.texts(is_prepared).into_iter();
        texts
            .zip(procedure.types)
            .filter_map(|(text, name)| Some((text?, name)))
    });
    let (texts, types): (Vec<String>, Vec<&'static str>) = named.unzip();
    let template = |(number, (text, name)): (u8, (String, &&str))| StatementTemplate {
        text_only: true,
        // the number of the order shows whether it was rolled back
        keeps_rows: *name == "new_order.select_outs",
        ..StatementTemplate::new(text, number, Class::Work)
    };
    let templates = (0..)
        .zip(texts.into_iter().zip(&types))
        .map(template)
        .collect();
    (templates, types)
}

/// Returns the SQL that prepares the calls.
pub(super) fn preparations() -> impl Iterator<Item = String> {
    PROCEDURES.iter().map(|procedure| {
        let (handle, name) = (procedure.handle(), procedure.name);
        format!(
            "PREPARE {handle} FROM 'CALL {name}({})'",
            procedure.arguments
        )
    })
}

/// Calls the procedures of one user.
pub(super) struct ProcedureCalls {
    places: Places,
    /// Of all users together.
    warehouses: u32,
    is_prepared: bool,
}

impl ProcedureCalls {
    pub(super) fn new(warehouses: u32, is_prepared: bool) -> Self {
        Self {
            places: places(is_prepared),
            warehouses,
            is_prepared,
        }
    }
}

impl TransactionExecutor for ProcedureCalls {
    async fn run(
        &mut self,
        event: Event<'_>,
        context: &mut ScriptContext,
    ) -> Result<EventEnd, Aborted> {
        let Event {
            transaction, input, ..
        } = event;
        let [set, call, outs] = self.places[usize::from(transaction)];
        if let Some(set) = set {
            let values = context.bind(set);
            if self.is_prepared {
                push_inputs(transaction, input, self.warehouses, values);
            }
            push_sets(transaction, input, values);
            context.execute().await?;
        }
        if let Some(call) = call {
            let values = context.bind(call);
            if !self.is_prepared {
                push_inputs(transaction, input, self.warehouses, values);
            }
            context.execute().await?;
        }
        if let Some(outs) = outs {
            context.bind(outs);
            context.execute().await?;
        }
        let has_no_order =
            transaction == NEW_ORDER && context.rows.int(0, ORDER_ID).unwrap_or_default() == 0;
        Ok(if has_no_order {
            EventEnd::RolledBack
        } else {
            EventEnd::Done
        })
    }
}

/// Place of the order's number among a new order's outputs: 0 if there is none.
const ORDER_ID: usize = 5;

fn push_inputs(
    transaction: TransactionType,
    input: &TransactionInput,
    warehouses: u32,
    to: &mut Parameters,
) {
    let mut push = |values: &[u32]| values.iter().for_each(|value| to.push_int((*value).into()));
    let (warehouse, district) = (input.warehouse, input.district);
    match transaction {
        NEW_ORDER => {
            let lines = input.line_count as u32;
            push(&[warehouse, warehouses, district, input.customer, lines]);
        }
        PAYMENT => push(&[
            warehouse,
            district,
            input.customer_warehouse,
            input.customer_district,
            u32::from(input.is_by_name),
            input.amount,
        ]),
        ORDER_STATUS => push(&[warehouse, district, u32::from(input.is_by_name)]),
        DELIVERY => push(&[warehouse, input.carrier]),
        _ => push(&[warehouse, district, input.threshold]),
    }
}

fn push_sets(transaction: TransactionType, input: &TransactionInput, to: &mut Parameters) {
    match transaction {
        NEW_ORDER => input
            .server_seeds
            .iter()
            .for_each(|seed| to.push_int((*seed).into())),
        PAYMENT | ORDER_STATUS => {
            to.push_int(i64::from(input.customer));
            LastName::of(input.last_name).push(to);
        }
        _ => {}
    }
}

/// Answers for a procedure that has done its work, and a new order that was given a number.
pub(super) fn canned_reply(question: &CannedQuestion<'_>, rows: &mut BufferedRows) -> Reply {
    if !question.statement_type.ends_with(".select_outs") {
        return Reply::Ok(OkReply::default());
    }
    if question.statement_type.starts_with("new_order.") {
        let (zero, text) = (Parameter::Text(b"0.1000"), Parameter::Text(b"BARBARBAR"));
        let credit = Parameter::Text(b"GC");
        rows.push(&[zero, text, credit, zero, zero, Parameter::Int(3001)]);
    }
    Reply::Rows(RowsReply {
        rows: 1,
        ..RowsReply::default()
    })
}
