//! A question and how it is asked: what `query` and `explain` share.

use clap::Args;
use throng_query::policy::Policy;
use throng_query::release::Request;

use crate::failure::Failure;
use crate::setting::Setting;
use crate::statement::Statement;

/// What is asked, and at what price.
#[derive(Debug, Args)]
pub(crate) struct Inquiry {
    #[command(flatten)]
    statement: Statement,

    #[command(flatten)]
    setting: Setting,
}

impl Inquiry {
    /// The SQL text.
    pub(crate) fn sql(&self) -> Result<String, Failure> {
        self.statement.text()
    }

    /// The policy's defaults, with what was said instead.
    pub(crate) fn request(&self, policy: &Policy) -> Result<Request, Failure> {
        self.setting.request(policy)
    }

    /// Who asks.
    pub(crate) fn analyst(&self) -> Option<&str> {
        self.setting.analyst()
    }
}
