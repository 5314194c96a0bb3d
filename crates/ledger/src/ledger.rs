//! The ledger as its users see it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use rusqlite::Connection;
use throng_account::MechanismSpec;
use throng_account::filter::{Budget as Amount, Receipt};
use throng_mechanism::Permit;
use throng_numeric::Rational;

use crate::clerk::{Clerk, Entry, Outcome};
use crate::desk::{Desk, lock};
use crate::error::{LedgerError, Result};
use crate::record::{Body, Kind, Record};
use crate::standing::{Priced, Standing};
use crate::turn::Turns;
use crate::verify::{self, Depth, Verification};
use crate::{
    Anchor, Asked, Authorised, Charge, Charter, Digest, Stored, Ticket, amount, file, price, rows,
    schema, witness,
};

/// A durable privacy budget: charge before run, store before reply.
///
/// # Guarantee
/// All mechanisms run with permits of one ledger together have the guarantee of its capacity, under
/// its relation, however each was chosen after seeing the answers of the others; across threads,
/// processes, crashes and restarts, as long as all use this one file and it is not set back to an
/// older state (see [`Anchor`]).
///
/// ```
/// use throng_ledger::{Asked, Amount, Charge, Charter, Digest, Ledger, Neighbours};
/// # let folder = std::env::temp_dir().join(format!("throng-ledger-doc-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("ledger.db");
/// let capacity = Amount::Pure { epsilon: "1".parse()? };
/// let ledger = Ledger::open_or_create(&path, &Charter::new(capacity, Neighbours::AddRemove, "demo"))?;
///
/// let question = Digest::of(b"count of users, data of Monday");
/// let charge = Charge::new(question, "SELECT count(*)", "discrete_laplace(scale=4)".parse()?);
/// assert_eq!(ledger.ask(&question)?, Asked::New);
/// let paid = ledger.authorise(&charge)?;   // durable from here on
/// # let answer = { drop(paid.permit); b"42" };
/// // ... run the mechanism with paid.permit ...
/// ledger.store(&paid.ticket, answer)?;     // durable before it is printed
/// assert!(matches!(ledger.ask(&question)?, Asked::Stored(stored) if stored.payload == answer));
/// assert_eq!(ledger.remaining(None)?.to_string(), "epsilon = 0.75");
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Ledger {
    path: PathBuf,
    id: String,
    under: throng_account::Neighbours,
    /// In this currency all costs are; the amount itself may be amended.
    currency: Amount,
    patience: Duration,
    /// Closed before the desk: the last to close moves the log into the file, and must be able to.
    reader: Mutex<Connection>,
    desk: Desk,
    turns: Turns,
    prices: Mutex<Prices>,
    /// Why nothing is granted any more, if so.
    failed: OnceLock<LedgerError>,
    process: u32,
}

/// Prices that were computed lately: a preview and its charge, the same query on new data.
type Prices = HashMap<(MechanismSpec, Option<Rational>), Amount>;

/// How long to wait for other processes by default.
const PATIENCE: Duration = Duration::from_secs(10);
/// How many of the last records are checked when a ledger is opened.
const CHECKED_AT_OPEN: u64 = 256;

impl Ledger {
    /// Opens a ledger that exists.
    ///
    /// # Errors
    /// If there is none, or it is locked, damaged, or of another version.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_within(path, PATIENCE)
    }

    /// Opens a ledger that exists, and waits at most this long for other processes, now and later.
    ///
    /// # Errors
    /// As for [`Ledger::open`].
    pub fn open_within(path: impl AsRef<Path>, patience: Duration) -> Result<Self> {
        let path = file::real(path.as_ref())?;
        let clerk = Clerk::open(&path, patience)?;
        let reader = schema::reader(&path, patience)?;
        verify::recent(&reader, CHECKED_AT_OPEN)?;
        let founding = verify::founding(&reader)?;
        let charter = founding.charter.charter()?;
        Ok(Self {
            path,
            id: founding.ledger,
            under: charter.under,
            currency: charter.capacity.nothing(),
            patience,
            desk: Desk::new(clerk),
            reader: Mutex::new(reader),
            turns: Turns::default(),
            prices: Mutex::default(),
            failed: OnceLock::new(),
            process: std::process::id(),
        })
    }

    /// Makes a ledger where there is none. On Unix only the owner can read it.
    ///
    /// # Errors
    /// If there is a file already, the charter is malformed, or the place cannot be written.
    pub fn create(path: impl AsRef<Path>, charter: &Charter) -> Result<Self> {
        let path = path.as_ref();
        if file::create(path, charter, PATIENCE)? {
            return Self::open(path);
        }
        Err(LedgerError::refused(
            format!("{} exists already", path.display()),
            "open it, or choose another place",
        ))
    }

    /// Opens the ledger of a charter, or makes it if there is no file.
    ///
    /// # Errors
    /// As for [`Ledger::open`] and [`Ledger::create`], and if the ledger was made for another
    /// charter.
    pub fn open_or_create(path: impl AsRef<Path>, charter: &Charter) -> Result<Self> {
        let path = path.as_ref();
        charter.checked()?;
        if !path.exists() {
            file::create(path, charter, PATIENCE)?;
        }
        Self::open(path)?.of(charter)
    }

    /// Opens the ledger of a charter if there is a file; makes none. Where there is none,
    /// [`Charter::preview`] says what a new one would.
    ///
    /// # Errors
    /// As for [`Ledger::open_or_create`], also if a ledger was here and is gone.
    pub fn open_if_present(path: impl AsRef<Path>, charter: &Charter) -> Result<Option<Self>> {
        let path = path.as_ref();
        charter.checked()?;
        if path.exists() {
            return Self::open(path)?.of(charter).map(Some);
        }
        witness::nothing_before(path)?;
        Ok(None)
    }

    /// Itself, if it was made for this charter.
    fn of(self, charter: &Charter) -> Result<Self> {
        let own = self.charter()?;
        if own == *charter {
            return Ok(self);
        }
        Err(LedgerError::refused(
            format!("the ledger was made for another charter: {}", difference(&own, charter)),
            "undo the change of the policy, or record it with `throng ledger amend`",
        ))
    }

    /// Where the ledger is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Which ledger this is: 32 hexadecimal digits drawn when it was made.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The relation that costs are computed for.
    #[must_use]
    pub fn neighbours(&self) -> throng_account::Neighbours {
        self.under
    }

    /// The charter in force.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn charter(&self) -> Result<Charter> {
        self.reading(|_, standing| Ok(standing.charter.clone()))
    }

    /// What everybody together has spent, exactly.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn spent(&self) -> Result<Amount> {
        self.reading(|_, standing| Ok(standing.head.spent.clone()))
    }

    /// What one analyst has spent, exactly.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn spent_by(&self, analyst: &str) -> Result<Amount> {
        self.reading(|connection, standing| standing.own(connection, analyst))
    }

    /// What is left: of the capacity, or for one analyst of whatever is less of capacity and quota.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn remaining(&self, analyst: Option<&str>) -> Result<Amount> {
        self.reading(|connection, standing| standing.left(connection, analyst))
    }

    /// What a mechanism costs here; see [`price`](crate::price()).
    ///
    /// # Errors
    /// As there.
    pub fn price(&self, spec: &MechanismSpec, delta: Option<&Rational>) -> Result<Amount> {
        const MANY: usize = 256;
        let key = (spec.clone(), delta.cloned());
        if let Some(known) = lock(&self.prices).get(&key) {
            return Ok(known.clone());
        }
        let cost = price::price(&self.currency, spec, self.under, delta)?;
        let mut prices = lock(&self.prices);
        if prices.len() >= MANY {
            prices.clear();
        }
        prices.insert(key, cost.clone());
        Ok(cost)
    }

    /// What [`Ledger::authorise`] would say now; nothing is recorded.
    ///
    /// # Errors
    /// As there.
    pub fn preview(&self, charge: &Charge) -> Result<Receipt> {
        let priced = self.priced(charge)?;
        self.reading(|connection, standing| Ok(standing.judge(connection, &priced)?.receipt))
    }

    /// Pays for a charge: when this returns, one record of it is on the disk.
    ///
    /// # Guarantee
    /// Check and charge are one step among all threads and processes that use the file. Nothing is
    /// ever given back: a permit that is not used, or lost in a crash, stays paid for.
    ///
    /// Two callers who ask the same question at the same time both pay, unless the first has stored
    /// its answer before the second comes here; see [`Ledger::turn`](crate::Ledger::turn).
    ///
    /// # Errors
    /// [`LedgerError::Exhausted`] and [`LedgerError::AlreadyAnswered`], and what the accountant
    /// refuses: then nothing is recorded. [`LedgerError::Io`] if the disk fails: then it is not known
    /// whether the charge is recorded, nothing may be run, and the ledger must be opened again.
    pub fn authorise(&self, charge: &Charge) -> Result<Authorised> {
        let mut all = self.authorise_all(std::slice::from_ref(charge))?;
        all.pop().ok_or_else(|| LedgerError::io("the charge was lost"))
    }

    /// Pays for several charges: all of them in one durable step, or none.
    ///
    /// # Errors
    /// As for [`Ledger::authorise`].
    pub fn authorise_all(&self, charges: &[Charge]) -> Result<Vec<Authorised>> {
        let priced =
            charges.iter().map(|charge| self.priced(charge)).collect::<Result<Vec<_>>>()?;
        if priced.is_empty() {
            return Ok(Vec::new());
        }
        let outcome = self.submit(Entry::Charges(priced))?;
        if outcome.len() != charges.len() {
            return Err(LedgerError::io("a charge was lost"));
        }
        let authorised = |(charge, (ticket, receipt)): (&Charge, (Ticket, Receipt))| {
            #[expect(clippy::disallowed_methods, reason = "the charge is on the disk")]
            let permit = Permit::issue(charge.spec.clone(), self.under, receipt.cost.clone());
            Authorised { permit, ticket, receipt }
        };
        Ok(charges.iter().zip(outcome).map(authorised).collect())
    }

    /// Stores the release of a charge: durable when this returns, which is before it is printed.
    ///
    /// # Errors
    /// If the ticket is not of a charge of this ledger, or another release is stored for it already
    /// (the same one again is fine), or the disk fails.
    pub fn store(&self, ticket: &Ticket, payload: &[u8]) -> Result<()> {
        self.submit(Entry::Release { ticket: *ticket, payload: payload.to_vec() }).map(drop)
    }

    /// The stored release of a question, free, if there is one; if several, always the first.
    ///
    /// A charge without a stored release (its process died) is not found, and stays spent.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn find(&self, question: &Digest) -> Result<Option<Stored>> {
        self.reading(|connection, standing| {
            let found = rows::oldest(connection, Kind::Release, question.as_bytes())?;
            found.map(|release| stored(connection, standing, question, release)).transpose()
        })
    }

    /// Whether a question has an answer already.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn ask(&self, question: &Digest) -> Result<Asked> {
        Ok(self.find(question)?.map_or(Asked::New, |stored| Asked::Stored(Box::new(stored))))
    }

    /// Records a public fact that later questions may use: bounds that were chosen privately, say.
    /// What it took to learn it must have been charged.
    ///
    /// # Errors
    /// If the disk fails.
    pub fn note(&self, kind: &str, name: &str, value: &[u8]) -> Result<()> {
        let (kind, name) = (kind.to_owned(), name.to_owned());
        self.submit(Entry::Fact { kind, name, value: value.to_vec() }).map(drop)
    }

    /// The newest value of a fact.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn fact(&self, name: &str) -> Result<Option<Vec<u8>>> {
        self.reading(|connection, _| {
            let found = rows::newest(connection, Kind::Fact, Some(name.as_bytes()))?;
            Ok(found.map(|record| record.payload))
        })
    }

    /// Puts another charter into force, by an owner's record that everybody can see in the chain.
    ///
    /// What is spent stays spent. A capacity that is raised is the guarantee from then on; a decision
    /// to raise it that depends on the answers so far was not made "in advance", and the total that
    /// was released is then guaranteed by the new capacity only.
    ///
    /// # Errors
    /// If the charter is malformed, has another currency or relation, or a capacity below what is
    /// spent.
    pub fn amend(&self, charter: &Charter) -> Result<()> {
        charter.checked()?;
        self.submit(Entry::Amendment(Box::new(charter.clone()))).map(drop)
    }

    /// Where the chain stands: keep it elsewhere, and give it to [`Ledger::verify`] later.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn anchor(&self) -> Result<Anchor> {
        self.reading(|_, standing| {
            let (number, digest) = (standing.head.number, standing.head.digest);
            Ok(Anchor { ledger: self.id.clone(), number, digest })
        })
    }

    /// Reads the whole ledger and checks everything that can be checked; see [`Verification`].
    ///
    /// # Errors
    /// [`LedgerError::Corrupt`] says what was seen first.
    pub fn verify(&self, anchor: Option<&Anchor>, depth: Depth) -> Result<Verification> {
        let done = verify::file(&self.path, anchor, depth, self.patience);
        self.observed(done)
    }

    /// [`Ledger::verify`] of a file that may be too damaged to be opened.
    ///
    /// # Errors
    /// As there.
    pub fn inspect(
        path: impl AsRef<Path>,
        anchor: Option<&Anchor>,
        depth: Depth,
    ) -> Result<Verification> {
        verify::file(&file::real(path.as_ref())?, anchor, depth, PATIENCE)
    }

    pub(crate) fn turns(&self) -> &Turns {
        &self.turns
    }

    fn submit(&self, entry: Entry) -> Result<Outcome> {
        self.usable()?;
        self.observed(self.desk.submit(entry))
    }

    /// Refuses everything after a failure, and in a process that did not open the ledger.
    fn usable(&self) -> Result<()> {
        if self.process != std::process::id() {
            return Err(LedgerError::refused(
                "this ledger was opened by another process",
                "open the ledger after the fork, not before",
            ));
        }
        self.failed.get().map_or(Ok(()), |error| Err(error.clone()))
    }

    /// The price of a charge that can be recorded.
    fn priced(&self, charge: &Charge) -> Result<Priced> {
        Priced::new(charge, || self.price(&charge.spec, charge.delta.as_ref()))
    }

    /// Reads in one snapshot of the file.
    pub(crate) fn reading<T>(
        &self,
        read: impl FnOnce(&Connection, &mut Standing) -> Result<T>,
    ) -> Result<T> {
        self.usable()?;
        let reader = lock(&self.reader);
        let done =
            snapshot(&reader, |connection| read(connection, &mut Standing::read(connection)?));
        drop(reader);
        self.observed(done)
    }

    /// A connection of its own, for long reads.
    pub(crate) fn long_reader(&self) -> Result<Connection> {
        let connection = schema::reader(&self.path, self.patience)?;
        schema::check(&connection)?;
        Ok(connection)
    }

    /// Damage that is seen stops every further charge.
    pub(crate) fn observed<T>(&self, done: Result<T>) -> Result<T> {
        if let Err(error) = &done
            && error.is_fatal()
        {
            let _first = self.failed.set(error.clone());
        }
        done
    }
}

/// Runs a read in one transaction, so that it sees one state.
pub(crate) fn snapshot<T>(
    connection: &Connection,
    read: impl FnOnce(&Connection) -> Result<T>,
) -> Result<T> {
    connection.execute_batch("BEGIN")?;
    let done = read(connection);
    let ended = connection.execute_batch("ROLLBACK");
    let done = done?;
    ended?;
    Ok(done)
}

/// The stored release with the charge that paid for it.
fn stored(
    connection: &Connection,
    standing: &Standing,
    question: &Digest,
    release: Record,
) -> Result<Stored> {
    let damage = || LedgerError::corrupt(format!("record {} answers no charge", release.number));
    let Body::Release(answer) = release.read()? else { return Err(damage()) };
    let charge = rows::numbered(connection, answer.charge)?.ok_or_else(damage)?;
    let Body::Charge(body) = charge.read()? else { return Err(damage()) };
    let agree = [answer.question, body.question].iter().all(|key| key == question);
    if !agree || charge.digest != answer.ticket {
        return Err(damage());
    }
    let spent = charge.spent()?;
    let left = amount::minus(&standing.charter.capacity, &spent)?;
    Ok(Stored {
        ticket: charge.ticket(),
        payload: release.payload,
        receipt: Receipt { cost: body.cost, spent, left },
        label: body.label,
    })
}

/// What is different, in the owner's words.
fn difference(own: &Charter, asked: &Charter) -> String {
    if own.under != asked.under {
        return format!("{} and not {} neighbours", own.under, asked.under);
    }
    if own.capacity != asked.capacity {
        return format!("its budget is {} and not {}", own.capacity, asked.capacity);
    }
    if own.policy != asked.policy {
        return format!("its policy is {:?} and not {:?}", own.policy, asked.policy);
    }
    if own.stated != asked.stated {
        return "its stated epsilon and delta are others".into();
    }
    "its quotas are others".into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Neighbours;

    fn ledger(name: &str) -> (PathBuf, Ledger) {
        let folder = std::env::temp_dir().join(format!("throng-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let capacity = Amount::Pure { epsilon: "1000".parse().unwrap() };
        let charter = Charter::new(capacity, Neighbours::AddRemove, "test");
        let ledger = Ledger::create(folder.join("ledger.db"), &charter).unwrap();
        (folder, ledger)
    }

    fn charge(number: u64) -> Charge {
        let spec = "discrete_laplace(scale=10)".parse().unwrap();
        Charge::new(Digest::of(&number.to_be_bytes()), "x".repeat(2000), spec)
    }

    /// After a failure nothing more is granted, although the failure is over; after opening again,
    /// the ledger is sound and has what was granted.
    fn fails_closed(name: &str, pragma: &str, bad: i64, good: i64) {
        let (folder, ledger) = ledger(name);
        drop(ledger.authorise(&charge(0)).unwrap());
        ledger.desk.clerk().connection.pragma_update(None, pragma, bad).unwrap();
        let mut granted = 1;
        let error = loop {
            match ledger.authorise(&charge(granted)) {
                Ok(_) => granted += 1,
                Err(error) => break error,
            }
        };
        assert!(matches!(error, LedgerError::Io { .. }), "{error}");
        ledger.desk.clerk().connection.pragma_update(None, pragma, good).unwrap();
        assert_eq!(ledger.authorise(&charge(granted)).unwrap_err(), error);
        assert_eq!(ledger.preview(&charge(granted)).unwrap_err(), error);
        assert!(ledger.note("k", "n", b"v").is_err());
        let path = ledger.path().to_owned();
        drop(ledger);
        let ledger = Ledger::open(path).unwrap();
        assert_eq!(ledger.verify(None, Depth::Sums).unwrap().charges, granted);
        drop(ledger.authorise(&charge(granted)).unwrap());
        drop(ledger);
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn threads_may_share_it() {
        fn shared<T: Send + Sync>() {}
        shared::<Ledger>();
    }

    #[test]
    fn a_full_disk_fails_closed() {
        fails_closed("full", "max_page_count", 24, 1_000_000);
    }

    #[test]
    fn a_disk_that_became_read_only_fails_closed() {
        fails_closed("read-only", "query_only", 1, 0);
    }

    #[test]
    fn a_handle_that_was_carried_through_a_fork_is_refused() {
        let (folder, mut ledger) = ledger("forked");
        ledger.process = ledger.process.wrapping_add(1);
        assert!(matches!(ledger.authorise(&charge(0)), Err(LedgerError::Refused { .. })));
        assert!(matches!(ledger.preview(&charge(0)), Err(LedgerError::Refused { .. })));
        drop(ledger);
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_panic_of_the_leader_leaves_nobody_waiting_and_grants_nothing() {
        let (folder, ledger) = ledger("panic");
        ledger.desk.clerk().panic_next();
        std::thread::scope(|scope| {
            let all: Vec<_> = (0..8)
                .map(|n| {
                    scope.spawn({
                        let ledger = &ledger;
                        move || ledger.authorise(&charge(n)).is_ok()
                    })
                })
                .collect();
            assert!(all.into_iter().all(|one| !one.join().unwrap_or(false)));
        });
        drop(ledger);
        let again = Ledger::open(folder.join("ledger.db")).unwrap();
        assert_eq!(again.verify(None, Depth::Sums).unwrap().charges, 0);
        drop(again);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
