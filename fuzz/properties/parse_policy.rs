//! What must hold for every text read as a policy. Shared by the fuzzer and by the property test
//! that `make test` runs.

use std::path::Path;

use throng_query::policy::{Policy, Privacy, UnitRule};

/// Reading is total, and an error says why. What is read does not depend on comments, has tables of
/// different names, and says of each private one whose its rows are.
pub(crate) fn check(text: &str) {
    let path = Path::new("somewhere/throng.toml");
    let policy = match Policy::parse(text, path) {
        Ok(policy) => policy,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let commented = format!("# first\n{text}\n# last\n");
    let again = Policy::parse(&commented, path).expect("a policy with comments");
    assert_eq!((again.id(), again.capacity()), (policy.id(), policy.capacity()));
    for table in &policy.tables {
        let same = policy.tables.iter().filter(|other| other.name == table.name);
        assert_eq!(same.count(), 1, "{}", table.name);
        let by_row = match &table.privacy {
            Privacy::Public => true,
            Privacy::Private { unit, .. } => matches!(unit, UnitRule::Row),
        };
        assert_eq!(policy.unit_path(&table.name).is_none(), by_row, "{}", table.name);
    }
}
