//! `throng explain`: what a question would do, and cost.

use clap::Args;
use serde_json::{Value, json};
use throng_ledger::Amount;
use throng_query::session::Explanation;

use crate::digits::Side;
use crate::failure::Failure;
use crate::inquiry::Inquiry;
use crate::project::Project;
use crate::{amount, output};

const EXAMPLES: &str = "\
Examples:
  throng explain --policy clinic/throng.toml 'SELECT avg(age) AS age FROM visits'
  throng explain --policy clinic/throng.toml --epsilon 0.1 --json \\
    'SELECT count(*) AS n FROM visits'";

/// Explain what a question would do and cost.
///
/// Prints who is protected, the bounds, the plan, the noise, the error to expect, the cost and the
/// budget after it. No row is read, nothing is spent and nothing is written.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    #[command(flatten)]
    inquiry: Inquiry,

    /// Print JSON.
    #[arg(long)]
    json: bool,

    // Last, for its heading in the help.
    #[command(flatten)]
    project: Project,
}

/// Explains; reads schemas only.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let sql = options.inquiry.sql()?;
    let preview = options.project.preview()?;
    let request = options.inquiry.request(preview.policy())?;
    let explanation = preview.explain(&sql, &request, options.inquiry.analyst())?;
    if !options.json {
        return output::answer(&format!("{}\n", explanation.to_string().trim_end()));
    }
    output::json(&explained(&explanation))
}

/// An explanation as JSON: the contract `throng/1`.
#[must_use]
pub fn explained(explanation: &Explanation) -> Value {
    let design = explanation.design.as_ref();
    let up = |amount: &Amount| amount::json(amount, Side::Up);
    let down = |amount: &Amount| amount::json(amount, Side::Down);
    json!({
        "schema": output::SCHEMA,
        "statements": explanation.statements,
        "stored": explanation.stored,
        "spec": explanation.spec,
        "noise": design.map(|design| &design.family),
        "confidence": design.map(|design| design.confidence),
        "questions": design.map_or(&[][..], |design| &design.questions),
        "cost": explanation.cost.as_ref().map(up),
        "budget": down(&explanation.budget),
        "spent": up(&explanation.spent),
        "left": explanation.left.as_ref().map(down),
        "clipping": explanation.clipping,
        "warnings": explanation.warnings,
    })
}
