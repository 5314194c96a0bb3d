//! The walk of a question: explain, pay, run, store, hand over.
//!
//! ```text
//! prepare   text -> questions -> noise -> price; reads schemas only, spends nothing
//! ask       pay durably -> read rows -> release -> store durably -> finish -> hand over
//! ```
//!
//! A question that was answered before, on the same version of the data, is answered again from the
//! ledger, free. A failure after the payment stays spent: a crash may cost budget, never privacy.

mod books;
mod bounds;
mod desk;
mod explanation;
mod names;
mod preview;
mod progress;
mod purse;
mod reply;
mod scan;
mod stop;
#[cfg(test)]
mod tests;
mod views;

use std::sync::Arc;
use throng_account::MechanismSpec;
use throng_account::filter::Receipt;

use throng_ledger::{Asked, Charge, Charter, Digest, Ledger, LedgerError, Stored, Ticket};
use throng_mechanism::{Mechanism, Sensitive};
use throng_numeric::patience::given_up;
use throng_sample::{Entropy, OsEntropy};

pub use books::{Books, Keeper};
pub use desk::request;
use desk::{Desk, delta_of};
pub use explanation::{Explanation, StatementPlan};
pub use preview::Preview;
pub use progress::{Progress, Watch};
pub use purse::Purse;
pub use reply::{CostReport, Reply};
use scan::Scan;

use crate::answer::{self, Consistency, Table};
use crate::catalog::{Catalog, Frames, threads};
use crate::policy::{Policy, Privacy, UnitRule};
use crate::release::{Answered, Cost, Design, Request, Source};
use crate::sql::{Batch, Statement};
use crate::{QueryError, quiet};

/// Private tables, their policy and their budget, ready to be asked.
///
/// # Guarantee
/// Whatever is asked, by however many and however they choose their questions, all answers
/// together have the guarantee of the policy's budget: a charge is durable before the first row is
/// read, and only a paid-for mechanism sees totals of rows.
pub struct Session {
    policy: Policy,
    catalog: Catalog,
    books: Arc<dyn Keeper>,
    runtime: tokio::runtime::Runtime,
}

/// A batch of questions that is understood and priced, and not yet paid for.
#[derive(Debug)]
pub struct Prepared {
    batch: Batch,
    paid: Option<Paid>,
    analyst: Option<String>,
    explanation: Explanation,
}

/// The private part of a batch; a batch that reads public tables only has none.
#[derive(Debug)]
struct Paid {
    key: Digest,
    request: Request,
    stored: Option<Box<Stored>>,
    offer: Option<Offer>,
}

/// A mechanism and what it would cost.
#[derive(Debug)]
struct Offer {
    design: Design,
    charge: Charge,
    receipt: Result<Receipt, LedgerError>,
}

impl Session {
    /// Opens the tables and the budget of a policy; the ledger is made if there is none.
    ///
    /// # Errors
    /// If a table cannot be found or is not as the policy says, or the ledger is of another
    /// policy, damaged or locked.
    pub fn open(policy: Policy) -> Result<Self, QueryError> {
        let catalog = Catalog::open(&policy)?;
        let ledger = Ledger::open_or_create(&policy.ledger, &charter(&policy))?;
        Self::assembled(policy, catalog, Arc::new(ledger))
    }

    /// The same for tables in memory, paid for from a budget that is opened already.
    ///
    /// # Errors
    /// If a table is not as the policy says, or the budget is not that of the policy.
    pub fn open_with(
        policy: Policy,
        frames: &Frames,
        books: Arc<dyn Keeper>,
    ) -> Result<Self, QueryError> {
        let catalog = Catalog::open_with(&policy, frames)?;
        if books.budget()?.0 != policy.budget {
            return Err(QueryError::invalid(
                "the budget is not that of the policy",
                "give the policy the capacity of the budget",
            ));
        }
        Self::assembled(policy, catalog, books)
    }

    fn assembled(
        policy: Policy,
        catalog: Catalog,
        books: Arc<dyn Keeper>,
    ) -> Result<Self, QueryError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(threads(policy.engine))
            .enable_all()
            .on_thread_start(quiet::hush_thread)
            .build()
            .map_err(|_| QueryError::engine("starting its threads"))?;
        Ok(Self { policy, catalog, books, runtime })
    }

    /// The owner's rules.
    #[must_use]
    pub const fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The tables.
    #[must_use]
    pub const fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// The keeper of the budget.
    #[must_use]
    pub fn books(&self) -> &dyn Keeper {
        self.books.as_ref()
    }

    /// What a query asks for if nothing else is said: the policy's defaults.
    ///
    /// # Errors
    /// If the policy states no default cost.
    pub fn request(&self, cost: Option<Cost>) -> Result<Request, QueryError> {
        request(&self.policy, cost)
    }

    /// Understands and prices a batch of statements. Reads schemas only and spends nothing.
    ///
    /// # Errors
    /// If the text is not understood or would leak, or no noise fits the request. That the budget
    /// does not cover it is not an error here: see [`Prepared::receipt`].
    pub fn prepare(
        &self,
        sql: &str,
        request: &Request,
        analyst: Option<&str>,
    ) -> Result<Prepared, QueryError> {
        let (policy, catalog) = (&self.policy, &self.catalog);
        Desk { policy, catalog, books: self.books.as_ref() }.prepare(sql, request, analyst)
    }

    /// Answers a batch: pays for it unless it is stored, runs it, stores the release, finishes it.
    ///
    /// # Errors
    /// If the budget does not cover it (nothing is spent then), or something fails after the payment
    /// (then it is spent); [`QueryError::Interrupted`] if it is given up, see
    /// [`throng_numeric::patience`].
    pub fn ask(
        &self,
        prepared: Prepared,
        consistency: Consistency,
        progress: &Watch,
    ) -> Result<Reply, QueryError> {
        self.ask_with(prepared, consistency, progress, &mut OsEntropy)
    }

    /// As [`Session::ask`], with noise from a given source: for tests.
    ///
    /// # Errors
    /// As for [`Session::ask`].
    pub fn ask_with(
        &self,
        prepared: Prepared,
        consistency: Consistency,
        progress: &Watch,
        entropy: &mut dyn Entropy,
    ) -> Result<Reply, QueryError> {
        let Prepared { batch, paid, analyst, explanation: _ } = prepared;
        let Some(paid) = paid else {
            let tables = self.finish(&batch, Vec::new(), consistency)?.0;
            return Reply::public(tables, self.books.remaining(analyst.as_deref())?);
        };
        let delta = delta_of(&paid.request.cost).clone();
        let released = self.released(&batch, paid, progress, entropy)?;
        let spec = released.spec;
        let answers = released.answers;
        let (tables, mut notes) = self.finish(&batch, answers.clone(), consistency)?;
        notes.extend(reply::notes(&batch, &answers));
        Ok(Reply {
            tables,
            clipping: answers.iter().filter_map(|answer| answer.clipping).collect(),
            notes,
            cost: Some(CostReport::of(&spec, self.policy.neighbours, &delta, &released.receipt)?),
            remaining: self.books.remaining(analyst.as_deref())?,
            receipt: Some(released.ticket.to_string()),
            fresh: released.fresh,
        })
    }

    /// The release of a batch: the stored one, or a new one that is paid for here.
    fn released(
        &self,
        batch: &Batch,
        paid: Paid,
        progress: &Watch,
        entropy: &mut dyn Entropy,
    ) -> Result<Released, QueryError> {
        // Whoever asks the same at the same time waits for the answer instead of paying twice.
        let _turn = self.books.turn(&paid.key);
        if let Asked::Stored(stored) = self.books.ask(&paid.key)? {
            return Released::stored(*stored);
        }
        let Some(Offer { design, charge, receipt: _ }) = paid.offer else {
            return Err(QueryError::invalid(
                "the stored answer is gone",
                "the ledger was replaced meanwhile: ask again",
            ));
        };
        for table in batch.statements.iter().flat_map(Statement::tables) {
            self.catalog.unchanged(&self.policy, table)?;
        }
        if given_up() {
            return Err(QueryError::Interrupted { paid: false });
        }
        let spec = charge.spec.clone();
        let authorised = self.books.authorise(&charge)?;
        let scan = Sensitive::new(Scan::new(&self.catalog, self.runtime.handle(), progress)?);
        let source: &Sensitive<dyn Source> = &scan;
        let ran = design.run(source, authorised.permit, entropy);
        if ran.is_err() && given_up() {
            return Err(QueryError::Interrupted { paid: true });
        }
        let (answers, _) = ran?.into_parts();
        self.books.store(&authorised.ticket, &payload(&spec, &answers)?)?;
        self.keep(batch, &answers)?;
        Ok(Released {
            answers,
            spec,
            ticket: authorised.ticket,
            receipt: authorised.receipt,
            fresh: true,
        })
    }

    /// Keeps what later questions may use: bounds that were chosen, and what bounds cut off if that
    /// is worth a warning, or corrects one.
    fn keep(&self, batch: &Batch, answers: &[Answered]) -> Result<(), QueryError> {
        for (name, value) in answers.iter().flat_map(|answer| &answer.facts) {
            self.books.note("fact", name, value.as_bytes())?;
        }
        for (question, answer) in batch.questions().zip(answers) {
            let Some(clipping) = answer.clipping else { continue };
            let name = bounds::fact_name(question);
            if bounds::look_wrong(clipping) || self.books.fact(&name).is_some() {
                self.books.note("fact", &name, bounds::to_text(clipping).as_bytes())?;
            }
        }
        Ok(())
    }

    fn finish(
        &self,
        batch: &Batch,
        answers: Vec<Answered>,
        consistency: Consistency,
    ) -> Result<(Vec<Table>, Vec<String>), QueryError> {
        let mut answers = answers.into_iter();
        let mut notes = Vec::new();
        let mut tables = Vec::new();
        for statement in &batch.statements {
            let mut own: Vec<Answered> = answers.by_ref().take(statement.questions.len()).collect();
            notes.extend(answer::consistent(
                consistency,
                &statement.questions,
                &statement.nodes,
                &mut own,
            ));
            tables.push(self.runtime.block_on(answer::finish(
                &statement.outer,
                &statement.nodes,
                &own,
            ))?);
        }
        Ok((tables, notes))
    }
}

impl Prepared {
    /// Whether the answer is stored, and free.
    #[must_use]
    pub fn stored(&self) -> bool {
        self.paid.as_ref().is_none_or(|paid| paid.stored.is_some())
    }

    /// What paying would do, or that the budget does not cover it; `None` if it is free.
    #[must_use]
    pub fn receipt(&self) -> Option<Result<&Receipt, &LedgerError>> {
        Some(self.paid.as_ref()?.offer.as_ref()?.receipt.as_ref())
    }

    /// What will be done, in words and numbers.
    #[must_use]
    pub const fn explanation(&self) -> &Explanation {
        &self.explanation
    }
}

/// Answers with the charge that paid for them.
struct Released {
    answers: Vec<Answered>,
    spec: MechanismSpec,
    ticket: Ticket,
    receipt: Receipt,
    fresh: bool,
}

impl Released {
    fn stored(stored: Stored) -> Result<Self, QueryError> {
        let (spec, answers) = unpacked(&stored.payload)?;
        Ok(Self { answers, spec, ticket: stored.ticket, receipt: stored.receipt, fresh: false })
    }
}

/// A release as it is stored: what ran, in one line, and the cells.
fn payload(spec: &MechanismSpec, answers: &[Answered]) -> Result<Vec<u8>, QueryError> {
    let mut bytes = format!("{spec}\n").into_bytes();
    bytes.extend(answer::encode(answers)?);
    Ok(bytes)
}

fn unpacked(payload: &[u8]) -> Result<(MechanismSpec, Vec<Answered>), QueryError> {
    let damaged = || {
        QueryError::invalid(
            "the stored release cannot be read",
            "run `throng ledger verify`; the release may be of a newer version of throng",
        )
    };
    let end = payload.iter().position(|byte| *byte == b'\n').ok_or_else(damaged)?;
    let (line, cells) = payload.split_at(end);
    let spec = std::str::from_utf8(line).map_err(|_| damaged())?.parse()?;
    Ok((spec, answer::decode(cells.get(1..).ok_or_else(damaged)?)?))
}

/// Whom a policy without a file protects, in words.
///
/// One budget protects one kind of unit: costs of users and costs of rows do not add up.
#[must_use]
pub fn units(policy: &Policy) -> String {
    let units = policy.tables.iter().map(|table| match &table.privacy {
        Privacy::Public => "public".to_owned(),
        Privacy::Private { unit: UnitRule::Row, .. } => "row".to_owned(),
        Privacy::Private { unit: UnitRule::Column { column, .. }, .. } => column.clone(),
        Privacy::Private { unit: UnitRule::Through { table, .. }, .. } => table.clone(),
    });
    let mut units: Vec<String> = units.filter(|unit| unit != "public").collect();
    units.sort();
    units.dedup();
    format!("unit {}", units.join(", "))
}

/// How the names of such budgets begin.
pub const QUICK: &str = "command line, ";

/// The budget as the ledger keeps it.
///
/// A policy file that comes to mean something else needs an amendment; on the command line
/// bounds are said anew with each question.
#[must_use]
pub fn charter(policy: &Policy) -> Charter {
    let name = if policy.is_quick() { format!("{QUICK}{}", units(policy)) } else { policy.id() };
    let mut charter = Charter::new(policy.capacity(), policy.neighbours, name);
    charter.quotas = policy.analysts.clone();
    charter.default_quota = charter.quotas.remove("*");
    charter
}
