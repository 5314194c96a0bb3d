//! Where the ledger stands, and what it says to a charge.

use std::collections::HashMap;
use std::sync::Arc;

use rusqlite::Connection;
use throng_account::MechanismSpec;
use throng_account::filter::{Budget as Amount, Receipt};

use crate::error::{LedgerError, Result, Whose};
use crate::record::{Body, Kind, Record, Spending, seal};
use crate::rows::{self, Head};
use crate::{Charge, Charter, amount};

/// The end of the chain with all that a decision needs: totals and the charter in force.
#[derive(Debug, Clone)]
pub(crate) struct Standing {
    pub(crate) head: Head,
    pub(crate) charter: Charter,
    /// What analysts have spent, as far as it was looked up.
    own: HashMap<String, Amount>,
}

/// A charge with its price.
#[derive(Debug, Clone)]
pub(crate) struct Priced {
    pub(crate) charge: Charge,
    /// The mechanism, as it is recorded.
    pub(crate) spec: Arc<str>,
    pub(crate) cost: Amount,
}

impl Priced {
    /// A charge that can be recorded, with the text and the price of its mechanism.
    pub(crate) fn new(
        charge: &Charge,
        known: impl FnOnce() -> Result<(Arc<str>, Amount)>,
    ) -> Result<Self> {
        if charge.analyst.as_deref() == Some("") {
            return Err(LedgerError::invalid("the analyst has no name", "name the analyst"));
        }
        let (spec, cost) = known()?;
        Ok(Self { charge: charge.clone(), spec, cost })
    }
}

/// The text of a spec, if it and its cost are read back as they are.
pub(crate) fn written(spec: &MechanismSpec, cost: &Amount) -> Result<Arc<str>> {
    let text = spec.to_string();
    let again: MechanismSpec = text.parse()?;
    if again.to_string() != text {
        return Err(LedgerError::invalid(
            "the spec cannot be written down",
            "report this as a bug",
        ));
    }
    amount::parse(&amount::text(cost)).map_err(|_| {
        LedgerError::invalid("the cost cannot be written down", "use shorter numbers")
    })?;
    Ok(text.into())
}

/// What a charge would do.
#[derive(Debug, Clone)]
pub(crate) struct Verdict {
    pub(crate) receipt: Receipt,
    /// What the analyst will have spent.
    pub(crate) own: Option<Amount>,
}

impl Standing {
    /// Reads the end of the chain and checks it.
    pub(crate) fn read(connection: &Connection) -> Result<Self> {
        let head = rows::head(connection)?;
        rows::last(connection, &head)?;
        Ok(Self { charter: charter(connection)?, head, own: HashMap::new() })
    }

    /// What an analyst has spent.
    pub(crate) fn own(&mut self, connection: &Connection, analyst: &str) -> Result<Amount> {
        if let Some(known) = self.own.get(analyst) {
            return Ok(known.clone());
        }
        let newest = rows::newest(connection, Kind::Charge, Some(analyst.as_bytes()))?;
        let own = match newest {
            None => self.charter.capacity.nothing(),
            Some(record) => own_total(&record, analyst)?,
        };
        self.own.insert(analyst.to_owned(), own.clone());
        Ok(own)
    }

    /// What is left for everybody, or for one analyst.
    pub(crate) fn left(
        &mut self,
        connection: &Connection,
        analyst: Option<&str>,
    ) -> Result<Amount> {
        let left = amount::minus(&self.charter.capacity, &self.head.spent)?;
        let Some(name) = analyst else { return Ok(left) };
        let Some(quota) = self.charter.quota(name).cloned() else { return Ok(left) };
        amount::least(&left, &amount::minus(&quota, &self.own(connection, name)?)?)
    }

    /// What a charge would do now; nothing is changed.
    pub(crate) fn judge(&mut self, connection: &Connection, priced: &Priced) -> Result<Verdict> {
        if let Some(answer) =
            rows::oldest(connection, Kind::Release, priced.charge.question.as_bytes())?
        {
            let Body::Release(body) = answer.read()? else {
                return Err(LedgerError::corrupt("a release is not a release"));
            };
            let ticket = crate::Ticket { number: body.charge, digest: body.ticket };
            return Err(LedgerError::AlreadyAnswered(ticket));
        }
        let analyst = priced.charge.analyst.as_deref();
        let own = match analyst {
            Some(name) => Some((name, self.own(connection, name)?)),
            None => None,
        };
        verdict(&self.charter, &self.head.spent, own, priced)
    }

    /// The record of a charge, and the standing after it.
    pub(crate) fn charge(&mut self, priced: &Priced, verdict: &Verdict) -> Result<Record<'static>> {
        let own = verdict.own.as_ref();
        let body = Spending::of(priced, verdict.receipt.cost.clone(), own);
        let record = self.append(&Body::Charge(body), Vec::new(), verdict.receipt.spent.clone())?;
        if let (Some(name), Some(own)) = (&priced.charge.analyst, own) {
            self.own.insert(name.clone(), own.clone());
        }
        Ok(record)
    }

    /// A record that costs nothing, and the standing after it.
    pub(crate) fn free(&mut self, body: &Body, payload: Vec<u8>) -> Result<Record<'static>> {
        self.append(body, payload, self.head.spent.clone())
    }

    fn append(&mut self, body: &Body, payload: Vec<u8>, spent: Amount) -> Result<Record<'static>> {
        let number = self.head.number.checked_add(1);
        let number =
            number.ok_or_else(|| LedgerError::refused("the ledger is full", "start another"))?;
        let record = link(&self.head.digest, number, body, payload, &spent)?;
        self.head = Head { number, digest: record.digest, spent };
        Ok(record)
    }
}

/// The longest body or payload.
const MAX_BYTES: usize = 1 << 28;

/// A record after another.
pub(crate) fn link(
    before: &crate::Digest,
    number: u64,
    body: &Body,
    payload: Vec<u8>,
    spent: &Amount,
) -> Result<Record<'static>> {
    let (json, total) = (body.json()?, amount::text(spent));
    if json.len().max(payload.len()) > MAX_BYTES {
        return Err(LedgerError::invalid("this is too long to record", "at most 256 MiB"));
    }
    let kind = body.kind();
    Ok(Record {
        number,
        kind,
        digest: seal(before, number, kind, json.as_bytes(), &payload, total.as_bytes()),
        body: json.into(),
        payload: payload.into(),
        spent: total.into(),
        lookup: body.lookup().map(Into::into),
        answers: body.answers(),
    })
}

/// What a charge does where so much is spent, by all and by its analyst.
pub(crate) fn verdict(
    charter: &Charter,
    spent: &Amount,
    own: Option<(&str, Amount)>,
    priced: &Priced,
) -> Result<Verdict> {
    let totals: Vec<_> = own.iter().map(|(_, own)| own).chain([spent]).collect();
    let cost = amount::bounded(&priced.cost, &totals)?;
    let spent = within(&charter.capacity, spent, &cost, || Whose::Global)?;
    let left = amount::minus(&charter.capacity, &spent)?;
    let own = own.map(|(name, own)| match charter.quota(name) {
        None => amount::plus(&own, &cost),
        Some(quota) => within(quota, &own, &cost, || Whose::Analyst(name.to_owned())),
    });
    Ok(Verdict { own: own.transpose()?, receipt: Receipt { cost, spent, left } })
}

/// spent + cost if that is within the limit.
fn within(
    limit: &Amount,
    spent: &Amount,
    cost: &Amount,
    whose: impl FnOnce() -> Whose,
) -> Result<Amount> {
    let total = amount::plus(spent, cost)?;
    if amount::fits(&total, limit) {
        return Ok(total);
    }
    let left = amount::minus(limit, spent)?;
    Err(LedgerError::Exhausted {
        asked: Box::new(cost.clone()),
        left: Box::new(left),
        whose: whose(),
    })
}

/// The running total of an analyst, from their newest charge.
fn own_total(record: &Record<'_>, analyst: &str) -> Result<Amount> {
    match record.read()? {
        Body::Charge(Spending { analyst: Some(name), own: Some(own), .. }) if name == analyst => {
            amount::parse(&own)
        }
        Body::Charter(_)
        | Body::Charge(_)
        | Body::Release(_)
        | Body::Fact(_)
        | Body::Amendment(_) => {
            Err(LedgerError::corrupt(format!("record {} is of somebody else", record.number)))
        }
    }
}

/// The charter in force: the newest amendment, or record 0.
pub(crate) fn charter(connection: &Connection) -> Result<Charter> {
    let amended = rows::newest(connection, Kind::Amendment, None)?;
    let record = match amended {
        Some(record) => record,
        None => rows::numbered(connection, 0)?
            .ok_or_else(|| LedgerError::corrupt("record 0 is missing"))?,
    };
    match record.read()? {
        Body::Charter(founding) => founding.charter.charter(),
        Body::Amendment(charter) => charter.charter(),
        Body::Charge(_) | Body::Release(_) | Body::Fact(_) => {
            Err(LedgerError::corrupt("record 0 is not a charter"))
        }
    }
}
