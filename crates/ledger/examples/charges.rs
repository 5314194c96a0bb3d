//! How fast the ledger is, beside what it should reach: single and grouped durable charges, and the
//! audit.
//!
//! `cargo run --release -p throng-ledger --example charges -- [folder] [records]`
//!
//! The times are those of this machine at this load, which is printed first: a charge is as slow as a
//! write that is synced, which is measured beside it, and the processor time of the audit is what it
//! would take alone.

use std::fs::{File, OpenOptions};
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use throng_ledger::{Amount, Charge, Charter, Depth, Digest, Ledger, Neighbours};

type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Of a single durable charge, in 99 of 100 cases.
const LATENCY: Duration = Duration::from_millis(10);
/// Durable charges a second by many threads.
const RATE: f64 = 1e4;
/// For a million charges.
const AUDIT: Duration = Duration::from_secs(5);

fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().map_or_else(std::env::temp_dir, PathBuf::from);
    let records: u64 = arguments.next().map_or(Ok(1_000_000), |text| text.parse())?;
    let folder = folder.join(format!("throng-charges-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let done = measure(&folder, records);
    std::fs::remove_dir_all(&folder)?;
    done
}

fn measure(folder: &Path, records: u64) -> Outcome<()> {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or_default();
    println!("{processors} processors, load {load} before\n");
    row("", "target", "measured", "");
    let path = folder.join("ledger.db");
    let capacity = Amount::Pure { epsilon: "1000000000".parse()? };
    let ledger = Ledger::create(&path, &Charter::new(capacity, Neighbours::AddRemove, "speed"))?;
    bare(&folder.join("bare"))?;
    single(&ledger)?;
    grouped(&ledger)?;
    filled(&ledger, records)?;
    audited(&ledger, Depth::Sums, "sums")?;
    audited(&ledger, Depth::Prices, "sums and prices")?;
    let started = Instant::now();
    drop(Ledger::open(&path)?);
    row("open it again", "", &format!("{:.1?}", started.elapsed()), "");
    Ok(())
}

fn row(what: &str, target: &str, measured: &str, remark: &str) {
    println!("{what:<42}{target:>14}{measured:>14}  {remark}");
}

/// Whether a target was reached.
fn verdict(met: bool) -> &'static str {
    if met { "met" } else { "missed" }
}

/// Seconds of processor time so far, where the system says (Linux); the machine may be shared.
fn processor() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = stat.rsplit(')').next().unwrap_or_default();
    let ticks = after.split_whitespace().skip(11).take(2);
    ticks.filter_map(|text| text.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// The time that is not exceeded in 50 and in 99 of 100 cases.
fn quantiles(mut times: Vec<Duration>) -> (Duration, Duration) {
    times.sort();
    let at = |share: usize| times.get(times.len() * share / 100).copied().unwrap_or_default();
    (at(50), at(99))
}

fn charge(number: u64) -> Outcome<Charge> {
    let spec = "discrete_laplace(scale=10)".parse()?;
    let question = Digest::of(&number.to_be_bytes());
    Ok(Charge::new(question, "SELECT city, count(*) FROM events GROUP BY city", spec).by("ann"))
}

/// What the disk takes by itself: three pages that are written and synced, as a charge does.
fn bare(path: &Path) -> Outcome<()> {
    let mut file: File = OpenOptions::new().write(true).create_new(true).open(path)?;
    let mut times = Vec::new();
    for _ in 0..500 {
        let started = Instant::now();
        file.rewind()?;
        file.write_all(&[7; 3 * 4096])?;
        file.sync_all()?;
        times.push(started.elapsed());
    }
    let (half, most) = quantiles(times);
    row("12 KiB written and synced, p99", "", &format!("{most:.2?}"), &format!("p50 {half:.2?}"));
    Ok(())
}

/// One charge after another, each with its own sync of the disk.
fn single(ledger: &Ledger) -> Outcome<()> {
    let mut times = Vec::new();
    for number in 0..1000 {
        let charge = charge(number)?;
        let started = Instant::now();
        drop(ledger.authorise(&charge)?);
        times.push(started.elapsed());
    }
    let (half, most) = quantiles(times);
    let remark = format!("{}, p50 {half:.2?}", verdict(most <= LATENCY));
    row("one durable charge, p99", &format!("<= {LATENCY:?}"), &format!("{most:.2?}"), &remark);
    Ok(())
}

/// Many threads, each waiting for its own charge to be durable.
fn grouped(ledger: &Ledger) -> Outcome<()> {
    let (threads, each) = (128_u64, 250_u64);
    let (started, before) = (Instant::now(), processor());
    std::thread::scope(|scope| {
        let work = |thread: u64| {
            move || -> Outcome<()> {
                for number in 0..each {
                    drop(ledger.authorise(&charge(1_000_000 * (thread + 1) + number)?)?);
                }
                Ok(())
            }
        };
        let running: Vec<_> = (0..threads).map(|thread| scope.spawn(work(thread))).collect();
        running.into_iter().try_for_each(|one| one.join().unwrap_or_else(|_| Err("panic".into())))
    })?;
    rate("durable charges of 128 threads", threads * each, started, before)
}

/// Batches of a thousand, until there are enough records.
fn filled(ledger: &Ledger, records: u64) -> Outcome<()> {
    let (started, before) = (Instant::now(), processor());
    let first = 1_000_000_000;
    let mut number = first;
    while ledger.anchor()?.number < records {
        let batch = (number..number + 1000).map(charge).collect::<Outcome<Vec<_>>>()?;
        drop(ledger.authorise_all(&batch)?);
        number += 1000;
    }
    rate("durable charges in batches of 1000", number - first, started, before)
}

fn rate(what: &str, charges: u64, started: Instant, before: f64) -> Outcome<()> {
    let many = f64::from(u32::try_from(charges)?);
    let per_second = many / started.elapsed().as_secs_f64();
    let each = (processor() - before) * 1e6 / many;
    let remark = format!("{}, {each:.0} us of processor time each", verdict(per_second >= RATE));
    row(what, &format!(">= {RATE}/s"), &format!("{per_second:.0}/s"), &remark);
    Ok(())
}

fn audited(ledger: &Ledger, depth: Depth, name: &str) -> Outcome<()> {
    let (started, before) = (Instant::now(), processor());
    let found = ledger.verify(None, depth)?;
    let (wall, used) = (started.elapsed(), processor() - before);
    let what = format!("{} charges verified: {name}", found.charges);
    let remark = format!("{}, {used:.2} s of processor time", verdict(wall <= AUDIT));
    row(&what, &format!("<= {AUDIT:?}"), &format!("{wall:.2?}"), &remark);
    Ok(())
}
