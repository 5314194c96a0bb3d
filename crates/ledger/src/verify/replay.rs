//! Every charge is added up again, in order.

use std::collections::HashMap;

use super::prices::Prices;
use super::tally::{Exact, Tally};
use super::{Depth, Verification, linked};
use crate::error::{LedgerError, Result};
use crate::record::{Body, Founding, Kind, Record, genesis};
use crate::rows::Head;
use crate::{Anchor, Charter, Digest, amount};

/// The state of a replay between records.
pub(super) struct Replay<'a> {
    depth: Depth,
    anchor: Option<&'a Anchor>,
    ledger: String,
    charter: Charter,
    capacity: Exact,
    before: Digest,
    next: u64,
    spent: Tally,
    own: HashMap<String, Tally>,
    /// The last cost that was read, and its text: the next is often the same.
    cost: (String, Exact),
    prices: Prices,
    /// For each record, if it is a charge without an answer so far, its digest and its question.
    open: Vec<Option<(Digest, Digest)>>,
    counts: [u64; Kind::ALL.len()],
}

fn wrong(record: &Record<'_>, what: &str) -> LedgerError {
    LedgerError::corrupt(format!("record {} {what}", record.number))
}

impl<'a> Replay<'a> {
    pub(super) fn start(
        founding: Founding,
        anchor: Option<&'a Anchor>,
        depth: Depth,
    ) -> Result<Self> {
        let charter = founding.charter.charter()?;
        charter.checked()?;
        if anchor.is_some_and(|anchor| anchor.ledger != founding.ledger) {
            return Err(LedgerError::corrupt("the anchor is of another ledger"));
        }
        Ok(Self {
            depth,
            anchor,
            ledger: founding.ledger,
            before: genesis(),
            next: 0,
            spent: Tally::nothing(&charter.capacity),
            own: HashMap::new(),
            cost: (String::new(), Exact::of(charter.capacity.nothing())),
            prices: Prices::default(),
            capacity: Exact::of(charter.capacity.clone()),
            charter,
            open: Vec::new(),
            counts: Default::default(),
        })
    }

    /// Which ledger this is.
    pub(super) fn ledger(&self) -> &str {
        &self.ledger
    }

    /// Checks the next record.
    pub(super) fn visit(&mut self, record: &Record<'_>) -> Result<()> {
        linked(record, self.next, &self.before)?;
        let (opened, filed) = match record.kind {
            Kind::Charge => self.charge(record)?,
            Kind::Charter | Kind::Release | Kind::Fact | Kind::Amendment => {
                (None, self.other(record)?)
            }
        };
        if record.spent != self.spent.text() {
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
        self.open.push(opened.map(|question| (record.digest, question)));
        if let Some(count) = self.counts.get_mut(usize::from(record.kind.code())) {
            *count += 1;
        }
        (self.before, self.next) = (record.digest, self.next + 1);
        Ok(())
    }

    /// Checks a record that costs nothing; says whether it is filed where it belongs.
    fn other(&mut self, record: &Record<'_>) -> Result<bool> {
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
                if self.answered(body.charge) != Some((body.ticket, body.question)) {
                    return Err(wrong(record, "answers no charge, or one again"));
                }
            }
            Body::Charge(_) | Body::Fact(_) => {}
            Body::Amendment(body) => self.amendment(record, body.charter()?)?,
        }
        Ok(record.lookup.as_deref() == body.lookup().as_deref() && record.answers == body.answers())
    }

    /// The digest and the question of a charge that had no answer so far, and has one now.
    fn answered(&mut self, charge: u64) -> Option<(Digest, Digest)> {
        self.open.get_mut(usize::try_from(charge).ok()?)?.take()
    }

    fn amendment(&mut self, record: &Record<'_>, charter: Charter) -> Result<()> {
        charter.checked()?;
        let same = charter.under == self.charter.under
            && amount::same_currency(&charter.capacity, &self.charter.capacity);
        let capacity = Exact::of(charter.capacity.clone());
        if !same || !self.spent.fits(&capacity)? {
            return Err(wrong(record, "is an amendment that is not allowed"));
        }
        self.capacity = capacity;
        self.charter = charter;
        Ok(())
    }

    /// Adds a charge up again; gives its question and says whether it is filed where it belongs.
    fn charge(&mut self, record: &Record<'_>) -> Result<(Option<Digest>, bool)> {
        if record.number == 0 {
            return Err(wrong(record, "is not a charter"));
        }
        let body = record.glance()?;
        if self.cost.0 != *body.cost.0 {
            let cost = Exact::of(amount::parse(&body.cost.0)?);
            self.cost = (body.cost.0.to_string(), cost);
        }
        self.spent.add(&self.cost.1)?;
        if !self.spent.fits(&self.capacity)? {
            return Err(wrong(record, "spends more than there was"));
        }
        let analyst = body.analyst.as_ref().map(|name| name.0.as_ref());
        let own = analyst.map(|name| self.own_after(name)).transpose()?;
        if own != body.own.as_ref().map(|own| own.0.as_ref()) {
            return Err(wrong(record, "states a total of the analyst that is not the sum"));
        }
        if self.depth == Depth::Prices {
            self.prices
                .cover(self.cost.1.amount(), &body, self.charter.under)
                .map_err(|error| wrong(record, &format!("is priced wrongly: {error}")))?;
        }
        let filed =
            record.lookup.as_deref() == analyst.map(str::as_bytes) && record.answers.is_none();
        Ok((Some(body.question), filed))
    }

    /// What the analyst has spent after a charge of the current cost, as text.
    fn own_after(&mut self, name: &str) -> Result<&str> {
        if !self.own.contains_key(name) {
            self.own.insert(name.to_owned(), Tally::nothing(&self.charter.capacity));
        }
        let own = self.own.get_mut(name).ok_or_else(|| LedgerError::corrupt("a name was lost"))?;
        own.add(&self.cost.1)?;
        Ok(own.text())
    }

    /// What was found, if the chain ends where the head says.
    pub(super) fn finish(self, head: &Head) -> Result<Verification> {
        let last = self.next.checked_sub(1);
        let spent = self.spent.total()?;
        if last != Some(head.number) || self.before != head.digest || spent != head.spent {
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
        let count = |kind: Kind| self.counts.get(usize::from(kind.code())).copied().unwrap_or(0);
        Ok(Verification {
            records: self.next,
            charges: count(Kind::Charge),
            releases: count(Kind::Release),
            facts: count(Kind::Fact),
            amendments: count(Kind::Amendment),
            spent,
            capacity: self.charter.capacity,
            anchor: Anchor { ledger: self.ledger, number: head.number, digest: head.digest },
        })
    }
}
