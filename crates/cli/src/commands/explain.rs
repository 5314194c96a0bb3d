//! `throng explain`: what a question would do, and cost.

use clap::Args;
use serde_json::{Value, json};

use crate::commands::query::Setting;
use crate::failure::Failure;
use crate::output;
use crate::project::Project;
use crate::statement::Statement;

const EXAMPLES: &str = "\
Examples:
  throng explain --policy clinic/throng.toml 'SELECT avg(age) AS age FROM visits'
  throng explain --policy clinic/throng.toml --epsilon 0.1 --json \\
    'SELECT count(*) AS n FROM visits'";

/// Explain what a question would do and cost.
///
/// Prints who is protected, the bounds, the plan, the noise, the error to expect, the cost and the
/// budget after it. No row is read and nothing is spent.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    #[command(flatten)]
    statement: Statement,

    #[command(flatten)]
    setting: Setting,

    /// Print JSON.
    #[arg(long)]
    json: bool,

    // Last, for its heading in the help.
    #[command(flatten)]
    project: Project,
}

/// Explains; reads schemas only.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let sql = options.statement.text()?;
    let session = options.project.session()?;
    let request = options.setting.request(&session)?;
    let prepared = session.prepare(&sql, &request, options.setting.analyst())?;
    let explanation = prepared.explanation();
    if !options.json {
        return output::answer(&format!("{}\n", explanation.to_string().trim_end()));
    }
    let mut answer = json!({ "schema": output::SCHEMA });
    if let (Some(answer), Value::Object(more)) =
        (answer.as_object_mut(), serde_json::to_value(explanation)?)
    {
        answer.extend(more);
    }
    output::json(&answer)
}
