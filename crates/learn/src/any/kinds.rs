use serde::Serialize;
use serde_json::Value;

use super::{Kind, Task};
use crate::linear::LinearOptions;
use crate::schema::Encoding;

/// All kinds of models there are.
pub const KINDS: &[Kind] = &[Kind {
    name: "linear",
    about: "linear regression from noisy moments, with standard errors",
    task: Task::Number,
    encoding: Encoding::OneHot,
    options: usual::<LinearOptions>,
}];

/// Options as they are if nothing is said.
fn usual<O: Default + Serialize>() -> Value {
    serde_json::to_value(O::default()).unwrap_or(Value::Null)
}
