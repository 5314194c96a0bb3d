//! Two traces of neighbours, side by side.

use std::collections::BTreeMap;

use super::number::measured;
use super::{Claimed, Declared, Draws, Event, Finding, Number, Primitive, Trace};
use crate::Outcome;

/// What is compared beyond primitives, their inputs and errors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Watch {
    /// How long releases are: not where a noisy threshold decides.
    pub length: bool,
    /// The order of what both releases list.
    pub order: bool,
    /// How much randomness is used: not where rows are sampled, or samplers reject.
    pub randomness: bool,
    /// Both runs go on from the same answers of their primitives, so that all that follows must be the same
    /// but for the inputs of later ones, and so must be what is released.
    pub coupled: bool,
    /// What the whole run is claimed to cost.
    pub claimed: Option<Claimed>,
}

impl Default for Watch {
    fn default() -> Self {
        Self { length: true, order: true, randomness: true, coupled: false, claimed: None }
    }
}

impl Watch {
    /// Also what the whole run costs.
    #[must_use]
    pub fn claiming(self, claimed: Claimed) -> Self {
        Self { claimed: Some(claimed), ..self }
    }

    /// With the same answers in both runs.
    #[must_use]
    pub fn coupled(self) -> Self {
        Self { coupled: true, ..self }
    }

    /// For releases whose length noise decides.
    #[must_use]
    pub fn of_any_length(self) -> Self {
        Self { length: false, ..self }
    }
}

/// Compares two traces of neighbours.
#[must_use]
pub fn compare([zero, one]: [&Trace; 2], watch: &Watch) -> Vec<Finding> {
    let state = State::Alike;
    let mut walk = Walk { watch, findings: Vec::new(), cost: Number::ZERO, state, before: state };
    walk.events(zero, one);
    walk.cost();
    if walk.state == State::Released {
        return walk.findings;
    }
    if watch.randomness && walk.state != State::Apart {
        walk.randomness(zero, one);
    }
    walk.outcomes(&zero.outcome, &one.outcome);
    walk.findings
}

/// How far two runs are together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// All that went into noise that ends in the release was the same.
    Alike,
    /// Some of it was not, or is not known.
    Noised,
    /// What was released so far differs: all that follows may.
    Released,
    /// They did different things without a reason.
    Apart,
}

struct Walk<'a> {
    watch: &'a Watch,
    findings: Vec<Finding>,
    cost: Number,
    state: State,
    /// Before the last primitive.
    before: State,
}

impl Walk<'_> {
    fn events(&mut self, zero: &Trace, one: &Trace) {
        let mut pairs = zero.events.iter().zip(&one.events).enumerate().peekable();
        while let Some((after, (a, b))) = pairs.next() {
            let next = pairs.peek().map(|(_, (a, _))| *a);
            match (a, b) {
                (Event::Primitive(a), Event::Primitive(b))
                    if a.label == b.label && a.draws.is_like(&b.draws) =>
                {
                    self.before = self.state;
                    self.primitives(a, b, is_above(next));
                }
                (Event::Branch { .. }, Event::Branch { .. }) if a == b => {}
                (Event::Settled, Event::Settled) => self.state = self.before,
                (Event::Released(x), Event::Released(y)) => {
                    if x != y {
                        self.state = State::Released;
                        return;
                    }
                }
                _ => {
                    self.apart(after, Some(a), Some(b));
                    return;
                }
            }
        }
        let after = zero.events.len().min(one.events.len());
        if zero.events.len() != one.events.len() {
            self.apart(after, zero.events.get(after), one.events.get(after));
        }
    }

    fn apart(&mut self, after: usize, zero: Option<&Event>, one: Option<&Event>) {
        let words = |event: Option<&Event>| event.map_or("nothing".into(), Event::to_string);
        let (zero, one) = (words(zero), words(one));
        self.findings.push(Finding::DifferentFlow { after, zero, one });
        self.state = State::Apart;
    }

    fn primitives(&mut self, a: &Primitive, b: &Primitive, above: bool) {
        let primitive = a.label.clone();
        if a.draws != b.draws {
            let (zero, one) = (a.draws.to_string(), b.draws.to_string());
            self.findings.push(Finding::ScaleDependsOnData { primitive, zero, one });
        }
        let (zero, one) = aligned(a, b);
        if zero.len() != one.len() {
            let (primitive, lengths) = (a.label.clone(), [zero.len(), one.len()]);
            self.findings.push(Finding::InputsDiffer { primitive, lengths });
            self.state = State::Noised;
            return;
        }
        if let (Some(x), Some(y)) = (&a.declared, &b.declared) {
            self.distance(&a.label, x, y, [&zero, &one]);
        }
        let known = !matches!(a.draws, Draws::Other(_)) || !zero.is_empty();
        if !known || (zero != one && !matches!(a.draws, Draws::Comparison { .. })) {
            self.state = State::Noised;
        }
        if let Some(claimed) = &self.watch.claimed {
            self.cost = self.cost.plus(&claimed.cost(a, [&zero, &one], above));
        }
    }

    fn distance(&mut self, label: &str, a: &Declared, b: &Declared, inputs: [&[Number]; 2]) {
        if a != b {
            let primitive = label.to_owned();
            let (zero, one) = (a.distance.clone(), b.distance.clone());
            self.findings.push(Finding::SensitivityDependsOnData { primitive, zero, one });
        }
        if a.is_broken_by(inputs) && b.is_broken_by(inputs) {
            self.findings.push(Finding::InputsTooFar {
                primitive: label.to_owned(),
                norm: a.norm,
                distance: measured(a.norm, inputs),
                declared: a.distance.clone(),
            });
        }
    }

    fn cost(&mut self) {
        if let Some(claimed) = &self.watch.claimed
            && self.cost.exceeds(claimed.amount())
        {
            let (found, claimed) = (self.cost.clone(), claimed.amount().clone());
            self.findings.push(Finding::CostsMore { found, claimed });
        }
    }

    fn randomness(&mut self, zero: &Trace, one: &Trace) {
        let labels = zero.events.iter().filter_map(|event| match event {
            Event::Primitive(primitive) => Some(primitive.label.clone()),
            Event::Branch { .. } | Event::Released(_) | Event::Settled => None,
        });
        let pages = std::iter::once(None).chain(labels.map(Some));
        for (after, (a, b)) in pages.zip(zero.drawn.iter().zip(&one.drawn)) {
            if a != b {
                self.findings.push(Finding::RandomnessDiffers { after, bytes: [*a, *b] });
                return;
            }
        }
    }

    fn outcomes(&mut self, zero: &Result<Outcome, String>, one: &Result<Outcome, String>) {
        match (zero, one) {
            (Ok(zero), Ok(one)) => self.releases(zero, one),
            _ if zero == one => {}
            _ => {
                let words = |outcome: &Result<Outcome, String>| outcome.as_ref().err().cloned();
                let (zero, one) = (words(zero), words(one));
                self.findings.push(Finding::ErrorDiffers { zero, one });
            }
        }
    }

    fn releases(&mut self, zero: &Outcome, one: &Outcome) {
        if kind(zero) != kind(one) && self.watch.length {
            let (zero, one) = (kind(zero), kind(one));
            self.findings.push(Finding::KindDiffers { zero, one });
            return;
        }
        if let (Some(a), Some(b)) = (members(zero), members(one))
            && self.watch.length
            && a.len() != b.len()
        {
            self.findings.push(Finding::LengthDiffers { zero: a.len(), one: b.len() });
        }
        if let (Outcome::List(a), Outcome::List(b)) = (zero, one)
            && self.watch.order
            && common(a, b) != common(b, a)
        {
            self.findings.push(Finding::OrderDiffers);
        }
        // Told apart by all their bits.
        if self.state == State::Alike && format!("{zero:?}") != format!("{one:?}") {
            self.findings.push(Finding::BypassesNoise);
        }
    }
}

/// Whether a comparison was answered with Above.
fn is_above(next: Option<&Event>) -> bool {
    matches!(next, Some(Event::Released(answer)) if answer == "above")
}

/// The inputs of both, place by place: by key if they have keys, where missing ones are 0.
fn aligned(a: &Primitive, b: &Primitive) -> (Vec<Number>, Vec<Number>) {
    let (Some(of_a), Some(of_b)) = (&a.keys, &b.keys) else {
        return (a.inputs.clone(), b.inputs.clone());
    };
    let mut cells: BTreeMap<&String, (Number, Number)> = BTreeMap::new();
    let empty = || (Number::ZERO, Number::ZERO);
    for (key, x) in of_a.iter().zip(&a.inputs) {
        cells.entry(key).or_insert_with(empty).0 = x.clone();
    }
    for (key, x) in of_b.iter().zip(&b.inputs) {
        cells.entry(key).or_insert_with(empty).1 = x.clone();
    }
    cells.into_values().unzip()
}

const fn kind(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Nothing => "nothing",
        Outcome::Integer(_) => "a whole number",
        Outcome::Number(_) => "a number",
        Outcome::Text(_) => "a text",
        Outcome::List(_) => "a list",
        Outcome::Set(_) => "a set",
    }
}

fn members(outcome: &Outcome) -> Option<&[Outcome]> {
    match outcome {
        Outcome::List(members) | Outcome::Set(members) => Some(members),
        Outcome::Nothing | Outcome::Integer(_) | Outcome::Number(_) | Outcome::Text(_) => None,
    }
}

/// The texts that name the members of a list, as far as another list has them too, in order.
fn common<'a>(list: &'a [Outcome], other: &[Outcome]) -> Vec<&'a str> {
    let named: Vec<&str> = other.iter().filter_map(name).collect();
    list.iter().filter_map(name).filter(|text| named.contains(text)).collect()
}

/// The text of a member, or the first of its own list.
fn name(member: &Outcome) -> Option<&str> {
    match member {
        Outcome::Text(text) => Some(text),
        Outcome::List(parts) => parts.first().and_then(name),
        Outcome::Nothing | Outcome::Integer(_) | Outcome::Number(_) | Outcome::Set(_) => None,
    }
}
