//! Bits that flip and files that are cut off.

use std::path::{Path, PathBuf};

use throng_ledger::{Amount, Depth, Ledger};

use crate::common::{Dice, Folder, answer, charge, charter, copy, exported};

/// What the undamaged ledger says.
struct Truth {
    text: String,
    spent: Amount,
}

fn filled(path: &Path) -> (Ledger, Truth) {
    let ledger = Ledger::create(path, &charter(10)).unwrap();
    for name in ["a", "b", "c"] {
        answer(&ledger, name);
    }
    drop(ledger.authorise(&charge("d").by("ann")).unwrap());
    ledger.note("bounds", "x", b"0..1").unwrap();
    let truth = Truth { text: exported(&ledger), spent: ledger.spent().unwrap() };
    (ledger, truth)
}

/// Damage is reported, or nothing that matters was damaged.
fn holds(path: &Path, truth: &Truth, what: &str) -> bool {
    let audit = Ledger::inspect(path, None, Depth::Sums);
    if let Ok(found) = &audit {
        assert_eq!(found.spent, truth.spent, "{what}");
    }
    if let Ok(ledger) = Ledger::open(path) {
        // Opening looks at the end only; what it says is spent is never less.
        if let Ok(spent) = ledger.spent() {
            assert_eq!(spent, truth.spent, "{what}");
        }
        if audit.is_ok() {
            assert_eq!(exported(&ledger), truth.text, "{what}");
        }
    }
    audit.is_err()
}

fn log_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    PathBuf::from(name)
}

/// Damages copies of a ledger, each in one place; says how often it was found.
fn each_damage<T: std::fmt::Debug>(
    source: &Path,
    truth: &Truth,
    part: fn(&Path) -> PathBuf,
    places: impl Iterator<Item = T>,
    mut damage: impl FnMut(&mut Vec<u8>, &T),
) -> u64 {
    let target = source.with_file_name("damaged.db");
    let mut found = 0;
    for place in places {
        copy(source, &target);
        let mut bytes = std::fs::read(part(&target)).unwrap();
        damage(&mut bytes, &place);
        std::fs::write(part(&target), &bytes).unwrap();
        found += u64::from(holds(&target, truth, &format!("{place:?}")));
    }
    found
}

fn flip(bytes: &mut [u8], place: &(usize, u8)) {
    let (at, bit) = *place;
    if let Some(byte) = bytes.get_mut(at) {
        *byte ^= 1 << bit;
    }
}

fn cut(bytes: &mut Vec<u8>, length: &usize) {
    bytes.truncate(*length);
}

fn itself(path: &Path) -> PathBuf {
    path.to_owned()
}

#[test]
fn flipped_bits_are_found_or_harmless() {
    let folder = Folder::new();
    drop(filled(&folder.ledger()).0);
    let truth = truth_of(&folder.ledger());
    let length = std::fs::metadata(folder.ledger()).unwrap().len();
    let length = usize::try_from(length).unwrap();
    let mut dice = Dice::new(3);
    let places: Vec<_> =
        (0..400).map(|_| (dice.below(length), u8::try_from(dice.roll(8)).unwrap())).collect();
    let found =
        each_damage(&folder.ledger(), &truth, itself, places.into_iter(), |bytes, place| {
            flip(bytes, place);
        });
    assert!(found > 20, "{found} of 400");
}

fn truth_of(path: &Path) -> Truth {
    let ledger = Ledger::open(path).unwrap();
    Truth { text: exported(&ledger), spent: ledger.spent().unwrap() }
}

#[test]
#[ignore = "long: every byte of the file"]
fn a_flipped_bit_in_every_byte_is_found_or_harmless() {
    let folder = Folder::new();
    drop(filled(&folder.ledger()).0);
    let truth = truth_of(&folder.ledger());
    let length = std::fs::metadata(folder.ledger()).unwrap().len();
    let mut dice = Dice::new(4);
    let places =
        (0..usize::try_from(length).unwrap()).map(|at| (at, u8::try_from(dice.roll(8)).unwrap()));
    each_damage(&folder.ledger(), &truth, itself, places, |bytes, place| {
        flip(bytes, place);
    });
}

#[test]
fn a_damaged_log_is_found_or_harmless() {
    let folder = Folder::new();
    let (ledger, truth) = filled(&folder.ledger());
    // The ledger stays open: its last records are in the log, as after a crash.
    let length =
        usize::try_from(std::fs::metadata(log_of(&folder.ledger())).unwrap().len()).unwrap();
    assert!(length > 10_000);
    let mut dice = Dice::new(5);
    let places: Vec<_> =
        (0..150).map(|_| (dice.below(length), u8::try_from(dice.roll(8)).unwrap())).collect();
    let flipped =
        each_damage(&folder.ledger(), &truth, log_of, places.into_iter(), |bytes, place| {
            flip(bytes, place);
        });
    assert!(flipped > 100, "{flipped} of 150: SQLite drops the log from the damage on");
    let lengths = (0..length).step_by(length / 100);
    let short = each_damage(&folder.ledger(), &truth, log_of, lengths, cut);
    assert!(short > 90, "{short} of 100");
    drop(ledger);
}

#[test]
fn a_file_that_is_cut_off_is_found() {
    let folder = Folder::new();
    drop(filled(&folder.ledger()).0);
    let truth = truth_of(&folder.ledger());
    let length = usize::try_from(std::fs::metadata(folder.ledger()).unwrap().len()).unwrap();
    let lengths: Vec<_> = (0..length).step_by(length / 150).chain(length - 20..length).collect();
    let many = u64::try_from(lengths.len()).unwrap();
    let found = each_damage(&folder.ledger(), &truth, itself, lengths.into_iter(), cut);
    assert_eq!(found, many, "every shorter file is damaged");
}

#[test]
fn bytes_in_any_disorder_never_panic() {
    let folder = Folder::new();
    drop(filled(&folder.ledger()).0);
    let truth = truth_of(&folder.ledger());
    let mut dice = Dice::new(6);
    let smear = |bytes: &mut Vec<u8>, seed: &u64| {
        let mut dice = Dice::new(*seed);
        for _ in 0..dice.roll(40) + 2 {
            let at = dice.below(bytes.len());
            bytes[at] = u8::try_from(dice.roll(256)).unwrap();
        }
    };
    let seeds: Vec<_> = (0..150).map(|_| dice.roll(u64::MAX)).collect();
    each_damage(&folder.ledger(), &truth, itself, seeds.into_iter(), smear);
}
