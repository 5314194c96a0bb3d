//! What the planner may know: the tables of the policy, and functions. No files, no settings.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock};

use datafusion::arrow::datatypes::DataType;
use datafusion::common::config::ConfigOptions;
use datafusion::common::{ScalarValue, TableReference, plan_err};
use datafusion::error::Result as Planned;
use datafusion::execution::SessionStateDefaults;
use datafusion::logical_expr::planner::{ContextProvider, ExprPlanner};
use datafusion::logical_expr::{
    AggregateUDF, HigherOrderUDF, LogicalPlan, ScalarUDF, TableSource, WindowUDF,
};
use datafusion::optimizer::analyzer::Analyzer;
use datafusion::optimizer::decorrelate_predicate_subquery::DecorrelatePredicateSubquery;
use datafusion::optimizer::{Optimizer, OptimizerContext};
use datafusion::sql::planner::{ParserOptions, SqlToRel};
use datafusion::sql::sqlparser::ast::Statement as Syntax;

use super::text::short;
use crate::QueryError;
use crate::policy::Policy;

/// The tables that a query may name, with all that is known of them without looking.
pub(super) struct Scope<'a> {
    pub(super) policy: &'a Policy,
    pub(super) sources: BTreeMap<String, Arc<dyn TableSource>>,
    /// Public keys by table and column, in the type of the column.
    pub(super) keys: BTreeMap<(String, String), Vec<ScalarValue>>,
    pub(super) options: ConfigOptions,
}

struct Functions {
    scalar: BTreeMap<String, Arc<ScalarUDF>>,
    aggregate: BTreeMap<String, Arc<AggregateUDF>>,
    window: BTreeMap<String, Arc<WindowUDF>>,
    planners: Vec<Arc<dyn ExprPlanner>>,
}

static FUNCTIONS: LazyLock<Functions> = LazyLock::new(|| Functions {
    scalar: by_name(SessionStateDefaults::default_scalar_functions(), |f| {
        (f.name().to_string(), f.aliases().to_vec())
    }),
    aggregate: by_name(SessionStateDefaults::default_aggregate_functions(), |f| {
        (f.name().to_string(), f.aliases().to_vec())
    }),
    window: by_name(SessionStateDefaults::default_window_functions(), |f| {
        (f.name().to_string(), f.aliases().to_vec())
    }),
    planners: SessionStateDefaults::default_expr_planners(),
});

fn by_name<F>(
    functions: Vec<Arc<F>>,
    names: impl Fn(&F) -> (String, Vec<String>),
) -> BTreeMap<String, Arc<F>> {
    let mut map = BTreeMap::new();
    for function in functions {
        let (name, aliases) = names(&function);
        for alias in aliases {
            map.insert(alias, Arc::clone(&function));
        }
        map.insert(name, function);
    }
    map
}

impl Scope<'_> {
    /// The plan of a statement: names resolved, types settled, nothing optimised.
    ///
    /// The engine's planner panics on some texts. It has seen schemas and nothing else, so that is
    /// one more way of saying that the query cannot be planned.
    pub(super) fn plan(&self, syntax: Syntax) -> Result<LogicalPlan, QueryError> {
        let planning = AssertUnwindSafe(|| self.try_plan(syntax));
        catch_unwind(planning).unwrap_or_else(|_| {
            Err(QueryError::invalid("the query cannot be planned", "write it in another way"))
        })
    }

    fn try_plan(&self, syntax: Syntax) -> Result<LogicalPlan, QueryError> {
        let planner = SqlToRel::new_with_options(self, ParserOptions::default());
        let plan = planned(planner.sql_statement_to_plan(syntax))?;
        let plan = planned(Analyzer::new().execute_and_check(plan, &self.options, |_, _| {}))?;
        Ok(joined(plan))
    }
}

/// Sub-queries after IN and EXISTS, written as the semi-joins that they are; as they were if they
/// cannot be.
fn joined(plan: LogicalPlan) -> LogicalPlan {
    let rule = DecorrelatePredicateSubquery::new();
    let config = OptimizerContext::new().with_max_passes(1);
    let optimizer = Optimizer::with_rules(vec![Arc::new(rule)]);
    optimizer.optimize(plan.clone(), &config, |_, _| {}).unwrap_or(plan)
}

/// What the planner says about a query; it has seen schemas only.
pub(super) fn planned<T>(result: Planned<T>) -> Result<T, QueryError> {
    result.map_err(|error| {
        let text = error.strip_backtrace();
        let text = text.trim_start_matches("Error during planning: ");
        QueryError::invalid(format!("the query cannot be planned: {}", short(text)), "")
    })
}

impl ContextProvider for Scope<'_> {
    fn get_table_source(&self, name: TableReference) -> Planned<Arc<dyn TableSource>> {
        let TableReference::Bare { table } = &name else {
            return plan_err!("there is no table {name}: names of tables have one part");
        };
        match self.sources.get(table.as_ref()) {
            Some(source) => Ok(Arc::clone(source)),
            None => {
                let names: Vec<_> = self.sources.keys().map(String::as_str).collect();
                plan_err!("there is no table {table}: the policy has {}", names.join(", "))
            }
        }
    }

    fn get_expr_planners(&self) -> &[Arc<dyn ExprPlanner>] {
        &FUNCTIONS.planners
    }

    fn get_function_meta(&self, name: &str) -> Option<Arc<ScalarUDF>> {
        FUNCTIONS.scalar.get(name).cloned()
    }

    fn get_higher_order_meta(&self, _name: &str) -> Option<Arc<HigherOrderUDF>> {
        None
    }

    fn get_aggregate_meta(&self, name: &str) -> Option<Arc<AggregateUDF>> {
        let name = if name == "quantile" { "percentile_cont" } else { name };
        FUNCTIONS.aggregate.get(name).cloned()
    }

    fn get_window_meta(&self, name: &str) -> Option<Arc<WindowUDF>> {
        FUNCTIONS.window.get(name).cloned()
    }

    fn get_variable_type(&self, _names: &[String]) -> Option<DataType> {
        None
    }

    fn options(&self) -> &ConfigOptions {
        &self.options
    }

    fn udf_names(&self) -> Vec<String> {
        FUNCTIONS.scalar.keys().cloned().collect()
    }

    fn higher_order_function_names(&self) -> Vec<String> {
        Vec::new()
    }

    fn udaf_names(&self) -> Vec<String> {
        FUNCTIONS.aggregate.keys().cloned().collect()
    }

    fn udwf_names(&self) -> Vec<String> {
        FUNCTIONS.window.keys().cloned().collect()
    }
}
