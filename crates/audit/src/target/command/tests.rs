#![allow(clippy::unwrap_used, reason = "a test")]

use std::time::Duration;

use super::Command;
use crate::{AuditError, Outcome, Outcomes, Target, World};

fn shell(script: &str) -> Command {
    Command::new("sh", ["-c", script]).with_timeout(Duration::from_secs(10))
}

fn answer(script: &str, n: usize) -> Result<Outcomes, AuditError> {
    let mut outcomes = Outcomes::new();
    shell(script).run(World::One, n, &mut outcomes)?;
    Ok(outcomes)
}

fn error(script: &str, n: usize) -> String {
    let error = answer(script, n).unwrap_err();
    assert!(matches!(error, AuditError::Target { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains("hint: "), "{text}");
    text
}

#[test]
fn three_ways_to_answer() {
    let lines = "while read request; do echo 1; echo 2; echo 3; done";
    assert_eq!(answer(lines, 3).unwrap(), Outcomes::Integers(vec![1, 2, 3]));
    let object = "while read r; do echo '{\"outcomes\": [0.5, 1.5]}'; done";
    assert_eq!(answer(object, 2).unwrap(), Outcomes::Numbers(vec![0.5, 1.5]));
    let array = "while read r; do echo '[7, 8]'; done";
    assert_eq!(answer(array, 2).unwrap(), Outcomes::Integers(vec![7, 8]));
    let list = Outcome::List(vec![Outcome::Integer(7)]);
    assert_eq!(answer("echo '[7]'", 1).unwrap().get(0), Some(list));
}

#[test]
fn the_request_says_world_and_number() {
    let echo = "while read r; do printf '\"%s\"\\n' \"$(echo $r | tr -d '\"')\"; done";
    let said = answer(echo, 1).unwrap();
    assert_eq!(said.get(0), Some(Outcome::Text("{world:1,n:1}".to_owned())));
}

#[test]
fn one_process_serves_many_requests() {
    let mut target = shell("while read r; do echo $$; done");
    let mut outcomes = Outcomes::new();
    for world in [World::Zero, World::One, World::Zero] {
        target.run(world, 1, &mut outcomes).unwrap();
    }
    let Outcomes::Integers(ids) = outcomes else { panic!("not numbers") };
    assert_eq!(ids.len(), 3);
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
}

#[test]
fn a_program_for_one_request_is_started_again() {
    let mut target = shell("read r; echo 1; echo 2");
    let mut outcomes = Outcomes::new();
    for _ in 0..5 {
        target.run(World::Zero, 2, &mut outcomes).unwrap();
    }
    assert_eq!(outcomes.len(), 10);
}

#[test]
fn what_goes_wrong_is_said() {
    assert!(error("exit 0", 1).contains("after 0 of 1"));
    let crash = error("read r; echo 1; echo the reason >&2; exit 7", 2);
    assert!(crash.contains("7") && crash.contains("the reason") && crash.contains("after 1 of 2"));
    assert!(error("echo hello", 1).contains("hello"));
    let long = error("printf '%0500d\\n' 7", 1);
    assert!(long.contains("500 bytes") && long.len() < 400, "{long}");
    assert!(error("echo NaN", 1).contains("\"NaN\""));
    assert!(error("printf '\\377\\n'", 1).contains("UTF-8"));
    assert!(error("echo '{\"outcomes\":[1,2,3]}'", 2).contains("gave 3"));
    assert!(error("echo '{\"outcomes\":[1]}'", 2).contains("gave 1"));
    let mut none = Command::new("no-such-program-at-all", Vec::<String>::new());
    let error = none.run(World::Zero, 1, &mut Outcomes::new()).unwrap_err().to_string();
    assert!(error.contains("no-such-program-at-all"), "{error}");
}

#[test]
fn a_program_that_hangs_is_ended() {
    let mut target =
        shell("read r; echo 1; exec sleep 1000").with_timeout(Duration::from_millis(200));
    let error = target.run(World::Zero, 2, &mut Outcomes::new()).unwrap_err().to_string();
    assert!(error.contains("0.2 s") && error.contains("after 1 of 2"), "{error}");
}

#[test]
fn more_than_was_asked_for_is_an_error() {
    let mut target = shell("while read r; do printf '1\\n2\\n3\\n'; done");
    let mut outcomes = Outcomes::new();
    // The third line is there with the others, or a moment later.
    let all: Result<(), AuditError> = (0..50).try_for_each(|_| {
        std::thread::sleep(Duration::from_millis(20));
        target.run(World::Zero, 2, &mut outcomes)
    });
    assert!(all.unwrap_err().to_string().contains("more outcomes than"));
}
