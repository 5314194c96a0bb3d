//! Where a crate's tests are one program, it has all of them: a file that `tests/main.rs` does not name
//! would never be compiled, and never fail.
#![allow(clippy::unwrap_used, reason = "a test")]

use std::fs;
use std::path::Path;

use throng_house::read;

/// The names of the test files of a crate, and of programs of their own.
fn files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .filter(|path| path.extension().is_some_and(|ending| ending == "rs"))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .filter(|name| name != "main")
        .collect()
}

#[test]
fn every_test_file_is_compiled() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut found = 0;
    for folder in fs::read_dir(crates).unwrap().map(|entry| entry.unwrap()) {
        let name = folder.file_name().into_string().unwrap();
        let Ok(main) = read(&format!("crates/{name}/tests/main.rs")) else { continue };
        let manifest = read(&format!("crates/{name}/Cargo.toml")).unwrap();
        for file in files(&folder.path().join("tests")) {
            let alone = manifest.contains(&format!("[[test]]\nname = \"{file}\"\n"));
            let named = main.lines().any(|line| line == format!("mod {file};"));
            assert!(alone || named, "crates/{name}/tests/{file}.rs is in no test program");
            found += 1;
        }
    }
    assert!(found > 80, "{found}");
}
