//! How fast the ledger is: grouped and single durable charges, and the audit.
//!
//! `cargo run --release -p throng-ledger --example charges -- [folder] [records]`

use std::path::PathBuf;
use std::time::{Duration, Instant};

use throng_ledger::{Amount, Charge, Charter, Depth, Digest, Ledger, Neighbours};

type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().map_or_else(std::env::temp_dir, PathBuf::from);
    let records: u64 = arguments.next().map_or(Ok(1_000_000), |text| text.parse())?;
    let folder = folder.join(format!("throng-charges-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let done = measure(&folder.join("ledger.db"), records);
    std::fs::remove_dir_all(&folder)?;
    done
}

fn measure(path: &std::path::Path, records: u64) -> Outcome<()> {
    let capacity = Amount::Pure { epsilon: "1000000000".parse()? };
    let ledger = Ledger::create(path, &Charter::new(capacity, Neighbours::AddRemove, "speed"))?;
    single(&ledger)?;
    grouped(&ledger)?;
    filled(&ledger, records)?;
    let (started, before) = (Instant::now(), processor());
    let found = ledger.verify(None, Depth::Sums)?;
    let (wall, used) = (started.elapsed(), processor() - before);
    println!("{} charges verified in {wall:.2?}, {used:.2} s of processor time", found.charges);
    let started = Instant::now();
    drop(Ledger::open(path)?);
    println!("opened in {:.2?}", started.elapsed());
    Ok(())
}

/// Seconds of processor time so far, where the system says (Linux); the machine may be shared.
fn processor() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = stat.rsplit(')').next().unwrap_or_default();
    let ticks = after.split_whitespace().skip(11).take(2);
    ticks.filter_map(|text| text.parse::<f64>().ok()).sum::<f64>() / 100.0
}

fn charge(number: u64) -> Outcome<Charge> {
    let spec = "discrete_laplace(scale=10)".parse()?;
    let question = Digest::of(&number.to_be_bytes());
    Ok(Charge::new(question, "SELECT city, count(*) FROM events GROUP BY city", spec).by("ann"))
}

/// One charge after another, each with its own sync of the disk.
fn single(ledger: &Ledger) -> Outcome<()> {
    let mut times: Vec<Duration> = Vec::new();
    for number in 0..1000 {
        let charge = charge(number)?;
        let started = Instant::now();
        drop(ledger.authorise(&charge)?);
        times.push(started.elapsed());
    }
    times.sort();
    let at = |share: usize| times.get(times.len() * share / 100).copied().unwrap_or_default();
    println!("single durable charge: p50 {:.2?}, p99 {:.2?}", at(50), at(99));
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
    let per_second = f64::from(u32::try_from(threads * each)?) / started.elapsed().as_secs_f64();
    let each = (processor() - before) * 1e6 / f64::from(u32::try_from(threads * each)?);
    println!(
        "{threads} threads: {per_second:.0} durable charges/s, {each:.0} us of processor time each"
    );
    Ok(())
}

/// Batches of a thousand, until there are enough records.
fn filled(ledger: &Ledger, records: u64) -> Outcome<()> {
    let (started, before) = (Instant::now(), processor());
    let mut number = 1_000_000_000;
    while ledger.anchor()?.number < records {
        let batch = (number..number + 1000).map(charge).collect::<Outcome<Vec<_>>>()?;
        drop(ledger.authorise_all(&batch)?);
        number += 1000;
    }
    let many = f64::from(u32::try_from(number - 1_000_000_000)?);
    let per_second = many / started.elapsed().as_secs_f64();
    let each = (processor() - before) * 1e6 / many;
    println!(
        "batches of 1000: {per_second:.0} durable charges/s, {each:.0} us of processor time each"
    );
    Ok(())
}
