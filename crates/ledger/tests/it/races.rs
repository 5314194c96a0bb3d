//! Many threads at once.

use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use throng_ledger::{Asked, Depth, Ledger, LedgerError};

use crate::common::{Folder, charge, charter, pure};

#[test]
fn a_hundred_threads_get_exactly_what_there_is() {
    let folder = Folder::new();
    let ledger = Ledger::create(folder.ledger(), &charter(137)).unwrap();
    let (granted, refused) = (AtomicU64::new(0), AtomicU64::new(0));
    let start = Barrier::new(100);
    std::thread::scope(|scope| {
        for thread in 0..100 {
            let (ledger, granted, refused, start) = (&ledger, &granted, &refused, &start);
            scope.spawn(move || {
                start.wait();
                for ask in 0..3 {
                    match ledger.authorise(&charge(&format!("{thread} {ask}")).by("all")) {
                        Ok(_) => granted.fetch_add(1, Ordering::Relaxed),
                        Err(LedgerError::Exhausted { .. }) => {
                            refused.fetch_add(1, Ordering::Relaxed)
                        }
                        Err(error) => panic!("{error}"),
                    };
                }
            });
        }
    });
    assert_eq!((granted.into_inner(), refused.into_inner()), (137, 163));
    assert_eq!(ledger.remaining(None).unwrap(), pure("0"));
    assert_eq!(ledger.verify(None, Depth::Sums).unwrap().charges, 137);
}

#[test]
fn two_handles_on_one_file_are_one_budget() {
    let folder = Folder::new();
    let one = Ledger::create(folder.ledger(), &charter(40)).unwrap();
    let two = Ledger::open(folder.ledger()).unwrap();
    let granted = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (ledger, granted) = (if thread % 2 == 0 { &one } else { &two }, &granted);
            scope.spawn(move || {
                for ask in 0..10 {
                    let asked = charge(&format!("{thread} {ask}")).by("all");
                    if ledger.authorise(&asked).is_ok() {
                        granted.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    assert_eq!(granted.into_inner(), 40);
    assert_eq!(one.spent().unwrap(), two.spent().unwrap());
    assert_eq!(two.verify(None, Depth::Sums).unwrap().charges, 40);
}

#[test]
fn a_question_asked_a_thousand_times_in_parallel_is_paid_once() {
    let folder = Folder::new();
    let ledger = Ledger::create(folder.ledger(), &charter(1000)).unwrap();
    let computed = AtomicU64::new(0);
    let ask = || {
        let question = charge("the same").question;
        let _turn = ledger.turn(&question);
        match ledger.ask(&question).unwrap() {
            Asked::Stored(stored) => stored.payload,
            Asked::New => {
                let paid = ledger.authorise(&charge("the same")).unwrap();
                let number = computed.fetch_add(1, Ordering::Relaxed);
                let payload = format!("answer {number}").into_bytes();
                ledger.store(&paid.ticket, &payload).unwrap();
                payload
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..20 {
            scope.spawn(|| (0..50).for_each(|_| assert_eq!(ask(), b"answer 0")));
        }
    });
    assert_eq!(computed.into_inner(), 1);
    assert_eq!(ledger.spent().unwrap(), pure("1/10"));
}

#[test]
fn a_ledger_that_is_held_says_so_and_goes_on_afterwards() {
    let folder = Folder::new();
    drop(Ledger::create(folder.ledger(), &charter(3)).unwrap());
    let ledger = Ledger::open_within(folder.ledger(), Duration::from_millis(50)).unwrap();
    let other = rusqlite::Connection::open(folder.ledger()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let refused = ledger.authorise(&charge("a")).unwrap_err();
    assert!(matches!(refused, LedgerError::Locked { .. }), "{refused}");
    assert!(refused.to_string().contains("hint:"));
    // Reading is possible meanwhile.
    assert_eq!(ledger.spent().unwrap(), pure("0"));
    other.execute_batch("ROLLBACK").unwrap();
    drop(ledger.authorise(&charge("a")).unwrap());
    assert_eq!(ledger.verify(None, Depth::Sums).unwrap().charges, 1);
}

#[test]
fn many_creators_make_one_ledger() {
    let folder = Folder::new();
    let start = Barrier::new(12);
    let ids: Vec<String> = std::thread::scope(|scope| {
        let make = || {
            start.wait();
            Ledger::open_or_create(folder.ledger(), &charter(1)).unwrap().id().to_owned()
        };
        let all: Vec<_> = (0..12).map(|_| scope.spawn(make)).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert!(ids.iter().all(|id| *id == ids[0]));
    let left: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().contains("-new-")), "{left:?}");
}

#[test]
fn readers_do_not_stop_writers() {
    let folder = Folder::new();
    let ledger = Ledger::create(folder.ledger(), &charter(50)).unwrap();
    std::thread::scope(|scope| {
        let audit = scope.spawn(|| {
            for _ in 0..20 {
                ledger.verify(None, Depth::Sums).unwrap();
                let summary = ledger.summary().unwrap();
                assert_eq!(summary.counts.values().sum::<u64>(), summary.anchor.number + 1);
            }
        });
        for ask in 0..50 {
            drop(ledger.authorise(&charge(&ask.to_string())).unwrap());
        }
        audit.join().unwrap();
    });
}
