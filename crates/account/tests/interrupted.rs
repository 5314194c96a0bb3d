//! Work that is given up ends soon, says so, and leaves nothing behind.
#![allow(clippy::unwrap_used, reason = "tests may fail")]

use std::cell::Cell;

use throng_account::pld::{Aim, Part, Pld};
use throng_account::{
    AccountError, Accuracy, Calibration, Neighbours, PrivacyLoss, Target, Template, calibrate,
};
use throng_numeric::patience::watched;

thread_local! {
    static PATIENCE: Cell<u32> = const { Cell::new(0) };
    static ASKED: Cell<u32> = const { Cell::new(0) };
}

fn stop() -> bool {
    ASKED.set(ASKED.get() + 1);
    ASKED.get() > PATIENCE.get()
}

/// Work under a watcher that gives up when it is asked for the (patience + 1)-st time; and how often it was.
fn under<T>(patience: u32, work: impl FnOnce() -> T) -> (T, u32) {
    PATIENCE.set(patience);
    ASKED.set(0);
    (watched(stop, work), ASKED.get())
}

/// Takes a second or more: a group of four is known by its profile only, which is cut ever finer.
const SLOW: &str = "group(sampled(laplace(scale=3), rate=1/20), size=4)";

fn loss(text: &str) -> PrivacyLoss {
    let spec = text.parse().unwrap();
    PrivacyLoss::of_spec(&spec, Neighbours::AddRemove, Accuracy::default()).unwrap()
}

fn calibrated() -> Result<Calibration, AccountError> {
    let template = Template::parse("500 * sampled(laplace(scale=?), rate=1/50)").unwrap();
    let target = Target::Epsilon { epsilon: 1.0, delta: 1e-6 };
    calibrate(&template, &target, Neighbours::AddRemove, Accuracy::default())
}

#[test]
fn a_calibration_is_given_up_at_once_and_later() {
    let (whole, asked) = under(u32::MAX, calibrated);
    assert!(asked > 1, "it takes long enough to be asked about: {asked}");
    for patience in [0, 1] {
        let (found, asked) = under(patience, calibrated);
        assert_eq!(found.unwrap_err(), AccountError::Interrupted);
        assert_eq!(asked, patience + 1, "who has given up is not asked again");
    }
    // Watched to its end or not at all: the same.
    assert_eq!(whole.unwrap(), calibrated().unwrap());
    assert_eq!(AccountError::Interrupted.to_string(), "interrupted");
}

/// Asks under ever more patience until it is enough; each time that it was not, the loss is asked again
/// without a watcher and must say what one says that was never interrupted.
fn interrupted_and_asked_again<T: PartialEq + std::fmt::Debug>(
    text: &str,
    ask: impl Fn(&PrivacyLoss) -> Result<T, AccountError>,
) {
    let truth = ask(&loss(text)).unwrap();
    let mut given_up = 0;
    for patience in 0.. {
        let loss = loss(text);
        let (found, _) = under(patience, || ask(&loss));
        match found {
            Ok(found) => {
                assert_eq!(found, truth);
                break;
            }
            Err(error) => {
                assert_eq!(error, AccountError::Interrupted);
                assert_eq!(ask(&loss).unwrap(), truth, "after an interruption, {patience} asked");
                given_up += 1;
            }
        }
    }
    assert!(given_up > 0);
}

#[test]
fn what_was_given_up_is_not_remembered() {
    interrupted_and_asked_again(SLOW, |loss| loss.epsilon(1e-5));
    interrupted_and_asked_again("40 * sampled(laplace(scale=3), rate=1/20)", |loss| {
        loss.miss_rate(0.05)
    });
    interrupted_and_asked_again(
        "4 * mixed([(1/3, gaussian(sigma=2)), (2/3, laplace(scale=2))])",
        |loss| loss.renyi(3.0),
    );
}

#[test]
fn a_mechanism_inside_another_is_given_up_with_it() {
    // The inner composition answers by its profile, which has no errors: knowing nothing is its answer.
    let spec = SLOW.parse().unwrap();
    let of_spec = || PrivacyLoss::of_spec(&spec, Neighbours::AddRemove, Accuracy::default());
    let (made, _) = under(0, of_spec);
    assert_eq!(made.map(|_| ()).unwrap_err(), AccountError::Interrupted);
}

#[test]
fn grids_are_given_up_too() {
    let pair = throng_account::pair::response::pure(&"1/10".parse().unwrap()).unwrap();
    let parts = [Part::exact(&pair, 100)];
    let made = || Pld::of(&parts, Aim::Delta(1e-5), 1e-3);
    let whole = made().unwrap();
    assert_eq!(under(0, || whole.epsilon(1e-5)).0.unwrap_err(), AccountError::Interrupted);
    assert_eq!(under(u32::MAX, || whole.epsilon(1e-5)).0, whole.epsilon(1e-5));
}
