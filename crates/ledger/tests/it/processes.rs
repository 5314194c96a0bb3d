//! The test binary as another process: charges, computes, stores, replies.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use throng_ledger::{Depth, Ledger, LedgerError};

use crate::common::{Dice, Folder, beside, charge, charter};

/// What a child does: the ledger, its name, and where it kills itself (`never` if it does not).
pub(crate) fn spawn(ledger: &Path, name: &str, fall: &str) -> Child {
    command(ledger, name, fall).spawn().unwrap()
}

pub(crate) fn command(ledger: &Path, name: &str, fall: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "processes::child", "--nocapture", "--ignored", "--test-threads=1"])
        .env("THRONG_LEDGER_CHILD", ledger)
        .env("THRONG_LEDGER_NAME", name)
        .env("THRONG_LEDGER_FALL", fall)
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    command
}

/// The lines that a child managed to say: (question, answer), and why it stopped.
pub(crate) fn said(child: &mut Child) -> (Vec<(String, String)>, Option<String>) {
    let (mut answers, mut end) = (Vec::new(), None);
    let Some(out) = child.stdout.take() else { return (answers, end) };
    for line in BufReader::new(out).lines().map_while(Result::ok) {
        let words: Vec<_> = line.split('\t').collect();
        match words.as_slice() {
            ["answer", question, payload, "."] => {
                answers.push(((*question).to_owned(), (*payload).to_owned()));
            }
            ["end", why, "."] => end = Some((*why).to_owned()),
            _ => {}
        }
    }
    let _ = child.wait();
    (answers, end)
}

fn say(words: &[&str]) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "\n{}\t.", words.join("\t")).unwrap();
    out.flush().unwrap();
}

/// Falls dead at a step: `<step> <round>`.
fn step(fall: &str, step: &str, round: u64) {
    if fall == format!("{step} {round}") {
        std::process::abort();
    }
}

#[test]
#[ignore = "runs as a child of other tests"]
fn child() {
    let Some(path) = std::env::var_os("THRONG_LEDGER_CHILD") else { return };
    let name = std::env::var("THRONG_LEDGER_NAME").unwrap();
    let fall = std::env::var("THRONG_LEDGER_FALL").unwrap();
    let ledger = match Ledger::open(path) {
        Ok(ledger) => ledger,
        Err(error) => return say(&["end", kind(&error)]),
    };
    for round in 0.. {
        let question = format!("{name} {round}");
        step(&fall, "charge", round);
        let paid = match ledger.authorise(&charge(&question).by(&name)) {
            Ok(paid) => paid,
            Err(error) => {
                // After a failure of the disk nothing is granted any more.
                if matches!(error, LedgerError::Io { .. }) {
                    assert!(ledger.authorise(&charge("again")).is_err());
                }
                return say(&["end", kind(&error)]);
            }
        };
        step(&fall, "compute", round);
        let payload = format!("noise {} of {}", paid.ticket.number, std::process::id());
        step(&fall, "store", round);
        if let Err(error) = ledger.store(&paid.ticket, payload.as_bytes()) {
            return say(&["end", kind(&error)]);
        }
        step(&fall, "reply", round);
        say(&["answer", &question, &payload]);
        step(&fall, "next", round);
    }
}

fn kind(error: &LedgerError) -> &'static str {
    match error {
        LedgerError::Exhausted { .. } => "exhausted",
        LedgerError::Io { .. } => "io",
        LedgerError::Corrupt { .. } => "corrupt",
        LedgerError::Locked { .. } => "locked",
        _ => "other",
    }
}

/// Answers out <= charges recorded <= budget, and every answer that got out is stored as it was.
pub(crate) fn invariant(path: &Path, budget: u64, answers: &[(String, String)]) -> u64 {
    let found = Ledger::inspect(path, None, Depth::Prices).unwrap();
    let out = u64::try_from(answers.len()).unwrap();
    assert!(out <= found.releases && found.releases <= found.charges && found.charges <= budget);
    let ledger = Ledger::open(path).unwrap();
    for (question, payload) in answers {
        let stored = ledger.find(&charge(question).question).unwrap().unwrap();
        assert_eq!(stored.payload, payload.as_bytes(), "{question}");
    }
    assert_eq!(ledger.spent().unwrap(), found.spent);
    found.charges
}

fn several(processes: u64, budget: u64) {
    let folder = Folder::new();
    drop(Ledger::create(folder.ledger(), &charter(budget)).unwrap());
    let mut children: Vec<_> =
        (0..processes).map(|n| spawn(&folder.ledger(), &n.to_string(), "never")).collect();
    let mut answers = Vec::new();
    for child in &mut children {
        let (said, end) = said(child);
        assert_eq!(end.as_deref(), Some("exhausted"));
        answers.extend(said);
    }
    assert_eq!(u64::try_from(answers.len()).unwrap(), budget, "all of it, and no more");
    assert_eq!(invariant(&folder.ledger(), budget, &answers), budget);
}

#[test]
fn two_processes_share_one_budget() {
    several(2, 60);
}

#[test]
fn ten_processes_share_one_budget() {
    several(10, 60);
}

/// Waits until somebody has recorded something, or nobody is left who could.
fn progress(ledger: &Path, children: &mut [Child]) {
    let seen = || std::fs::read(beside(ledger, "-witness")).ok();
    let (before, pause) = (seen(), Duration::from_micros(300));
    for _ in 0..30_000 {
        let gone = children.iter_mut().all(|child| child.try_wait().unwrap().is_some());
        if gone || seen() != before {
            break;
        }
        std::thread::sleep(pause);
    }
}

/// Random schedules: one to three processes, each falls at a random step or is killed at a random
/// moment, some as they start and most at work; then the ledger must be as sound as if nothing had
/// happened.
pub(crate) fn schedules(many: u64, seed: u64) {
    const BUDGET: u64 = 400;
    const STEPS: [&str; 5] = ["charge", "compute", "store", "reply", "next"];
    let mut dice = Dice::new(seed);
    let (mut folder, mut answers) = (Folder::new(), Vec::new());
    let (mut before, mut charges) = (0, 0);
    for schedule in 0..many {
        if schedule % 20 == 0 {
            (folder, answers, before) = (Folder::new(), Vec::new(), 0);
            drop(Ledger::create(folder.ledger(), &charter(BUDGET)).unwrap());
        }
        let mut children = Vec::new();
        for child in 0..=dice.roll(3) {
            let fall = match dice.roll(2) {
                0 => format!("{} {}", STEPS[dice.below(STEPS.len())], dice.roll(4)),
                _ => "never".to_owned(),
            };
            children.push(spawn(&folder.ledger(), &format!("{schedule} {child}"), &fall));
        }
        if dice.roll(4) > 0 {
            progress(&folder.ledger(), &mut children);
        }
        std::thread::sleep(Duration::from_micros(dice.roll(20_000)));
        for child in &mut children {
            child.kill().unwrap();
        }
        for child in &mut children {
            answers.extend(said(child).0);
        }
        let now = invariant(&folder.ledger(), BUDGET, &answers);
        charges += now - before;
        before = now;
    }
    println!("{charges} charges in {many} schedules");
    assert!(2 * charges >= many, "{charges} charges in {many} schedules: nobody was at work");
}
