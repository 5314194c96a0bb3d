//! Reading the ledger: what was asked, what was expensive, how it stands.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use rusqlite::{Connection, params};
use serde::Serialize;
use throng_account::filter::Budget as Amount;

use crate::digest::hex;
use crate::error::{LedgerError, Result};
use crate::record::{Body, Kind, Record, Spending};
use crate::rows::{self, snapshot};
use crate::standing::{self, Standing};
use crate::{Anchor, Charter, Digest, Ledger, Ticket, amount};

/// A charge as the history shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The charge.
    pub ticket: Ticket,
    /// The key of the question.
    pub question: Digest,
    /// The SQL text.
    pub label: String,
    /// Who asked.
    pub analyst: Option<String>,
    /// What was run, as text.
    pub spec: String,
    /// What it cost.
    pub cost: Amount,
    /// What everybody together had spent after it.
    pub spent: Amount,
    /// When, as the caller's clock had it.
    pub at: Option<String>,
    /// Whether its release is stored.
    pub answered: bool,
}

/// Which charges to show.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selection {
    /// Only those of one analyst.
    pub analyst: Option<String>,
    /// Only those before a record, to page backwards.
    pub before: Option<u64>,
    /// At most this many.
    pub limit: Option<u64>,
}

/// How the ledger stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// The charter in force.
    pub charter: Charter,
    /// What is spent.
    pub spent: Amount,
    /// What is left.
    pub left: Amount,
    /// What every analyst who ever asked has spent.
    pub analysts: BTreeMap<String, Amount>,
    /// How many records of each kind there are.
    pub counts: BTreeMap<Kind, u64>,
    /// Where the chain stands.
    pub anchor: Anchor,
}

/// A fact, with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The number of its record.
    pub number: u64,
    /// What kind of fact, in the caller's words.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: Vec<u8>,
}

impl Ledger {
    /// Charges, newest first.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn history(&self, selection: &Selection) -> Result<Vec<Line>> {
        let limit = selection.limit.unwrap_or(u64::MAX).min(i64::MAX.unsigned_abs());
        let before = selection.before.unwrap_or(u64::MAX).min(i64::MAX.unsigned_abs());
        let analyst = selection.analyst.as_deref().map(str::as_bytes);
        let filed = "INDEXED BY by_lookup WHERE kind = ?1 AND lookup = ?2 AND number < ?3 ORDER BY number DESC LIMIT ?4";
        let any = "WHERE kind = ?1 AND ?2 IS NULL AND number < ?3 ORDER BY number DESC LIMIT ?4";
        let condition = if analyst.is_some() { filed } else { any };
        let bound =
            params![Kind::Charge.code(), analyst, rows::signed(before)?, rows::signed(limit)?];
        let mut lines = Vec::new();
        self.long(|connection| {
            rows::each(connection, condition, bound, |record| {
                lines.push(line(connection, &record)?);
                Ok(())
            })
        })?;
        Ok(lines)
    }

    /// The most expensive charges, by the first number of their cost and then the next; among
    /// equals the oldest first.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn top(&self, many: usize) -> Result<Vec<Line>> {
        self.long(|connection| {
            let mut best = BTreeSet::new();
            let condition = "WHERE kind = ?1 ORDER BY number";
            rows::each(connection, condition, [Kind::Charge.code()], |record| {
                let cost = spending(&record)?.cost;
                let key: Vec<_> = amount::values(&cost).into_iter().cloned().collect();
                best.insert((key, Reverse(record.number)));
                if best.len() > many {
                    best.pop_first();
                }
                Ok(())
            })?;
            let found = best.into_iter().rev().map(|(_, Reverse(number))| {
                let record = rows::numbered(connection, number)?;
                let missing = || LedgerError::corrupt(format!("record {number} is missing"));
                line(connection, &record.ok_or_else(missing)?)
            });
            found.collect()
        })
    }

    /// How the ledger stands.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn summary(&self) -> Result<Summary> {
        self.long(|connection| {
            let mut standing = Standing::read(connection)?;
            let mut analysts = BTreeMap::new();
            for name in names(connection)? {
                let own = standing.own(connection, &name)?;
                analysts.insert(name, own);
            }
            Ok(Summary {
                spent: standing.head.spent.clone(),
                left: standing.left(connection, None)?,
                charter: standing::charter(connection)?,
                analysts,
                counts: counts(connection)?,
                anchor: Anchor {
                    ledger: self.id().to_owned(),
                    number: standing.head.number,
                    digest: standing.head.digest,
                },
            })
        })
    }

    /// All facts in the order in which they were recorded.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn notes(&self) -> Result<Vec<Note>> {
        let mut notes = Vec::new();
        self.long(|connection| {
            let condition = "INDEXED BY by_lookup WHERE kind = ?1";
            rows::each(connection, condition, [Kind::Fact.code()], |record| {
                let Body::Fact(fact) = record.read()? else {
                    return Err(LedgerError::corrupt("a fact is not a fact"));
                };
                let (number, value) = (record.number, record.payload.into_owned());
                notes.push(Note { number, kind: fact.kind, name: fact.name, value });
                Ok(())
            })
        })?;
        notes.sort_by_key(|note| note.number);
        Ok(notes)
    }

    /// Writes all records, one JSON object a line, and says how many.
    ///
    /// # Errors
    /// If the ledger cannot be read or the writer fails.
    pub fn export(&self, mut to: impl Write) -> Result<u64> {
        let failed = |error: std::io::Error| {
            LedgerError::refused(format!("the export failed: {error}"), "write it elsewhere")
        };
        let mut many = 0;
        self.long(|connection| {
            rows::each(connection, "ORDER BY number", [], |record| {
                let body: serde_json::Value = serde_json::from_str(&record.body).map_err(|_| {
                    LedgerError::corrupt(format!("record {} cannot be read", record.number))
                })?;
                let text = serde_json::to_string(&Exported::of(&record, body))
                    .map_err(|error| failed(error.into()))?;
                writeln!(to, "{text}").map_err(failed)?;
                many += 1;
                Ok(())
            })
        })?;
        to.flush().map_err(failed)?;
        Ok(many)
    }

    /// A long read in one snapshot, which keeps nobody from charging.
    fn long<T>(&self, read: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let done = self.long_reader().and_then(|connection| snapshot(&connection, read));
        self.observed(done)
    }
}

/// A record as it is exported.
#[derive(Serialize)]
struct Exported<'a> {
    number: u64,
    kind: &'static str,
    body: serde_json::Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    payload: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    payload_hex: Option<String>,
    spent: &'a str,
    digest: Digest,
}

impl<'a> Exported<'a> {
    fn of(record: &'a Record<'_>, body: serde_json::Value) -> Self {
        let text = std::str::from_utf8(&record.payload).ok();
        Self {
            number: record.number,
            kind: record.kind.name(),
            body,
            payload: text.filter(|text| !text.is_empty()),
            payload_hex: text.is_none().then(|| hex(&record.payload)),
            spent: &record.spent,
            digest: record.digest,
        }
    }
}

fn spending(record: &Record<'_>) -> Result<Spending> {
    match record.read()? {
        Body::Charge(body) => Ok(body),
        Body::Charter(_) | Body::Release(_) | Body::Fact(_) | Body::Amendment(_) => {
            Err(LedgerError::corrupt(format!("record {} is not a charge", record.number)))
        }
    }
}

fn line(connection: &Connection, record: &Record<'_>) -> Result<Line> {
    let body = spending(record)?;
    Ok(Line {
        ticket: record.ticket(),
        question: body.question,
        label: body.label,
        analyst: body.analyst,
        spec: body.spec,
        cost: body.cost,
        spent: record.spent()?,
        at: body.at,
        answered: rows::answer_of(connection, record.number)?.is_some(),
    })
}

/// Everybody who ever asked.
fn names(connection: &Connection) -> Result<Vec<String>> {
    let sql = "SELECT DISTINCT lookup FROM records WHERE kind = ?1 AND lookup IS NOT NULL";
    let mut statement = connection.prepare(sql)?;
    let found = statement.query_map([Kind::Charge.code()], |row| row.get::<_, Vec<u8>>(0))?;
    let name = |bytes: rusqlite::Result<Vec<u8>>| {
        String::from_utf8(bytes?).map_err(|_| LedgerError::corrupt("a name is not text"))
    };
    found.map(name).collect()
}

fn counts(connection: &Connection) -> Result<BTreeMap<Kind, u64>> {
    let mut statement = connection.prepare("SELECT kind, count(*) FROM records GROUP BY kind")?;
    let read = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?));
    let found = statement.query_map([], read)?;
    let pair = |pair: rusqlite::Result<(i64, i64)>| {
        let (kind, many) = pair?;
        Ok((Kind::of_code(kind)?, rows::unsigned(many)?))
    };
    found.map(pair).collect()
}
