//! The audit: everything is read, hashed and summed again.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;
use throng_account::filter::Budget as Amount;
use throng_account::{MechanismSpec, Neighbours};
use throng_numeric::Rational;

use crate::error::{LedgerError, Result};
use crate::file::Identity;
use crate::record::{Body, Founding, Glance, Kind, Record, genesis};
use crate::rows::{self, snapshot};
use crate::{Anchor, Charter, Digest, amount, price, schema, witness};

/// How much an audit does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// The chain, all sums, all references, and the file's own structure.
    Sums,
    /// The same, and every charge is priced again by the accountant.
    Prices,
}

/// What an audit found to be in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    /// How many records there are.
    pub records: u64,
    /// How many of them are charges.
    pub charges: u64,
    /// How many are releases.
    pub releases: u64,
    /// How many are facts.
    pub facts: u64,
    /// How many are amendments.
    pub amendments: u64,
    /// What is spent in all, summed again.
    pub spent: Amount,
    /// What may be spent in all.
    pub capacity: Amount,
    /// Where the chain stands.
    pub anchor: Anchor,
}

/// Checks a file.
pub(crate) fn file(
    path: &Path,
    anchor: Option<&Anchor>,
    depth: Depth,
    patience: Duration,
) -> Result<Verification> {
    Identity::of(path)?;
    // The file's own structure is checked meanwhile.
    std::thread::scope(|scope| {
        let structure = scope.spawn(|| structure(&schema::reader(path, patience)?));
        let audited = audit(path, anchor, depth, patience);
        let sound = structure.join();
        let audited = audited?;
        sound.unwrap_or_else(|_| Err(LedgerError::corrupt("its structure cannot be checked")))?;
        Ok(audited)
    })
}

/// Reads every record in one snapshot.
fn audit(
    path: &Path,
    anchor: Option<&Anchor>,
    depth: Depth,
    patience: Duration,
) -> Result<Verification> {
    let seen = witness::read(path);
    let connection = schema::reader(path, patience)?;
    snapshot(&connection, |connection| {
        schema::check(connection)?;
        let mut audit = Audit::start(connection, anchor, depth)?;
        let id = &audit.founding.ledger;
        witness::agrees(path, seen, id, |number| rows::digest_of(connection, number))?;
        rows::each(connection, "ORDER BY number", [], |record| audit.visit(&record))?;
        audit.finish(connection)
    })
}

/// What SQLite itself finds.
fn structure(connection: &Connection) -> Result<()> {
    let found: String = connection.pragma_query_value(None, "integrity_check", |row| row.get(0))?;
    if found == "ok" { Ok(()) } else { Err(LedgerError::corrupt(found)) }
}

/// Record 0.
pub(crate) fn founding(connection: &Connection) -> Result<Founding> {
    let record = rows::numbered(connection, 0)?
        .ok_or_else(|| LedgerError::corrupt("record 0 is missing"))?;
    let Body::Charter(founding) = record.read()? else {
        return Err(LedgerError::corrupt("record 0 is not a charter"));
    };
    if founding.format != crate::record::FORMAT {
        return Err(LedgerError::corrupt(format!("record 0 is of format {}", founding.format)));
    }
    Ok(founding)
}

/// Checks the last records only, as a ledger is opened.
pub(crate) fn recent(connection: &Connection, many: u64) -> Result<()> {
    snapshot(connection, |connection| {
        let head = rows::head(connection)?;
        let last = rows::last(connection, &head)?;
        let from = last.number.saturating_sub(many);
        let mut before = match from.checked_sub(1) {
            None => genesis(),
            Some(number) => rows::digest_of(connection, number)?
                .ok_or_else(|| LedgerError::corrupt(format!("record {number} is missing")))?,
        };
        let mut expected = from;
        let condition = "WHERE number >= ?1 ORDER BY number";
        rows::each(connection, condition, [rows::signed(from)?], |record| {
            linked(&record, expected, &before)?;
            record.read()?;
            before = record.digest;
            expected += 1;
            Ok(())
        })
    })
}

/// Refuses a record that is not the next of the chain.
fn linked(record: &Record, expected: u64, before: &Digest) -> Result<()> {
    if record.number != expected {
        return Err(LedgerError::corrupt(format!("record {expected} is missing")));
    }
    if !record.follows(before) {
        return Err(LedgerError::corrupt(format!(
            "record {expected} is not as it was written, or not where it was"
        )));
    }
    Ok(())
}

fn wrong(record: &Record, what: &str) -> LedgerError {
    LedgerError::corrupt(format!("record {} {what}", record.number))
}

/// The state of an audit between records.
struct Audit<'a> {
    depth: Depth,
    anchor: Option<&'a Anchor>,
    founding: Founding,
    charter: Charter,
    before: Digest,
    next: u64,
    spent: Amount,
    written: String,
    own: HashMap<String, Amount>,
    /// The last cost that was read, and its text: the next is often the same.
    cost: (String, Amount),
    /// Charges without an answer so far: number to (digest, question).
    open: HashMap<u64, (Digest, Digest)>,
    counts: HashMap<Kind, u64>,
}

impl<'a> Audit<'a> {
    fn start(connection: &Connection, anchor: Option<&'a Anchor>, depth: Depth) -> Result<Self> {
        let founding = founding(connection)?;
        let charter = founding.charter.charter()?;
        charter.checked()?;
        if let Some(anchor) = anchor
            && anchor.ledger != founding.ledger
        {
            return Err(LedgerError::corrupt("the anchor is of another ledger"));
        }
        let spent = charter.capacity.nothing();
        Ok(Self {
            depth,
            anchor,
            founding,
            before: genesis(),
            next: 0,
            written: amount::text(&spent),
            own: HashMap::new(),
            cost: (amount::text(&spent), spent.clone()),
            spent,
            charter,
            open: HashMap::new(),
            counts: HashMap::new(),
        })
    }

    fn visit(&mut self, record: &Record) -> Result<()> {
        linked(record, self.next, &self.before)?;
        let filed = match record.kind {
            Kind::Charge => self.charge(record)?,
            Kind::Charter | Kind::Release | Kind::Fact | Kind::Amendment => self.other(record)?,
        };
        if record.spent != self.written {
            return Err(wrong(record, "states a total that is not the sum of the charges"));
        }
        if !filed {
            return Err(wrong(record, "is filed under something else"));
        }
        if let Some(anchor) = self.anchor
            && anchor.number == record.number
            && anchor.digest != record.digest
        {
            return Err(wrong(record, "is not the one of the anchor: the ledger was forked"));
        }
        *self.counts.entry(record.kind).or_default() += 1;
        (self.before, self.next) = (record.digest, self.next + 1);
        Ok(())
    }

    /// Checks a record that costs nothing; says whether it is filed where it belongs.
    fn other(&mut self, record: &Record) -> Result<bool> {
        let body = record.read()?;
        match &body {
            Body::Charter(_) if record.number == 0 => {}
            Body::Charter(_) => return Err(wrong(record, "is a second charter")),
            Body::Charge(_) | Body::Release(_) | Body::Fact(_) | Body::Amendment(_)
                if record.number == 0 =>
            {
                return Err(wrong(record, "is not a charter"));
            }
            Body::Release(body) => {
                if self.open.remove(&body.charge) != Some((body.ticket, body.question)) {
                    return Err(wrong(record, "answers no charge, or one again"));
                }
            }
            Body::Charge(_) | Body::Fact(_) => {}
            Body::Amendment(body) => self.amendment(record, body.charter()?)?,
        }
        Ok(record.lookup == body.lookup() && record.answers == body.answers())
    }

    fn amendment(&mut self, record: &Record, charter: Charter) -> Result<()> {
        charter.checked()?;
        let same = charter.under == self.charter.under
            && amount::same_currency(&charter.capacity, &self.charter.capacity);
        if !same || !amount::fits(&self.spent, &charter.capacity) {
            return Err(wrong(record, "is an amendment that is not allowed"));
        }
        self.charter = charter;
        Ok(())
    }

    /// Adds a charge up again; says whether it is filed where it belongs.
    fn charge(&mut self, record: &Record) -> Result<bool> {
        if record.number == 0 {
            return Err(wrong(record, "is not a charter"));
        }
        let body = record.glance()?;
        if self.cost.0 != *body.cost.0 {
            self.cost = (body.cost.0.to_string(), amount::parse(&body.cost.0)?);
        }
        self.spent = amount::plus(&self.spent, &self.cost.1)?;
        self.written = amount::text(&self.spent);
        if !amount::fits(&self.spent, &self.charter.capacity) {
            return Err(wrong(record, "spends more than there was"));
        }
        let analyst = body.analyst.as_ref().map(|name| name.0.as_ref());
        let own = analyst.map(|name| self.own_after(name)).transpose()?;
        if own.as_deref() != body.own.as_ref().map(|own| own.0.as_ref()) {
            return Err(wrong(record, "states a total of the analyst that is not the sum"));
        }
        if self.depth == Depth::Prices {
            covers(&self.cost.1, &body, self.charter.under)
                .map_err(|error| wrong(record, &format!("is priced wrongly: {error}")))?;
        }
        self.open.insert(record.number, (record.digest, body.question));
        Ok(record.lookup.as_deref() == analyst.map(str::as_bytes) && record.answers.is_none())
    }

    /// What the analyst has spent after a charge of the current cost, as text.
    fn own_after(&mut self, name: &str) -> Result<String> {
        let cost = &self.cost.1;
        if let Some(own) = self.own.get_mut(name) {
            *own = amount::plus(own, cost)?;
            return Ok(amount::text(own));
        }
        self.own.insert(name.to_owned(), cost.clone());
        Ok(amount::text(cost))
    }

    fn finish(self, connection: &Connection) -> Result<Verification> {
        let head = rows::head(connection)?;
        let last = self.next.checked_sub(1);
        if last != Some(head.number) || self.before != head.digest || self.spent != head.spent {
            return Err(LedgerError::corrupt("the head is not the end of the records"));
        }
        if let Some(anchor) = self.anchor
            && anchor.number > head.number
        {
            return Err(LedgerError::corrupt(format!(
                "it ends at record {}, but the anchor has seen record {}: this is an older copy",
                head.number, anchor.number
            )));
        }
        let count = |kind: Kind| self.counts.get(&kind).copied().unwrap_or(0);
        Ok(Verification {
            records: self.next,
            charges: count(Kind::Charge),
            releases: count(Kind::Release),
            facts: count(Kind::Fact),
            amendments: count(Kind::Amendment),
            spent: self.spent,
            capacity: self.charter.capacity,
            anchor: Anchor {
                ledger: self.founding.ledger,
                number: head.number,
                digest: head.digest,
            },
        })
    }
}

/// Prices a charge again; what was recorded must not be less.
fn covers(cost: &Amount, body: &Glance<'_>, under: Neighbours) -> Result<()> {
    let spec: MechanismSpec = body.spec.0.parse()?;
    let delta = body.delta.as_ref().map(|delta| delta.0.parse::<Rational>()).transpose();
    let delta = delta.map_err(|_| LedgerError::corrupt("its delta cannot be read"))?;
    let again = price::price(cost, &spec, under, delta.as_ref())?;
    if amount::fits(&again, cost) {
        return Ok(());
    }
    Err(LedgerError::corrupt(format!("{again} is the price, and {cost} was recorded")))
}
