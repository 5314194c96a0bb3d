//! ARCHITECTURE.md says who may use whom; the manifests must say the same.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use std::collections::BTreeSet;

use throng_house::{Uses, quoted, read, table, uses};

/// The map's table of rooms: crate folder, then the rooms it may use.
fn allowed() -> Uses {
    let map = read("ARCHITECTURE.md").unwrap();
    let rows = table(&map, "room");
    assert!(!rows.is_empty(), "ARCHITECTURE.md has no table of rooms");
    rows.iter().map(|row| (quoted(&row[0]).pop_first().unwrap(), quoted(&row[1]))).collect()
}

fn is_ours(name: &str) -> bool {
    name.starts_with("throng-")
}

#[test]
fn every_crate_is_in_the_map_and_uses_only_what_it_may() {
    let allowed = allowed();
    for (room, dependencies) in uses().unwrap() {
        let Some(may) = allowed.get(&room) else {
            panic!("crates/{room} is not in ARCHITECTURE.md")
        };
        for dependency in dependencies.iter().filter(|name| is_ours(name)) {
            let other = dependency.trim_start_matches("throng-");
            assert!(
                may.contains(other),
                "{room} uses {other}, which ARCHITECTURE.md does not allow"
            );
        }
    }
}

#[test]
fn the_map_has_no_rooms_that_do_not_exist() {
    let exists: BTreeSet<String> = uses().unwrap().into_keys().collect();
    let drawn: BTreeSet<String> = allowed().into_keys().collect();
    assert_eq!(drawn, exists);
}

#[test]
fn every_dependency_has_its_reason() {
    let map = read("ARCHITECTURE.md").unwrap();
    let reasons: BTreeSet<String> =
        table(&map, "dependency").iter().flat_map(|row| quoted(&row[0])).collect();
    let used: BTreeSet<String> =
        uses().unwrap().into_values().flatten().filter(|name| !is_ours(name)).collect();
    for name in &used {
        assert!(reasons.contains(name), "{name} is used but ARCHITECTURE.md does not say why");
    }
}

#[test]
fn engines_and_servers_stay_upstairs() {
    for room in ["numeric", "sample"] {
        for heavy in ["datafusion", "arrow", "tokio", "pyo3", "axum"] {
            assert!(!uses().unwrap()[room].contains(heavy), "{room} must not use {heavy}");
        }
    }
}
