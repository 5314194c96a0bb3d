//! `throng init`.

use crate::project::Project;
use crate::stderr;

#[test]
fn a_template_is_made_from_the_schema_alone() {
    let project = Project::new("init", "1");
    let talk = project.refused(&["init", "visits.csv"], 2);
    assert!(talk.contains("throng.toml") && talk.contains("--force"), "{talk}");
    let output = project.call(&["init", "visits.csv", "--output", "new.toml"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = std::fs::read_to_string(project.path("new.toml")).unwrap();
    for word in ["[budget]", "[tables.visits]", "visits.csv", "unit", "age", "#"] {
        assert!(text.contains(word), "{text}");
    }
    // No rows, the same template.
    project.write("visits.csv", "person,clinic,age,hours\n");
    assert_eq!(project.printed(&["init", "visits.csv", "--output", "-"]), text);
    project.printed(&["init", "--table", "stays=visits.csv", "--force"]);
    let text = std::fs::read_to_string(project.path("throng.toml")).unwrap();
    assert!(text.contains("[tables.stays]"), "{text}");
}

#[test]
fn several_tables_share_a_budget() {
    let project = Project::new("init-many", "1");
    let text = project.printed(&["init", "visits.csv", "clinics.csv", "--output", "-"]);
    assert!(text.contains("[tables.visits]") && text.contains("[tables.clinics]"), "{text}");
    assert_eq!(text.matches("\n[budget]").count(), 1, "{text}");
}

#[test]
fn paths_are_seen_from_the_policy() {
    let project = Project::new("init-paths", "1");
    std::fs::create_dir_all(project.path("data")).unwrap();
    std::fs::rename(project.path("visits.csv"), project.path("data/visits.csv")).unwrap();
    project.printed(&["init", "data/visits.csv", "--output", "data/own.toml"]);
    let text = std::fs::read_to_string(project.path("data/own.toml")).unwrap();
    assert!(text.contains("path = \"visits.csv\""), "{text}");
}

#[test]
fn what_is_not_there_is_said() {
    let project = Project::new("init-wrong", "1");
    project.write("odd.xyz", "a,b\n1,2\n");
    for wrong in [
        &["init"][..],
        &["init", "none.parquet", "--output", "x.toml"],
        &["init", "odd.xyz", "--output", "x.toml"],
        &["init", "visits.csv", "--output", "no/such/x.toml"],
        &["init", "visits.csv", "--example", "there"],
    ] {
        project.refused(wrong, 2);
    }
    assert!(!project.path("x.toml").exists());
}

#[test]
fn the_example_can_be_asked() {
    let project = Project::new("init-example", "1");
    project.printed(&["init", "--example", "clinic"]);
    let talk = project.refused(&["init", "--example", "clinic"], 2);
    assert!(talk.contains("exists already"), "{talk}");
    let sql = "SELECT c.region, count(*) AS visits FROM visits v JOIN clinics c ON v.clinic = c.clinic GROUP BY c.region";
    let answer = project.json(&["query", "--yes", "--policy", "clinic/throng.toml", sql]);
    assert_eq!(answer["rows"].as_array().unwrap().len(), 4, "{answer}");
}
