//! Bits that flip and files that are cut off.

use std::path::{Path, PathBuf};

use throng_ledger::{Amount, Depth, Ledger};

use crate::common::{Dice, Folder, answer, beside, charge, charter, exported};

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

fn itself(path: &Path) -> PathBuf {
    path.to_owned()
}

fn log_of(path: &Path) -> PathBuf {
    beside(path, "-wal")
}

/// A ledger as it lies on the disk: itself, its log if there is one, its witness.
struct Image {
    files: Vec<(&'static str, Vec<u8>)>,
}

impl Image {
    fn of(path: &Path) -> Self {
        let read = |suffix| Some((suffix, std::fs::read(beside(path, suffix)).ok()?));
        Self { files: ["", "-wal", "-witness"].into_iter().filter_map(read).collect() }
    }

    /// Puts the image at a path, with one of its files damaged.
    fn damaged(&self, path: &Path, part: &Path, damage: impl FnOnce(&mut Vec<u8>)) {
        for suffix in ["-wal", "-shm", "-witness"] {
            let _ = std::fs::remove_file(beside(path, suffix));
        }
        let mut damage = Some(damage);
        for (suffix, bytes) in &self.files {
            let (name, mut bytes) = (beside(path, suffix), bytes.clone());
            if name == part {
                damage.take().unwrap()(&mut bytes);
            }
            std::fs::write(name, bytes).unwrap();
        }
        assert!(damage.is_none(), "there is no {}", part.display());
    }
}

/// Damages copies of a ledger, each in one place; says how often it was found.
fn each_damage<T: std::fmt::Debug + Sync>(
    source: &Path,
    truth: &Truth,
    part: fn(&Path) -> PathBuf,
    places: &[T],
    damage: impl Fn(&mut Vec<u8>, &T) + Sync,
) -> u64 {
    let image = Image::of(source);
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let work = |worker: usize| {
        let target = source.with_file_name(format!("damaged-{worker}.db"));
        let mut found = 0;
        for place in places.iter().skip(worker).step_by(workers) {
            image.damaged(&target, &part(&target), |bytes| damage(bytes, place));
            found += u64::from(holds(&target, truth, &format!("{place:?}")));
        }
        found
    };
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..workers)
            .map(|worker| {
                scope.spawn({
                    let work = &work;
                    move || work(worker)
                })
            })
            .collect();
        running.into_iter().map(|one| one.join().unwrap()).sum()
    })
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

/// A ledger in pages of 512 bytes, the smallest there are: nearly every byte of it means something.
fn small(path: &Path) -> Truth {
    drop(filled(path).0);
    let raw = rusqlite::Connection::open(path).unwrap();
    raw.execute_batch("PRAGMA journal_mode = DELETE; PRAGMA page_size = 512; VACUUM;").unwrap();
    raw.execute_batch("PRAGMA journal_mode = WAL;").unwrap();
    drop(raw);
    truth_of(path)
}

fn length_of(path: &Path) -> usize {
    usize::try_from(std::fs::metadata(path).unwrap().len()).unwrap()
}

fn truth_of(path: &Path) -> Truth {
    let ledger = Ledger::open(path).unwrap();
    Truth { text: exported(&ledger), spent: ledger.spent().unwrap() }
}

/// A bit in each of these bytes.
fn bits(bytes: impl Iterator<Item = usize>, dice: &mut Dice) -> Vec<(usize, u8)> {
    bytes.map(|at| (at, u8::try_from(dice.roll(8)).unwrap())).collect()
}

fn some(many: usize, length: usize, dice: &mut Dice) -> Vec<(usize, u8)> {
    let bytes: Vec<_> = (0..many).map(|_| dice.below(length)).collect();
    bits(bytes.into_iter(), dice)
}

fn share(found: u64, many: usize) -> f64 {
    f64::from(u32::try_from(found).unwrap()) / f64::from(u32::try_from(many).unwrap())
}

#[test]
fn flipped_bits_are_found_or_harmless() {
    let folder = Folder::new();
    let truth = small(&folder.ledger());
    let places = some(400, length_of(&folder.ledger()), &mut Dice::new(3));
    let found = each_damage(&folder.ledger(), &truth, itself, &places, |bytes, place| {
        flip(bytes, place);
    });
    assert!(share(found, places.len()) > 0.25, "{found} of {}", places.len());
}

#[test]
#[ignore = "long: every byte of the file"]
fn a_flipped_bit_in_every_byte_is_found_or_harmless() {
    let folder = Folder::new();
    let truth = small(&folder.ledger());
    let places = bits(0..length_of(&folder.ledger()), &mut Dice::new(4));
    let found = each_damage(&folder.ledger(), &truth, itself, &places, |bytes, place| {
        flip(bytes, place);
    });
    println!("{found} of {} flipped bits are found, the others are harmless", places.len());
    assert!(share(found, places.len()) > 0.25, "{found} of {}", places.len());
}

#[test]
#[ignore = "long: every length of the file"]
fn a_file_that_is_cut_off_anywhere_is_found() {
    let folder = Folder::new();
    let truth = small(&folder.ledger());
    let lengths: Vec<_> = (0..length_of(&folder.ledger())).collect();
    let found = each_damage(&folder.ledger(), &truth, itself, &lengths, cut);
    assert_eq!(found, u64::try_from(lengths.len()).unwrap(), "every shorter file is damaged");
}

#[test]
fn a_damaged_log_is_found_or_harmless() {
    let folder = Folder::new();
    let (ledger, truth) = filled(&folder.ledger());
    // The ledger stays open: its last records are in the log, as after a crash.
    let length = length_of(&log_of(&folder.ledger()));
    assert!(length > 10_000);
    let places = some(150, length, &mut Dice::new(5));
    let flipped = each_damage(&folder.ledger(), &truth, log_of, &places, |bytes, place| {
        flip(bytes, place);
    });
    assert!(flipped > 100, "{flipped} of 150: SQLite drops the log from the damage on");
    let lengths: Vec<_> = (0..length).step_by(length / 100).collect();
    let short = each_damage(&folder.ledger(), &truth, log_of, &lengths, cut);
    assert!(short > 90, "{short} of 100");
    drop(ledger);
}

#[test]
fn a_file_that_is_cut_off_is_found() {
    let folder = Folder::new();
    let truth = small(&folder.ledger());
    let length = length_of(&folder.ledger());
    let lengths: Vec<_> = (0..length).step_by(length / 150).chain(length - 20..length).collect();
    let found = each_damage(&folder.ledger(), &truth, itself, &lengths, cut);
    assert_eq!(found, u64::try_from(lengths.len()).unwrap(), "every shorter file is damaged");
}

#[test]
fn bytes_in_any_disorder_never_panic() {
    let folder = Folder::new();
    let truth = small(&folder.ledger());
    let mut dice = Dice::new(6);
    let smear = |bytes: &mut Vec<u8>, seed: &u64| {
        let mut dice = Dice::new(*seed);
        for _ in 0..dice.roll(40) + 2 {
            let at = dice.below(bytes.len());
            bytes[at] = u8::try_from(dice.roll(256)).unwrap();
        }
    };
    let seeds: Vec<_> = (0..150).map(|_| dice.roll(u64::MAX)).collect();
    each_damage(&folder.ledger(), &truth, itself, &seeds, smear);
}
