//! Laws of randomised response.

use throng_mechanism::response::{KaryResponse, RandomisedResponse};

use super::{ExactLaw, Law};
use crate::AuditError;

impl ExactLaw for RandomisedResponse {
    type Input = [bool];
    type Outcome = Vec<bool>;

    fn law(&self, input: &[bool]) -> Result<Law<Vec<bool>>, AuditError> {
        let one = |bit: bool| Law::of([false, true].map(|r| (r, self.chance(bit, r))));
        Law::product(input.iter().map(|bit| one(*bit)))
    }
}

impl ExactLaw for KaryResponse {
    type Input = [u32];
    type Outcome = Vec<u32>;

    fn law(&self, input: &[u32]) -> Result<Law<Vec<u32>>, AuditError> {
        let one = |answer: u32| Law::of((0..self.answers()).map(|r| (r, self.chance(answer, r))));
        Law::product(input.iter().map(|answer| one(*answer)))
    }
}
