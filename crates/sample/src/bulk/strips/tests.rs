//! Trials against their exact decision, bit by bit.

use super::*;
use crate::SeededEntropy;
use crate::bulk::lanes::FINER;
use crate::bulk::put::{Add, Fill};
use crate::script::Script;
use throng_numeric::Rational;

/// Strips of all kinds: the narrowest and widest low parts, whole and fractional scales.
fn strips() -> Vec<Strips> {
    let rational = |text: &str| text.parse::<Rational>().unwrap();
    let scales = ["23.05", "46.09", "1000", "1e6", "1000000001/7", "1e9", "2e13"];
    let variances = ["11786", "47143", "1e6", "1e10", "1000000001/7", "1e18", "4e19"];
    let energies = (scales.iter().map(|scale| Energy::linear(&rational(scale)).unwrap()))
        .chain(variances.iter().map(|v| Energy::quadratic(&rational(v)).unwrap()));
    energies.map(|energy| Strips::new(&energy, energy.shift().unwrap()).unwrap()).collect()
}

/// What the lanes say, one by one, with these next bits of U: a value or nothing if they tell.
fn told<L: Low>(
    strips: &Strips,
    lanes: &Lanes<L>,
    finer: &[u16; LANES],
) -> [Option<Option<i64>>; LANES] {
    let doubts = doubts(strips, lanes);
    let mut values = [0; LANES];
    lanes.write(strips.shift, &mut values);
    std::array::from_fn(|lane| {
        let uniform = lanes.uniform(lane, finer[lane]);
        let (decision, value) = (strips.decide(lanes, lane, uniform), values[lane]);
        assert!(doubts[lane] != 0 || decision.accept, "certain by 16 bits, but not by 32");
        let accepted = decision.accept && !is_minus_zero(value, lanes.words[lane]);
        (!decision.is_open()).then(|| accepted.then_some(value))
    })
}

fn doubts<L: Low>(strips: &Strips, lanes: &Lanes<L>) -> [u16; LANES] {
    let slope = match &strips.energy {
        Energy::Linear { .. } => Sieve::linear,
        Energy::Quadratic { .. } => Sieve::quadratic,
    };
    dispatch!(Level::new(), simd => strips.doubts(simd, lanes, slope))
}

fn settle<L: Low>(
    strips: &Strips,
    lanes: &Lanes<L>,
    (lane, finer): (usize, u16),
    words: &mut Words,
) -> Option<i64> {
    let low = lanes.lows[lane].low(strips.shift);
    let trial = Trial { word: lanes.words[lane], uniform: lanes.uniform(lane, finer), low };
    strips.settle(&trial, words).unwrap()
}

/// Random bits for all lanes.
fn finer(entropy: &mut dyn Entropy) -> [u16; LANES] {
    let mut bytes = [0; 2 * LANES];
    entropy.fill(&mut bytes).unwrap();
    std::array::from_fn(|lane| u16::from_le_bytes([bytes[2 * lane], bytes[2 * lane + 1]]))
}

fn lanes_agree<L: Low>(strips: &Strips, seed: u64) {
    let entropy = &mut SeededEntropy::new(seed);
    let (mut accepted, mut rejected) = (0, 0);
    for _ in 0..200 {
        let mut bytes = vec![0; LANES * L::TRIAL];
        entropy.fill(&mut bytes).unwrap();
        let mut lanes = Lanes::<L>::default();
        lanes.read(&bytes);
        lanes.pick(&strips.rungs);
        let finer = finer(entropy);
        for (lane, told) in told(strips, &lanes, &finer).into_iter().enumerate() {
            let Some(told) = told else { continue };
            let place = (lane, finer[lane]);
            assert_eq!(settle(strips, &lanes, place, &mut Words::new(entropy)), told);
            accepted += usize::from(told.is_some());
            rejected += usize::from(told.is_none());
        }
    }
    assert!(accepted > 2_880 && rejected > 0, "{accepted} accepted, {rejected} rejected");
}

/// The lanes and the exact trial read the same bits: what the lanes tell is the same,
/// whatever bits follow.
#[test]
fn the_lanes_agree_with_the_exact_trial() {
    for (seed, strips) in (0..).zip(strips()) {
        match strips.shift {
            ..=8 => lanes_agree::<u8>(&strips, seed),
            9..=16 => lanes_agree::<u16>(&strips, seed),
            17..=32 => lanes_agree::<u32>(&strips, seed),
            _ => lanes_agree::<u64>(&strips, seed),
        }
    }
}

/// A trial on rung 77 that is a third of the way up, and its e^-t to some bits.
fn on_rung_77(strips: &Strips, uniform: u32) -> (Trial, impl Fn(usize) -> Natural) {
    let word = 77 << 22;
    assert_eq!(strips.rungs.pick(word), 77, "the bottom of its column");
    let low = ((1 << strips.shift) / 3).max(1);
    let foot = Natural::from(77_u8) << to_index(strips.shift);
    let rise = &strips.energy.of(&(&foot + low)) - &strips.energy.of(&foot);
    (Trial { word, uniform, low }, move |bits| exp_neg(&rise, bits).unwrap().lower)
}

/// P(accepted | v) = 2^32 e^-t - v where the v = ⌊2^32 U⌋ leaves it open, to within
/// Hoeffding's 2e-11; and certain where v does not.
#[test]
fn an_open_trial_is_accepted_with_its_probability() {
    const N: u64 = 10_000;
    let slack = (N * 127 / 10).isqrt() + 1;
    let entropy = &mut SeededEntropy::new(7);
    let strips = &strips()[9];
    let (mut trial, y) = on_rung_77(strips, 0);
    let leading = u64::try_from(y(96) >> 64).unwrap();
    let fraction = u64::try_from(y(96) - (Natural::from(leading) << 64)).unwrap();
    let expected = u64::try_from((u128::from(fraction) * u128::from(N)) >> 64).unwrap();
    for (uniform, expected) in [(leading - 1, N), (leading, expected), (leading + 1, 0)] {
        trial.uniform = u32::try_from(uniform).unwrap();
        let words = &mut Words::new(entropy);
        let accepted = (0..N).filter(|_| strips.settle(&trial, words).unwrap().is_some());
        let accepted = u64::try_from(accepted.count()).unwrap();
        assert!(accepted.abs_diff(expected) <= if expected % N == 0 { 0 } else { slack });
    }
}

/// U agrees with e^-t to the last bits of the known 32 and one, two or three words more, and
/// lies four units of the last word below it or above it: the next to last word does not
/// tell, and the last one does.
#[test]
fn the_exact_comparison_turns_at_the_last_bit() {
    for strips in strips() {
        for words in 1..=3 {
            let (mut trial, y) = on_rung_77(&strips, 0);
            let y = y(32 + 64 * words);
            for (u, accepted) in [(&y - 4_u8, true), (&y + 4_u8, false)] {
                trial.uniform = u32::try_from(&u >> (64 * words)).unwrap();
                let word = |place: usize| {
                    let above = (&u >> (64 * (place + 1))) << 64;
                    u64::try_from((&u >> (64 * place)) - above).unwrap()
                };
                let script: Vec<u64> = (0..words).rev().map(word).collect();
                let entropy = &mut Script::new(&script);
                let settled = strips.settle(&trial, &mut Words::new(entropy)).unwrap();
                assert_eq!(settled.is_some(), accepted, "{words} words");
            }
        }
    }
}

/// A word that the short table leaves open: the rung comes from the words that follow.
#[test]
fn an_open_rung_is_drawn_from_the_next_word() {
    for strips in strips() {
        let open = (0..=u32::MAX).rev().step_by(2).find(|w| strips.rungs.pick(*w) == OPEN);
        let trial = Trial { word: open.unwrap(), uniform: 0, low: 0 };
        let mut drawn = [0, 0];
        for (drawn, column) in drawn.iter_mut().zip([3_u64, 4]) {
            let entropy = &mut Script::new(&[column << 54, 0]);
            *drawn = strips.settle(&trial, &mut Words::new(entropy)).unwrap().unwrap();
        }
        assert_eq!(drawn, [-3 << strips.shift, -4 << strips.shift]);
    }
}

/// A rung beyond the table has no place in the filter: its low part is decided exactly.
#[test]
fn a_rung_beyond_the_table_is_decided_exactly() {
    for (seed, strips) in (0..).zip(strips()) {
        let open = (0..=u32::MAX).rev().step_by(2).find(|w| strips.rungs.pick(*w) == OPEN);
        let (word, low) = (open.unwrap(), (1 << strips.shift) - 1);
        let (mut smallest, mut largest) = (i64::MAX, 0);
        for draw in 0..40 {
            // The script names the tail and takes it; how far beyond it is left to chance.
            let script = strips.rungs.script_of_the_tail();
            let mut chance = SeededEntropy::new(1000 * seed + draw);
            let entropy = &mut Then(Script::new(&script), script.len(), &mut chance);
            let trial = Trial { word, uniform: 0, low };
            let Some(value) = strips.settle(&trial, &mut Words::new(entropy)).unwrap() else {
                continue;
            };
            smallest = smallest.min(value.abs());
            largest = largest.max(value.abs());
            assert_eq!(value.unsigned_abs() & low, low, "the low part is kept");
            // The same rung with U next to 1.
            let mut chance = SeededEntropy::new(1000 * seed + draw);
            let entropy = &mut Then(Script::new(&script), script.len(), &mut chance);
            let trial = Trial { word, uniform: u32::MAX, low };
            assert_eq!(strips.settle(&trial, &mut Words::new(entropy)).unwrap(), None);
        }
        assert!(smallest >> strips.shift >= i64::try_from(RUNGS).unwrap() && smallest < largest);
    }
}

/// What a script says, then chance.
struct Then<'a>(Script, usize, &'a mut SeededEntropy);

impl Entropy for Then<'_> {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), crate::EntropyError> {
        let scripted = bytes.len().min(8 * self.1 - self.0.used().min(8 * self.1));
        self.0.fill(&mut bytes[..scripted])?;
        self.2.fill(&mut bytes[scripted..])
    }
}

/// Finer bits as they come: some at a time, or those behind the last trials of a batch.
#[derive(Default)]
struct Pool(Vec<u8>);

impl Pool {
    fn next(&mut self, script: &mut Script) -> u16 {
        if self.0.is_empty() {
            self.0 = taken(script, FINER);
        }
        let two: Vec<u8> = self.0.drain(..2).collect();
        u16::from_le_bytes([two[0], two[1]])
    }
}

fn taken(script: &mut Script, bytes: usize) -> Vec<u8> {
    let mut taken = vec![0; bytes];
    script.fill(&mut taken).unwrap();
    taken
}

/// What is accepted of some trials, those in doubt by the bits of the pool.
fn accepted<L: Low>(
    strips: &Strips,
    block: &[u8],
    all_in_doubt: bool,
    (pool, script): (&mut Pool, &mut Script),
) -> Vec<i64> {
    let mut lanes = Lanes::<L>::default();
    lanes.read(block);
    lanes.pick(&strips.rungs);
    let (doubts, trials) = (doubts(strips, &lanes), block.len() / L::TRIAL);
    let mut finer = [0; LANES];
    for lane in (0..trials).filter(|lane| all_in_doubt || doubts[*lane] != 0) {
        finer[lane] = pool.next(script);
    }
    let told = told(strips, &lanes, &finer).into_iter().take(trials);
    told.filter_map(|told| told.expect("an open trial: another seed")).collect()
}

/// What a fill over many batches must give, and how many bytes it must take, by reading the
/// stream trial by trial.
fn fill_keeps_the_order<L: Low>(strips: &Strips, seed: u64) {
    const SAMPLES: usize = 21 * LANES + 3;
    const BATCH: usize = 2 * LANES;
    let mut stream = vec![0; 4 * SAMPLES * L::TRIAL / 8 * 8];
    SeededEntropy::new(seed).fill(&mut stream).unwrap();
    let words: Vec<u64> = stream.as_chunks().0.iter().map(|w| u64::from_le_bytes(*w)).collect();
    let (mut expected, mut read) = (Vec::new(), Script::new(&words));
    let mut pool = Pool::default();
    while expected.len() < SAMPLES {
        let trials = (SAMPLES - expected.len()).min(BATCH);
        let (whole, last) = (trials / LANES * LANES, trials % LANES);
        let batch = taken(&mut read, trials * L::TRIAL + 2 * last);
        let (blocks, last) = batch.split_at(whole * L::TRIAL);
        for block in blocks.chunks(LANES * L::TRIAL) {
            expected.extend(accepted::<L>(strips, block, false, (&mut pool, &mut read)));
        }
        let (last, behind) = last.split_at(trials % LANES * L::TRIAL);
        if !last.is_empty() {
            pool.0 = behind.to_vec();
            expected.extend(accepted::<L>(strips, last, true, (&mut pool, &mut read)));
        }
    }
    let room = || (vec![0; BATCH * L::TRIAL + 7 + 2 * LANES], [Found::NONE; 2]);
    let (mut out, mut script) = ([i64::MIN; SAMPLES], Script::new(&words));
    let (mut bytes, mut found) = room();
    let at = Room { bytes: &mut bytes, found: &mut found };
    strips.fill(at, &mut script, &mut out, Fill).unwrap();
    assert_eq!(out[..], expected);
    assert_eq!(script.used(), read.used());
    // The same, added to what is there.
    let (mut sums, mut script) = ([7; SAMPLES], Script::new(&words));
    let (mut bytes, mut found) = room();
    let at = Room { bytes: &mut bytes, found: &mut found };
    strips.fill(at, &mut script, &mut sums, Add { most: (1 << 62) - 1 }).unwrap();
    assert!(sums.iter().zip(&expected).all(|(sum, noise)| *sum == noise + 7));
}

/// Accepted trials are handed out in order, none twice and none left out, from batch to batch.
#[test]
fn fill_hands_out_what_is_accepted() {
    for (seed, strips) in (100..).zip(strips()) {
        match strips.shift {
            ..=8 => fill_keeps_the_order::<u8>(&strips, seed),
            9..=16 => fill_keeps_the_order::<u16>(&strips, seed),
            17..=32 => fill_keeps_the_order::<u32>(&strips, seed),
            _ => fill_keeps_the_order::<u64>(&strips, seed),
        }
    }
}

#[test]
fn minus_zero_is_rejected_and_plus_zero_is_not() {
    for strips in strips() {
        // Column 0 is rung 0 at the bottom; U is near 0 and the low part 0.
        let mut lanes = Lanes::<u64>::default();
        (lanes.words[1], lanes.checks) = (1, [u16::MAX; LANES]);
        let told = told(&strips, &lanes, &[0; LANES]);
        assert_eq!((told[0], told[1]), (Some(Some(0)), Some(None)));
        let entropy = &mut SeededEntropy::new(0);
        assert_eq!(settle(&strips, &lanes, (0, 0), &mut Words::new(entropy)), Some(0));
        assert_eq!(settle(&strips, &lanes, (1, 0), &mut Words::new(entropy)), None);
    }
}
