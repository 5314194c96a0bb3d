//! Files that nobody would write on purpose, or somebody did.

use std::process::Stdio;

use crate::{feed, stderr, stdout, throng};

/// Calls of every command that reads a table, on the column x.
fn calls() -> Vec<Vec<&'static str>> {
    let texts = [
        "noise --column x --epsilon 1",
        "noise --column x --epsilon 1 --keep y",
        "noise --column x --epsilon 1 --delta 1e-6 --sensitivity 0.5 --json",
        "noise --column x --epsilon 1 --bounds -5,5",
        "histogram --column x --keys a,b --epsilon 1",
        "histogram --column x --epsilon 1 --delta 1e-6 --plot",
        "histogram --column x --unit y --max-keys 3 --epsilon 1 --delta 1e-6 --json",
        "quantile --column x --bounds -5,5 --epsilon 1",
        "quantile --column x --bounds 0,1e100 --at 0.1,0.9 --epsilon 1 --json",
    ];
    texts.iter().map(|text| text.split(' ').collect()).collect()
}

#[test]
fn odd_tables_are_tables() {
    let long = format!("x,y\n{},1\n", "9".repeat(300_000));
    let wide = format!("x,y\n{}\n", ",".repeat(50_000));
    let tables: [&[u8]; 16] = [
        b"x,y\n",
        b"x,y",
        b"x,y\n\n\n",
        b"x,y\n1\n1,2,3,4\n,\n",
        b"x,y\n\"1\",\"two\nlines\"\n\"open,1\n2,3\n",
        b"x,y\n\xff\xfe,\x00\n\x80,\xc3\x28\n",
        b"\xef\xbb\xbfx,y\r\n1,2\r\n",
        b"x,y\r1,2\r3,4\r",
        b"x,y\nnan,inf\n-inf,NaN\n1e400,-1e400\n1e-400,-0\n",
        b"x,y\n9223372036854775807,1\n-9223372036854775808,1\n99999999999999999999999999,1\n",
        b"x,y\n4611686018427387904,1\n-4611686018427387904,1\n",
        b"x,y\n1_000,1/2\n0x10,1e\n+,-\n.,e5\n",
        b"x,y,x\n1,2,3\n",
        b"x,y\n=cmd(),\x1b[31m\n",
        long.as_bytes(),
        wide.as_bytes(),
    ];
    for table in tables {
        for call in calls() {
            let output = feed(&call, table);
            let talk = stderr(&output);
            let head = String::from_utf8_lossy(&table[..table.len().min(40)]).into_owned();
            assert_eq!(output.status.code(), Some(0), "{call:?} on {head:?}: {talk}");
            assert!(!talk.contains("panic") && !talk.contains("bug"), "{talk}");
        }
    }
}

#[test]
fn what_is_not_there_is_said() {
    for call in calls() {
        let empty = feed(&call, b"");
        assert_eq!(empty.status.code(), Some(2), "{call:?}");
        assert!(stderr(&empty).contains("the input is empty"), "{}", stderr(&empty));
        let other = feed(&call, b"a,\x1b[2Jb\n1,2\n");
        assert_eq!(other.status.code(), Some(2), "{call:?}");
        let talk = stderr(&other);
        assert!(talk.contains("no column") && talk.contains("the columns are: a, "), "{talk}");
        assert!(!talk.contains('\x1b'), "{talk}");
        for more in [["no/such/file.csv"].as_slice(), &["--delimiter", "ab"], &["/"]] {
            let output = feed(&[&call[..], more].concat(), b"x,y\n1,2\n");
            assert_eq!(output.status.code(), Some(2), "{call:?} {more:?}: {}", stderr(&output));
            assert!(output.stdout.is_empty());
            assert!(stderr(&output).contains("hint: "), "{}", stderr(&output));
        }
    }
}

/// One row is another, or not there: what is said besides the release is the same.
#[test]
fn neighbours_say_the_same() {
    let one = "x,y\n1,u\n2,v\n3,w\n";
    let others = ["x,y\n1,u\n2,v\nnan,w\n", "x,y\n1,u\n2,v\n\n", "x,y\n1,u\n2,v\n1e400,\n"];
    let fewer = "x,y\n1,u\n2,v\n";
    for call in calls() {
        let first = feed(&call, one.as_bytes());
        // How long a table of counts is, is public; of the other tables it is not.
        let also = if call[0] == "noise" { None } else { Some(fewer) };
        for other in others.into_iter().chain(also) {
            let second = feed(&call, other.as_bytes());
            assert_eq!(first.status.code(), second.status.code(), "{call:?}");
            assert_eq!(stderr(&first), stderr(&second), "{call:?}");
            if call[0] == "noise" && !call.contains(&"--json") {
                let lines = |output| stdout(output).lines().count();
                assert_eq!(lines(&first), lines(&second), "{call:?}");
            }
        }
    }
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let rows = format!("x,y\n{}", "1,2\n".repeat(50_000));
    let path = crate::folder("hostile").join("long.csv");
    std::fs::write(&path, rows).unwrap();
    let mut child = throng()
        .args(["noise", "--column", "x", "--epsilon", "1", path.to_str().unwrap()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains("guarantee: "), "{}", stderr(&output));
}
