//! A ledger that fails, fails closed.

use std::path::PathBuf;

use crate::{Amount, Charge, Charter, Depth, Digest, Ledger, LedgerError, Neighbours};

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
