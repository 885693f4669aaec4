//! Chooses the requests of one requester, and handles the replies.

use super::history::{ListEnd, ListEnds};
use super::ids::{IdReach, SecondIdRange, choose_several, multiget_size};
use super::motif::{LINK, Motif, NODE};
use super::operation::{OPERATIONS, Operation};
use super::statement::at;
use super::workload::LinkBenchShared;
use super::{CLOCK_START_MS, NEVER_MS};
use crate::transaction_script::{Aborted, EventEnd, ScriptContext, TransactionScript};
use crate::{RetryValues, TransactionType};
use dbdyno_chance::Stream;
use std::sync::Arc;

/// A requester. Its time is counted, not read: a millisecond an event. So what it sends is the same whenever and
/// however fast it runs.
pub(super) struct Requester {
    shared: Arc<LinkBenchShared>,
    second: SecondIdRange,
    stream: Stream,
    motifs: Motifs,
    ends: ListEnds,
    events: u64,
    event: RequestInputs,
}

/// Holds separate motifs for adding and updating.
struct Motifs {
    add_link: Motif,
    update_link: Motif,
    add_node: Motif,
    update_node: Motif,
}

/// The inputs of one request, as far as its operation has them.
struct RequestInputs {
    operation: Operation,
    id1: u64,
    link_type: u64,
    id2: u64,
    id2s: Vec<u64>,
    data: Vec<u8>,
    /// The latest links asked for.
    until_ms: u64,
}

impl Requester {
    pub(super) fn new(
        shared: Arc<LinkBenchShared>,
        second: SecondIdRange,
        mut stream: Stream,
    ) -> Self {
        let motifs = Motifs {
            add_link: Motif::new(LINK, &mut stream),
            update_link: Motif::new(LINK, &mut stream),
            add_node: Motif::new(NODE, &mut stream),
            update_node: Motif::new(NODE, &mut stream),
        };
        let event = RequestInputs {
            operation: Operation::GetNode,
            id1: 0,
            link_type: 0,
            id2: 0,
            id2s: Vec::new(),
            data: Vec::new(),
            until_ms: NEVER_MS,
        };
        Self {
            shared,
            second,
            stream,
            motifs,
            ends: ListEnds::default(),
            events: 0,
            event,
        }
    }

    fn draw(&mut self, operation: Operation) -> TransactionType {
        self.event.operation = operation;
        if operation != Operation::GetLinkListHistory || !self.draw_history() {
            self.draw_fresh();
        }
        self.event.operation.number()
    }

    /// Goes on behind the end of a list read before; false if there is none.
    fn draw_history(&mut self) -> bool {
        let Some(end) = self.ends.choose(&mut self.stream) else {
            self.event.operation = Operation::GetLinkList;
            return false;
        };
        (self.event.id1, self.event.link_type) = (end.id1, end.link_type);
        self.event.until_ms = end.time;
        true
    }

    fn draw_fresh(&mut self) {
        use Operation::*;
        let operation = self.event.operation;
        if operation != AddNode {
            self.event.id1 = self.shared.ids.choose(operation, &mut self.stream);
        }
        if operation.is_of_links() {
            let types = self.shared.graph.types() as u32;
            let number = u64::from(self.stream.below(types));
            self.event.link_type = self.shared.graph.type_name(number);
        }
        self.event.until_ms = NEVER_MS;
        match operation {
            AddLink => self.draw_second(IdReach::ADD),
            UpdateLink => self.draw_second(IdReach::UPDATE),
            DeleteLink => self.draw_second(IdReach::DELETE),
            MultigetLink => self.draw_several(),
            _ => {}
        }
        let motif = match operation {
            AddLink => &self.motifs.add_link,
            UpdateLink => &self.motifs.update_link,
            AddNode => &self.motifs.add_node,
            UpdateNode => &self.motifs.update_node,
            _ => return,
        };
        motif.draw(&mut self.stream, &mut self.event.data);
    }

    fn range(&self, reach: IdReach) -> u64 {
        let RequestInputs { id1, link_type, .. } = self.event;
        let graph = &self.shared.graph;
        reach.range(graph.links(id1, graph.type_number(link_type)))
    }

    fn draw_second(&mut self, reach: IdReach) {
        let range = self.range(reach);
        self.event.id2 = self.second.choose(self.event.id1, range, &mut self.stream);
    }

    fn draw_several(&mut self) {
        let size = multiget_size(self.stream.next_double(), self.shared.is_fixed);
        let (from, stream) = ((self.event.id1, self.range(IdReach::GET)), &mut self.stream);
        choose_several(self.second, from, size, stream, &mut self.event.id2s);
    }

    fn now_ms(&self) -> u64 {
        CLOCK_START_MS + self.events
    }

    async fn put_link(&self, context: &mut ScriptContext) -> Result<(), Aborted> {
        let RequestInputs {
            id1,
            id2,
            link_type,
            data,
            ..
        } = &self.event;
        let forms = &self.shared.forms;
        let form = forms.insert_link.begin(context.text(at::INSERT_LINK));
        form.int(*id1)
            .int(*id2)
            .int(*link_type)
            .bytes(data)
            .int(self.now_ms());
        context.execute().await?;
        match context.affected {
            1 => return self.change_count(context, at::RAISE_COUNT_COMMIT).await,
            0 => {}
            _ => self.change_count(context, at::RAISE_COUNT).await?, // the link was hidden
        }
        let form = forms.update_link.begin(context.text(at::UPDATE_LINK));
        form.bytes(data)
            .int(self.now_ms())
            .int(*id1)
            .int(*id2)
            .int(*link_type);
        context.execute().await
    }

    async fn change_count(
        &self,
        context: &mut ScriptContext,
        statement: u16,
    ) -> Result<(), Aborted> {
        let values = [
            self.event.id1,
            self.event.link_type,
            self.now_ms(),
            self.now_ms(),
        ];
        say(context, statement, &values);
        context.execute().await
    }

    async fn delete_link(&self, context: &mut ScriptContext) -> Result<(), Aborted> {
        let link = [self.event.id1, self.event.id2, self.event.link_type];
        say(context, at::FIND_LINK, &link);
        context.execute().await?;
        if context.rows.int(0, 0) == Some(1) {
            say(context, at::HIDE_LINK, &link);
            context.execute().await?;
            self.change_count(context, at::LOWER_COUNT).await?;
        }
        say(context, at::COMMIT, &[]);
        context.execute().await
    }

    async fn get_list(
        &mut self,
        context: &mut ScriptContext,
        statement: u16,
    ) -> Result<(), Aborted> {
        let RequestInputs {
            id1,
            link_type,
            until_ms,
            ..
        } = self.event;
        let limit = self.shared.list_limit;
        say(context, statement, &[id1, link_type, until_ms, limit]);
        context.execute().await?;
        let last = context.rows.len().saturating_sub(1);
        let time = context.rows.int(last, 5).unwrap_or_default() as u64;
        let end = ListEnd {
            id1,
            link_type,
            time,
        };
        if context.affected == limit {
            self.ends.remember(end, &mut self.stream);
        } else if statement == at::GET_LINK_LIST_HISTORY {
            self.ends.forget(end);
        }
        Ok(())
    }

    async fn multiget(&self, context: &mut ScriptContext) -> Result<(), Aborted> {
        let RequestInputs {
            id1,
            link_type,
            id2s,
            ..
        } = &self.event;
        let form = self
            .shared
            .forms
            .multiget
            .begin(context.text(at::MULTIGET_LINK));
        form.int(*id1).int(*link_type).list(id2s);
        context.execute().await
    }

    async fn put_node(&self, context: &mut ScriptContext) -> Result<(), Aborted> {
        let RequestInputs { id1, data, .. } = &self.event;
        let (forms, now_s) = (&self.shared.forms, self.now_ms() / 1000);
        if self.event.operation == Operation::AddNode {
            let form = forms.add_node.begin(context.text(at::ADD_NODE));
            form.int(now_s).bytes(data);
        } else {
            let form = forms.update_node.begin(context.text(at::UPDATE_NODE));
            form.int(now_s).bytes(data).int(*id1);
        }
        context.execute().await
    }
}

fn say(context: &mut ScriptContext, statement: u16, values: &[u64]) {
    let parameters = context.bind(statement);
    for &value in values {
        parameters.push_int(value as i64);
    }
}

impl TransactionScript for Requester {
    fn start(&mut self, wanted: Option<TransactionType>) -> TransactionType {
        self.events += 1;
        let operation = match wanted {
            Some(number) => OPERATIONS[usize::from(number) % OPERATIONS.len()],
            None => self.shared.mix.choose(self.stream.next_double()),
        };
        let goes_on = wanted.is_none()
            && operation == Operation::GetLinkList
            && self.stream.next_double() < self.shared.history_share;
        self.draw(if goes_on {
            Operation::GetLinkListHistory
        } else {
            operation
        })
    }

    /// Repeats the request with the same inputs, as the tool does; fresh ones are for the same operation.
    fn replay(&mut self, draws: RetryValues) -> TransactionType {
        match draws {
            RetryValues::Same => self.event.operation.number(),
            RetryValues::New => self.draw(self.event.operation),
        }
    }

    async fn run(&mut self, context: &mut ScriptContext) -> Result<EventEnd, Aborted> {
        use Operation::*;
        let RequestInputs { id1, link_type, .. } = self.event;
        match self.event.operation {
            AddLink | UpdateLink => self.put_link(context).await?,
            DeleteLink => self.delete_link(context).await?,
            CountLink => {
                say(context, at::COUNT_LINK, &[id1, link_type]);
                context.execute().await?;
            }
            MultigetLink => self.multiget(context).await?,
            GetLinkList => self.get_list(context, at::GET_LINK_LIST).await?,
            GetLinkListHistory => self.get_list(context, at::GET_LINK_LIST_HISTORY).await?,
            AddNode | UpdateNode => self.put_node(context).await?,
            DeleteNode => {
                say(context, at::DELETE_NODE, &[id1]);
                context.execute().await?;
            }
            GetNode => {
                say(context, at::GET_NODE, &[id1]);
                context.execute().await?;
            }
        }
        Ok(EventEnd::Done)
    }
}
