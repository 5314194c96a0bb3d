//! A fork does not share its parent's stream.
//!
//! A process that forks must have one thread, and test harnesses have several; so this target has
//! no harness and speaks as much of its language as `cargo test` and `cargo nextest` need.

use std::error::Error;
use std::io::{PipeReader, PipeWriter, Read, Write, pipe};
use std::process::{ExitCode, exit};

use fork::{Fork, fork, waitpid};
use throng_sample::{Entropy, EntropyError, OsEntropy, SeededEntropy};

const NAME: &str = "fork_streams_differ";
const CHILDREN: usize = 4;

type Block = [u8; 32];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    if has("--list") {
        if !has("--ignored") {
            println!("{NAME}: test");
        }
        return ExitCode::SUCCESS;
    }
    if has("--ignored") || !is_selected(&arguments) {
        return conclude(0, 0, 1);
    }
    match fork_streams_differ() {
        Ok(()) => {
            println!("\nrunning 1 test\ntest {NAME} ... ok");
            conclude(1, 0, 0)
        }
        Err(error) => {
            println!("\nrunning 1 test\ntest {NAME} ... FAILED\n\n{error}");
            conclude(0, 1, 0)
        }
    }
}

/// The options of the standard harness whose value is an argument of its own.
const OPTIONS_WITH_VALUE: [&str; 7] =
    ["--color", "--format", "--logfile", "--shuffle-seed", "--skip", "--test-threads", "-Z"];

/// Whether the names among the arguments, if any, select this test.
fn is_selected(arguments: &[String]) -> bool {
    let exact = arguments.iter().any(|argument| argument == "--exact");
    let matches = |name: &str| if exact { name == NAME } else { NAME.contains(name) };
    let (mut any_name, mut selected) = (false, false);
    let mut rest = arguments.iter().map(String::as_str);
    while let Some(argument) = rest.next() {
        if OPTIONS_WITH_VALUE.contains(&argument) {
            rest.next();
        } else if !argument.starts_with('-') {
            any_name = true;
            selected |= matches(argument);
        }
    }
    selected || !any_name
}

fn conclude(passed: u32, failed: u32, filtered: u32) -> ExitCode {
    let verdict = if failed == 0 { "ok" } else { "FAILED" };
    println!(
        "\ntest result: {verdict}. {passed} passed; {failed} failed; 0 ignored; 0 measured; \
         {filtered} filtered out\n"
    );
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn fork_streams_differ() -> Result<(), Box<dyn Error>> {
    // The control: entropy that does not look for forks repeats itself, and this test sees it.
    let repeated = family_blocks(&mut SeededEntropy::new(1))?;
    if all_differ(&repeated) {
        return Err("the control failed: a copied stream went unnoticed".into());
    }
    let blocks = family_blocks(&mut OsEntropy)?;
    if !all_differ(&blocks) {
        return Err("two processes drew the same bytes".into());
    }
    Ok(())
}

fn all_differ(blocks: &[Block]) -> bool {
    let mut sorted = blocks.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).all(|pair| pair[0] != pair[1])
}

/// Blocks drawn by this process, before and after each fork, by its children, and by a child of
/// each child. Two independent ones coincide with probability 2^-256.
fn family_blocks(entropy: &mut dyn Entropy) -> Result<Vec<Block>, Box<dyn Error>> {
    let (mut reader, writer) = pipe()?;
    let mut blocks = vec![block(entropy)?];
    let mut children = Vec::new();
    for _ in 0..CHILDREN {
        match fork()? {
            Fork::Child => exit(live_as_child(entropy, &writer)),
            Fork::Parent(child) => children.push(child),
        }
        blocks.extend([block(entropy)?, block(entropy)?]);
    }
    drop(writer);
    let heard = read_blocks(&mut reader)?;
    for child in children {
        if waitpid(child)? != 0 {
            return Err("a child failed".into());
        }
    }
    if heard.len() != 4 * CHILDREN {
        return Err(format!("{} blocks arrived from the children", heard.len()).into());
    }
    blocks.extend(heard);
    Ok(blocks)
}

/// A child draws, has a child of its own that draws, and draws again. Returns its exit code.
fn live_as_child(entropy: &mut dyn Entropy, writer: &PipeWriter) -> i32 {
    let life = |entropy: &mut dyn Entropy| -> Result<(), Box<dyn Error>> {
        send(block(entropy)?, writer)?;
        match fork()? {
            Fork::Child => {
                let sent = block(entropy).map(|first| send(first, writer));
                let again = block(entropy).map(|second| send(second, writer));
                exit(i32::from(!matches!((sent, again), (Ok(Ok(())), Ok(Ok(()))))));
            }
            Fork::Parent(grandchild) => {
                send(block(entropy)?, writer)?;
                if waitpid(grandchild)? == 0 { Ok(()) } else { Err("a grandchild failed".into()) }
            }
        }
    };
    i32::from(life(entropy).is_err())
}

fn block(entropy: &mut dyn Entropy) -> Result<Block, EntropyError> {
    let mut bytes = [0; 32];
    entropy.fill(&mut bytes)?;
    Ok(bytes)
}

/// Writes of this size to a pipe are not torn apart.
fn send(block: Block, mut writer: &PipeWriter) -> std::io::Result<()> {
    writer.write_all(&block)
}

fn read_blocks(reader: &mut PipeReader) -> std::io::Result<Vec<Block>> {
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes)?;
    Ok(bytes.as_chunks().0.to_vec())
}
