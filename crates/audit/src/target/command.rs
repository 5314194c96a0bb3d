//! A target that is another program, spoken to in JSON lines.
//!
//! The program is started once. For each request it finds a line `{"world":0,"n":1000}` on its
//! standard input (with `"pair":k` where pairs are searched) and answers on its standard output, in
//! one of three ways:
//!
//! - a line `{"outcomes": [...]}` with n outcomes;
//! - a line that is an array of n outcomes (if n is at least 2: a lone array is one outcome);
//! - n lines with one outcome each.
//!
//! It may end with success after a whole answer: then it is started again for the next request.
//!
//! # Guarantee
//! Whatever the program does (ends, hangs, prints too little, too much, or anything but outcomes),
//! the answer is an error and not a verdict. Time is only used to give up.

mod answer;
mod pipe;

use std::ffi::OsString;
use std::io::Write;
use std::process::{Child, ChildStdin, Command as Process, Stdio};
use std::time::{Duration, Instant};

use crate::error::unless_given_up;
use crate::pairs::Generator;
use crate::{AuditError, Outcomes, Target, World};
use answer::Answer;
use pipe::{Lines, Piece, Talk};

/// A program to audit.
///
/// ```no_run
/// use throng_audit::{Command, Outcomes, Target, World};
/// let mut target = Command::new("python3", ["mechanism.py"]);
/// let mut outcomes = Outcomes::new();
/// target.run(World::Zero, 1000, &mut outcomes)?;
/// # Ok::<(), throng_audit::AuditError>(())
/// ```
pub struct Command {
    program: OsString,
    arguments: Vec<OsString>,
    timeout: Duration,
    pairs: Option<usize>,
    running: Option<Running>,
}

/// A started program.
struct Running {
    child: Child,
    requests: ChildStdin,
    lines: Lines,
    talk: Talk,
    /// Whether it has answered before.
    proven: bool,
}

/// How an exchange ended that did not fail.
enum Exchange {
    Done,
    /// It had ended, with success, before the request reached it.
    WasOver,
}

impl Command {
    /// How long one answer may take if nothing else is said.
    pub const TIMEOUT: Duration = Duration::from_secs(60);

    /// A program and its arguments; not started yet.
    pub fn new<A: Into<OsString>>(
        program: impl Into<OsString>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        Self {
            program: program.into(),
            arguments: arguments.into_iter().map(Into::into).collect(),
            timeout: Self::TIMEOUT,
            pairs: None,
            running: None,
        }
    }

    /// The same with another patience.
    #[must_use]
    pub const fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// The same as a generator of so many neighbouring pairs.
    #[must_use]
    pub const fn with_pairs(mut self, pairs: usize) -> Self {
        self.pairs = Some(pairs);
        self
    }

    fn request(
        &mut self,
        pair: Option<usize>,
        world: World,
        n: usize,
        outcomes: &mut Outcomes,
    ) -> Result<(), AuditError> {
        if n == 0 {
            return Ok(());
        }
        let pair = pair.map(|pair| format!(",\"pair\":{pair}")).unwrap_or_default();
        let request = format!("{{\"world\":{},\"n\":{n}{pair}}}\n", world.index());
        let deadline = Instant::now() + self.timeout;
        for _ in 0..2 {
            let mut running = match self.running.take() {
                Some(running) => running,
                None => self.start()?,
            };
            match running.exchange(&request, n, deadline, self.timeout, outcomes)? {
                Exchange::Done => {
                    running.proven = true;
                    self.running = Some(running);
                    return Ok(());
                }
                Exchange::WasOver => {}
            }
        }
        Err(AuditError::target("ended without an answer", ANSWER))
    }

    fn start(&self) -> Result<Running, AuditError> {
        let mut process = Process::new(&self.program);
        process.args(&self.arguments);
        process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = process.spawn().map_err(|error| {
            AuditError::target(
                format!("`{}` cannot be started: {error}", self.program.display()),
                "check the name of the program and that it can be executed",
            )
        })?;
        let (Some(requests), Some(out), Some(err)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(AuditError::target("has no pipes", "check the limits of the system"));
        };
        let (lines, talk) = (Lines::of(out), Talk::of(err));
        Ok(Running { child, requests, lines, talk, proven: false })
    }
}

impl Target for Command {
    fn run(&mut self, world: World, n: usize, outcomes: &mut Outcomes) -> Result<(), AuditError> {
        self.request(None, world, n, outcomes)
    }
}

impl Generator for Command {
    fn pairs(&self) -> usize {
        self.pairs.unwrap_or(1)
    }

    fn run(
        &mut self,
        pair: usize,
        world: World,
        n: usize,
        outcomes: &mut Outcomes,
    ) -> Result<(), AuditError> {
        self.request(self.pairs.map(|_| pair), world, n, outcomes)
    }
}

const ANSWER: &str = "for each line such as {\"world\":0,\"n\":1000} it must print n outcomes, one JSON \
     value a line, or {\"outcomes\":[...]}, and flush";

/// So often it is looked up whether anybody still waits for a program that is silent.
const GLANCE: Duration = Duration::from_millis(50);

impl Running {
    /// One request and its answer.
    fn exchange(
        &mut self,
        request: &str,
        n: usize,
        deadline: Instant,
        timeout: Duration,
        outcomes: &mut Outcomes,
    ) -> Result<Exchange, AuditError> {
        if self.proven {
            self.nothing_more()?;
        }
        // A program that has ended cannot be written to; what it says about it comes below.
        let heard =
            self.requests.write_all(request.as_bytes()).and_then(|()| self.requests.flush());
        let mut answer = Answer::new(n);
        if heard.is_err() && self.proven && self.is_over() {
            return Ok(Exchange::WasOver);
        }
        while !answer.is_whole() {
            unless_given_up()?;
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.next(left.min(GLANCE)) {
                Piece::Late if left > GLANCE => {}
                Piece::Line(line) => answer.take(&line, self.lines.count())?,
                Piece::End if answer.is_empty() && self.proven && self.is_over() => {
                    return Ok(Exchange::WasOver);
                }
                Piece::End => return Err(self.crashed(&answer)),
                Piece::Late => return Err(late(timeout, &answer)),
                Piece::TooLong => return Err(too_long()),
                Piece::Broken(error) => {
                    return Err(AuditError::target(format!("cannot be read: {error}"), ANSWER));
                }
            }
        }
        self.nothing_more()?;
        answer.hand_over(outcomes);
        Ok(Exchange::Done)
    }

    /// Between answers nothing may be there: it would be taken for the answer to the next request,
    /// which may be about the other world.
    fn nothing_more(&mut self) -> Result<(), AuditError> {
        match self.lines.at_once() {
            None => Ok(()),
            Some(_) => Err(AuditError::target("printed more outcomes than were asked for", ANSWER)),
        }
    }

    /// Whether it ended with success. Its output is closed, so it is about to end if it has not.
    fn is_over(&mut self) -> bool {
        self.wait().is_some_and(|status| status.success())
    }

    /// Waits a little for the end of a program whose output has ended.
    fn wait(&mut self) -> Option<std::process::ExitStatus> {
        const STEP: Duration = Duration::from_millis(5);
        for _ in 0..200 {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) => std::thread::sleep(STEP),
                Err(_) => return None,
            }
        }
        None
    }

    fn crashed(&mut self, answer: &Answer) -> AuditError {
        let progress = answer.progress();
        let how = match self.wait() {
            Some(status) if status.success() => "ended".to_owned(),
            Some(status) => format!("ended with {status}"),
            None => "closed its output".to_owned(),
        };
        let said = self.talk.last().map(|line| format!("; its last words: {line}"));
        AuditError::target(
            format!("{how} {progress}{}", said.unwrap_or_default()),
            "run it by hand with `{\"world\":0,\"n\":3}` on its standard input",
        )
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended already; there is nobody to tell.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn late(timeout: Duration, answer: &Answer) -> AuditError {
    AuditError::target(
        format!("gave no whole answer within {} s: {}", timeout.as_secs_f64(), answer.progress()),
        "let it flush its output and read single lines, or give it more time",
    )
}

fn too_long() -> AuditError {
    AuditError::target(
        format!("printed a line of more than {} MiB", pipe::LONGEST >> 20),
        "print one outcome a line",
    )
}

#[cfg(test)]
mod tests;
