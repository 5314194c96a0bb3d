//! Processes that die, disks that are full, rights that are lost.

use throng_ledger::{Ledger, LedgerError};

use crate::common::{Folder, charge, charter};
use crate::processes::{command, invariant, said, schedules, spawn};

#[test]
fn a_hundred_random_deaths() {
    schedules(100, 1);
}

#[test]
#[ignore = "long: a thousand schedules"]
fn a_thousand_random_deaths() {
    schedules(1000, 2);
}

#[test]
fn death_at_every_step() {
    for (at, charges, answers) in
        [("charge", 2, 2), ("compute", 3, 2), ("store", 3, 2), ("reply", 3, 2), ("next", 3, 3)]
    {
        let folder = Folder::new();
        drop(Ledger::create(folder.ledger(), &charter(10)).unwrap());
        let mut child = spawn(&folder.ledger(), "a", &format!("{at} 2"));
        let (said, end) = said(&mut child);
        assert_eq!((said.len(), end), (answers, None), "{at}");
        assert_eq!(invariant(&folder.ledger(), 10, &said), charges, "{at}");
        // What was stored but never said is free for whoever asks again.
        let ledger = Ledger::open(folder.ledger()).unwrap();
        let found = ledger.find(&charge("a 2").question).unwrap();
        assert_eq!(found.is_some(), matches!(at, "reply" | "next"), "{at}");
    }
}

/// A limit on the size of files: writes fail in the middle, for real.
#[cfg(unix)]
#[test]
fn a_disk_that_is_full_stops_everything_and_loses_nothing() {
    for kilobytes in [64, 100, 150, 220, 300, 450] {
        let folder = Folder::new();
        drop(Ledger::create(folder.ledger(), &charter(100_000)).unwrap());
        let plain = command(&folder.ledger(), "full", "never");
        let mut limited = std::process::Command::new("sh");
        let script = format!("trap '' XFSZ; ulimit -f {}; exec \"$0\" \"$@\"", kilobytes * 2);
        limited.args(["-c", &script]).arg(plain.get_program()).args(plain.get_args());
        for (name, value) in plain.get_envs() {
            limited.env(name, value.unwrap());
        }
        limited.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::null());
        let (answers, end) = said(&mut limited.spawn().unwrap());
        assert_eq!(end.as_deref(), Some("io"), "{kilobytes} KiB, {} answers", answers.len());
        let before = invariant(&folder.ledger(), 100_000, &answers);
        // With room again it goes on where it was.
        let ledger = Ledger::open(folder.ledger()).unwrap();
        drop(ledger.authorise(&charge("room")).unwrap());
        drop(ledger);
        assert_eq!(invariant(&folder.ledger(), 100_000, &answers), before + 1);
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_written_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    drop(Ledger::create(folder.ledger(), &charter(3)).unwrap());
    let mode =
        |mode| std::fs::set_permissions(folder.ledger(), PermissionsExt::from_mode(mode)).unwrap();
    mode(0o400);
    if std::fs::OpenOptions::new().write(true).open(folder.ledger()).is_ok() {
        return; // The superuser may write anything.
    }
    assert!(matches!(Ledger::open(folder.ledger()), Err(LedgerError::Io { .. })));
    mode(0o600);
    drop(Ledger::open(folder.ledger()).unwrap().authorise(&charge("a")).unwrap());
}

#[test]
fn a_file_that_is_removed_or_replaced_while_open_is_noticed() {
    let folder = Folder::new();
    let ledger = Ledger::create(folder.ledger(), &charter(3)).unwrap();
    drop(ledger.authorise(&charge("a")).unwrap());
    let aside = folder.path().join("aside.db");
    std::fs::rename(folder.ledger(), &aside).unwrap();
    assert!(ledger.authorise(&charge("b")).is_err());
    std::fs::copy(&aside, folder.ledger()).unwrap();
    assert!(ledger.authorise(&charge("b")).is_err(), "another file is not this ledger");
    std::fs::rename(&aside, folder.ledger()).unwrap();
    assert!(ledger.authorise(&charge("b")).is_err(), "once in doubt, until it is opened again");
}

#[test]
fn a_ledger_that_vanished_is_not_silently_made_again() {
    let folder = Folder::new();
    let ledger = Ledger::create(folder.ledger(), &charter(3)).unwrap();
    drop(ledger.authorise(&charge("a")).unwrap());
    drop(ledger);
    std::fs::remove_file(folder.ledger()).unwrap();
    let refused = Ledger::open_or_create(folder.ledger(), &charter(3)).unwrap_err();
    assert!(matches!(refused, LedgerError::Corrupt { .. }), "{refused}");
}
