//! What a program prints, read by threads of its own so that nobody waits for it for ever.

use std::io::{self, BufRead, BufReader, Read};
use std::process::{ChildStderr, ChildStdout};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// The longest line that is read.
pub(super) const LONGEST: u64 = 64 << 20;

/// What comes next.
pub(super) enum Piece {
    Line(Vec<u8>),
    TooLong,
    Broken(io::Error),
    End,
    /// Nothing, for as long as we had patience.
    Late,
}

/// The lines of an output.
pub(super) struct Lines {
    pieces: Receiver<Piece>,
    count: u64,
}

impl Lines {
    pub(super) fn of(out: ChildStdout) -> Self {
        const WAITING: usize = 1 << 10;
        let (sender, pieces) = sync_channel(WAITING);
        std::thread::spawn(move || read(BufReader::with_capacity(1 << 16, out), &sender));
        Self { pieces, count: 0 }
    }

    /// The next line that is not blank, waiting for it as long as this.
    pub(super) fn next(&mut self, patience: Duration) -> Piece {
        loop {
            match self.pieces.recv_timeout(patience) {
                Ok(piece) => {
                    self.count += 1;
                    match piece {
                        Piece::Line(line) if line.trim_ascii().is_empty() => {}
                        other @ (Piece::Line(_)
                        | Piece::TooLong
                        | Piece::Broken(_)
                        | Piece::End
                        | Piece::Late) => return other,
                    }
                }
                Err(RecvTimeoutError::Timeout) => return Piece::Late,
                Err(RecvTimeoutError::Disconnected) => return Piece::End,
            }
        }
    }

    /// What is there already.
    pub(super) fn at_once(&mut self) -> Option<Piece> {
        match self.next(Duration::ZERO) {
            Piece::Late | Piece::End => None,
            other @ (Piece::Line(_) | Piece::TooLong | Piece::Broken(_)) => Some(other),
        }
    }

    /// How many lines there were.
    pub(super) const fn count(&self) -> u64 {
        self.count
    }
}

/// Hands over lines until the end, or until nobody listens.
fn read(mut out: impl BufRead, listener: &SyncSender<Piece>) {
    loop {
        let mut line = Vec::new();
        let piece = match (&mut out).take(LONGEST + 1).read_until(b'\n', &mut line) {
            Ok(0) => return,
            Ok(length) if u64::try_from(length).is_ok_and(|length| length > LONGEST) => {
                Piece::TooLong
            }
            Ok(_) => Piece::Line(line),
            Err(error) => Piece::Broken(error),
        };
        let last = !matches!(piece, Piece::Line(_));
        if listener.send(piece).is_err() || last {
            return;
        }
    }
}

/// What a program says besides, of which the last line is kept.
pub(super) struct Talk {
    last: Arc<Mutex<String>>,
    listener: JoinHandle<()>,
}

impl Talk {
    pub(super) fn of(err: ChildStderr) -> Self {
        let last = Arc::new(Mutex::new(String::new()));
        let kept = Arc::clone(&last);
        let listener = std::thread::spawn(move || listen(BufReader::new(err), &kept));
        Self { last, listener }
    }

    /// The last line of a program that has ended, shortened and without control characters. Whoever
    /// it started may still hold its pipe: there is little patience.
    pub(super) fn last(&self) -> Option<String> {
        const STEP: Duration = Duration::from_millis(5);
        for _ in 0..100 {
            if self.listener.is_finished() {
                break;
            }
            std::thread::sleep(STEP);
        }
        let last = self.last.lock().ok()?;
        (!last.is_empty()).then(|| last.clone())
    }
}

fn listen(mut err: impl BufRead, kept: &Mutex<String>) {
    const LONGEST_TALK: u64 = 4096;
    loop {
        let mut line = Vec::new();
        match (&mut err).take(LONGEST_TALK).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let text = shortened(&line, 200);
        if let (false, Ok(mut last)) = (text.is_empty(), kept.lock()) {
            *last = text;
        }
    }
}

/// The beginning of some bytes as text fit for a terminal.
pub(super) fn shortened(bytes: &[u8], longest: usize) -> String {
    let start = bytes.get(..bytes.len().min(4 * longest)).unwrap_or_default();
    let text = String::from_utf8_lossy(start);
    let mut shown: String = text
        .trim()
        .chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .take(longest)
        .collect();
    if shown.chars().count() == longest {
        shown.push('…');
    }
    shown
}
