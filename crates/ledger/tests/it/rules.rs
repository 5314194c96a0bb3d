//! The rules of an ordinary day.

use throng_ledger::{
    Anchor, Asked, Charge, Charter, Depth, Digest, Kind, Ledger, LedgerError, Neighbours,
    Selection, Ticket, Whose,
};

use crate::common::{Folder, answer, charge, charter, exported, pure, rational};

#[test]
fn a_budget_for_three_pays_three() {
    let folder = Folder::new();
    let ledger = Ledger::create(folder.ledger(), &charter(3)).unwrap();
    for name in ["a", "b", "c"] {
        let seen = ledger.preview(&charge(name)).unwrap();
        let paid = ledger.authorise(&charge(name)).unwrap();
        assert_eq!(paid.receipt, seen);
        assert_eq!(paid.permit.spec(), &charge(name).spec);
    }
    let before = ledger.anchor().unwrap();
    let previewed = ledger.preview(&charge("d")).unwrap_err();
    let refused = ledger.authorise(&charge("d")).unwrap_err();
    assert_eq!(previewed, refused);
    let LedgerError::Exhausted { asked, left, whose } = refused else { panic!("{refused}") };
    assert_eq!((*asked, *left, whose), (pure("1/10"), pure("0"), Whose::Global));
    assert_eq!(ledger.anchor().unwrap(), before, "a refusal leaves no record");
    assert_eq!(ledger.spent().unwrap(), pure("3/10"));
}

#[test]
fn a_charter_says_what_its_new_ledger_would() {
    let folder = Folder::new();
    let mut charter = charter(3);
    charter.quotas.insert("ann".into(), pure("1/20"));
    assert!(Ledger::open_if_present(folder.ledger(), &charter).unwrap().is_none());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is made");
    let charges = [
        charge("a"),
        charge("a").by("bob"),
        charge("a").by("ann"),
        charge("a").by(""),
        Charge { spec: "discrete_laplace(scale=1)".parse().unwrap(), ..charge("a") },
        Charge { spec: "gaussian(sigma=1)".parse().unwrap(), ..charge("a") },
    ];
    let told: Vec<_> = charges.iter().map(|charge| charter.preview(charge)).collect();
    drop(Ledger::create(folder.ledger(), &charter).unwrap());
    let ledger = Ledger::open_if_present(folder.ledger(), &charter).unwrap().unwrap();
    let same: Vec<_> = charges.iter().map(|charge| ledger.preview(charge)).collect();
    assert_eq!(told, same);
    assert_eq!(told.iter().filter(|told| told.is_ok()).count(), 2);
    drop(ledger);
    // A ledger of another charter, and one that is gone, are refused.
    assert!(
        Ledger::open_if_present(
            folder.ledger(),
            &Charter { policy: "x".into(), ..charter.clone() }
        )
        .is_err()
    );
    std::fs::remove_file(folder.ledger()).unwrap();
    assert!(Ledger::open_if_present(folder.ledger(), &charter).is_err());
}

#[test]
fn everything_is_there_after_a_restart() {
    let folder = Folder::new();
    let ledger = Ledger::create(folder.ledger(), &charter(5)).unwrap();
    let payload = answer(&ledger, "kept");
    let lost = ledger.authorise(&charge("lost")).unwrap();
    ledger.note("bounds", "events.income", b"0..200000").unwrap();
    ledger.note("bounds", "events.income", b"0..300000").unwrap();
    let text = exported(&ledger);
    let id = ledger.id().to_owned();
    drop(ledger);

    let ledger = Ledger::open_or_create(folder.ledger(), &charter(5)).unwrap();
    assert_eq!((ledger.id(), exported(&ledger)), (id.as_str(), text));
    assert_eq!(ledger.spent().unwrap(), pure("2/10"));
    let stored = ledger.find(&charge("kept").question).unwrap().unwrap();
    assert_eq!((stored.payload, stored.label.as_str()), (payload, "SELECT 'kept'"));
    assert_eq!(stored.receipt.cost, pure("1/10"));
    assert_eq!(stored.receipt.left, pure("4/10"));
    // A charge whose answer was never stored stays spent and is not found.
    assert_eq!(ledger.ask(&charge("lost").question).unwrap(), Asked::New);
    assert_eq!(ledger.fact("events.income").unwrap().unwrap(), b"0..300000");
    assert_eq!(ledger.fact("events.age").unwrap(), None);
    assert_eq!(ledger.notes().unwrap().len(), 2);
    // Its ticket is still good for the one release it paid for.
    ledger.store(&lost.ticket, b"late").unwrap();
    assert!(ledger.find(&charge("lost").question).unwrap().is_some());
}

#[test]
fn an_answered_question_is_not_charged_again() {
    let folder = Folder::new();
    let ledger = Ledger::create(folder.ledger(), &charter(5)).unwrap();
    answer(&ledger, "a");
    let ticket = ledger.find(&charge("a").question).unwrap().unwrap().ticket;
    assert_eq!(ledger.authorise(&charge("a")).unwrap_err(), LedgerError::AlreadyAnswered(ticket));
    assert_eq!(ledger.preview(&charge("a")).unwrap_err(), LedgerError::AlreadyAnswered(ticket));
    assert_eq!(ledger.spent().unwrap(), pure("1/10"));
}

#[test]
fn two_who_raced_both_pay_and_the_first_answer_stands() {
    let folder = Folder::new();
    let ledger = Ledger::create(folder.ledger(), &charter(5)).unwrap();
    let (one, two) =
        (ledger.authorise(&charge("a")).unwrap(), ledger.authorise(&charge("a")).unwrap());
    ledger.store(&two.ticket, b"two").unwrap();
    ledger.store(&one.ticket, b"one").unwrap();
    assert_eq!(ledger.find(&charge("a").question).unwrap().unwrap().payload, b"two");
    assert_eq!(ledger.spent().unwrap(), pure("2/10"));
    ledger.verify(None, Depth::Prices).unwrap();
}

#[test]
fn one_charge_pays_for_one_release() {
    let folder = Folder::new();
    let ledger = Ledger::create(folder.ledger(), &charter(5)).unwrap();
    let paid = ledger.authorise(&charge("a")).unwrap();
    ledger.store(&paid.ticket, b"one").unwrap();
    let before = ledger.anchor().unwrap();
    ledger.store(&paid.ticket, b"one").unwrap();
    assert_eq!(ledger.anchor().unwrap(), before, "the same again changes nothing");
    let refused = ledger.store(&paid.ticket, b"two").unwrap_err();
    assert!(matches!(refused, LedgerError::Refused { .. }), "{refused}");
    for (number, digest) in [(99, paid.ticket.digest), (0, before.digest), (2, before.digest)] {
        let refused = ledger.store(&Ticket { number, digest }, b"x").unwrap_err();
        assert!(matches!(refused, LedgerError::Refused { .. }), "{refused}");
    }
    assert_eq!(ledger.anchor().unwrap(), before);
}

#[test]
fn a_batch_is_charged_whole_or_not_at_all() {
    let folder = Folder::new();
    let ledger = Ledger::create(folder.ledger(), &charter(3)).unwrap();
    let batch: Vec<_> = ["a", "b", "c", "d"].map(charge).to_vec();
    let before = ledger.anchor().unwrap();
    let refused = ledger.authorise_all(&batch).unwrap_err();
    assert!(matches!(refused, LedgerError::Exhausted { .. }), "{refused}");
    assert_eq!(ledger.anchor().unwrap(), before);
    let paid = ledger.authorise_all(&batch[..3]).unwrap();
    let numbers: Vec<_> = paid.iter().map(|one| one.ticket.number).collect();
    assert_eq!(numbers, [1, 2, 3]);
    assert_eq!(ledger.remaining(None).unwrap(), pure("0"));
    assert!(ledger.authorise_all(&[]).unwrap().is_empty());
    ledger.verify(None, Depth::Sums).unwrap();
}

#[test]
fn quotas_lie_inside_the_budget() {
    let folder = Folder::new();
    let mut owners = charter(4);
    owners.quotas.insert("ann".into(), pure("2/10"));
    owners.default_quota = Some(pure("1/10"));
    let ledger = Ledger::create(folder.ledger(), &owners).unwrap();
    let ask = |who: &str, what: &str| ledger.authorise(&charge(what).by(who)).map(drop);
    ask("ann", "1").unwrap();
    ask("ann", "2").unwrap();
    let refused = ask("ann", "3").unwrap_err();
    assert!(
        matches!(&refused, LedgerError::Exhausted { whose: Whose::Analyst(name), .. } if name == "ann")
    );
    ask("bob", "4").unwrap();
    assert!(matches!(ask("bob", "5").unwrap_err(), LedgerError::Exhausted { .. }));
    ask("eve", "6").unwrap();
    // Nothing is left for anybody, whatever their quota says.
    let refused = ask("zoe", "7").unwrap_err();
    assert!(matches!(refused, LedgerError::Exhausted { whose: Whose::Global, .. }));
    assert_eq!(ledger.remaining(Some("zoe")).unwrap(), pure("0"));
    assert_eq!(ledger.spent_by("ann").unwrap(), pure("2/10"));
    assert_eq!(ledger.spent_by("nobody").unwrap(), pure("0"));
    assert!(matches!(ask("", "8").unwrap_err(), LedgerError::Invalid { .. }));
    drop(ledger);
    let ledger = Ledger::open(folder.ledger()).unwrap();
    assert_eq!(ledger.spent_by("ann").unwrap(), pure("2/10"));
    ledger.verify(None, Depth::Sums).unwrap();
    let summary = ledger.summary().unwrap();
    assert_eq!(summary.analysts.len(), 3);
    assert_eq!(summary.counts[&Kind::Charge], 4);
}

#[test]
fn another_charter_is_refused_and_an_amendment_is_a_record() {
    let folder = Folder::new();
    drop(Ledger::create(folder.ledger(), &charter(1)).unwrap());
    let refused = Ledger::open_or_create(folder.ledger(), &charter(2)).unwrap_err();
    assert!(refused.to_string().contains("hint:"), "{refused}");
    let ledger = Ledger::open(folder.ledger()).unwrap();
    drop(ledger.authorise(&charge("a")).unwrap());
    assert!(ledger.authorise(&charge("b")).is_err());
    ledger.amend(&charter(2)).unwrap();
    drop(ledger.authorise(&charge("b")).unwrap());
    assert_eq!(ledger.spent().unwrap(), pure("2/10"));
    // Never below what is spent, never another currency or relation.
    let mut relation = charter(9);
    relation.under = Neighbours::Replace;
    let mut currency = charter(9);
    currency.capacity = throng_ledger::Amount::Gdp { mu_squared: rational("1") };
    for wrong in [charter(1), relation, currency] {
        assert!(matches!(ledger.amend(&wrong).unwrap_err(), LedgerError::Refused { .. }));
    }
    let found = ledger.verify(None, Depth::Prices).unwrap();
    assert_eq!((found.amendments, found.charges), (1, 2));
    drop(ledger);
    drop(Ledger::open_or_create(folder.ledger(), &charter(2)).unwrap());
    assert!(Ledger::open_or_create(folder.ledger(), &charter(1)).is_err());
}

#[test]
fn malformed_charters_are_refused() {
    let folder = Folder::new();
    let mut quota = charter(1);
    quota.quotas.insert("ann".into(), throng_ledger::Amount::Gdp { mu_squared: rational("1") });
    let mut nobody = charter(1);
    nobody.quotas.insert(String::new(), pure("1"));
    let negative = Charter::new(pure("-1"), Neighbours::AddRemove, "test");
    for wrong in [quota, nobody, negative] {
        assert!(Ledger::open_or_create(folder.ledger(), &wrong).is_err());
        assert!(!folder.ledger().exists());
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left behind");
}

#[test]
fn history_and_top_show_what_was_asked() {
    let folder = Folder::new();
    let ledger = Ledger::create(folder.ledger(), &charter(100)).unwrap();
    for (name, scale) in [("a", 10), ("b", 2), ("c", 5), ("d", 2)] {
        let mut asked = charge(name).by(if name == "a" { "ann" } else { "bob" });
        asked.spec = format!("discrete_laplace(scale={scale})").parse().unwrap();
        asked.at = Some("1970-01-01".into());
        drop(ledger.authorise(&asked).unwrap());
    }
    let labels = |lines: Vec<throng_ledger::Line>| -> String {
        lines.iter().map(|line| line.label.chars().nth(8).unwrap()).collect()
    };
    assert_eq!(labels(ledger.history(&Selection::default()).unwrap()), "dcba");
    let two = Selection { limit: Some(2), before: Some(4), ..Selection::default() };
    assert_eq!(labels(ledger.history(&two).unwrap()), "cb");
    let anns = Selection { analyst: Some("ann".into()), ..Selection::default() };
    assert_eq!(labels(ledger.history(&anns).unwrap()), "a");
    assert_eq!(labels(ledger.top(3).unwrap()), "bdc");
    assert_eq!(labels(ledger.top(0).unwrap()), "");
}

#[test]
fn texts_are_read_back() {
    let folder = Folder::new();
    let ledger = Ledger::create(folder.ledger(), &charter(1)).unwrap();
    let ticket = ledger.authorise(&charge("a")).unwrap().ticket;
    assert_eq!(ticket.to_string().parse::<Ticket>().unwrap(), ticket);
    let anchor = ledger.anchor().unwrap();
    assert_eq!(anchor.to_string().parse::<Anchor>().unwrap(), anchor);
    for wrong in ["", "1", "1-2", "01-00", "throng-anchor/1 x 1 y"] {
        assert!(wrong.parse::<Ticket>().is_err() && wrong.parse::<Anchor>().is_err());
    }
    assert!("AB".repeat(32).parse::<Digest>().is_err());
}

#[test]
fn odd_texts_are_kept_as_they_are() {
    let folder = Folder::new();
    let ledger = Ledger::create(folder.ledger(), &charter(9)).unwrap();
    let label = "SELECT '\u{0} \u{1f600} \" \\ \n'; DROP TABLE records";
    let who = "o'neil \u{202e}\u{0}";
    let odd = Charge { label: label.into(), ..charge("odd") }.by(who);
    let paid = ledger.authorise(&odd).unwrap();
    let payload: Vec<u8> = (0..=255).collect();
    ledger.store(&paid.ticket, &payload).unwrap();
    ledger.note("k", "", b"").unwrap();
    ledger.verify(None, Depth::Prices).unwrap();
    let stored = ledger.find(&odd.question).unwrap().unwrap();
    assert_eq!((stored.label.as_str(), stored.payload), (label, payload));
    assert_eq!(ledger.spent_by(who).unwrap(), pure("1/10"));
    assert_eq!(ledger.fact("").unwrap(), Some(Vec::new()));
    assert_eq!(exported(&ledger).lines().count(), 4);
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_it() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let ledger = Ledger::create(folder.ledger(), &charter(1)).unwrap();
    answer(&ledger, "a");
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{:?}", entry.path());
    }
}
