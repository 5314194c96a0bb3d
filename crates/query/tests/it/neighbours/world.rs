//! Small hostile tables in memory, their neighbours, and the engine on them.

use std::collections::BTreeMap;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, BooleanArray, Float64Array, Int64Array, StringArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{Schema, SchemaRef};
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::common::tree_node::Transformed;
use datafusion::datasource::{MemTable, provider_as_source};
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::execute_stream_partitioned;
use datafusion::prelude::SessionContext;
use throng_account::Neighbours;
use throng_mechanism::MechanismError;
use throng_query::catalog::Catalog;
use throng_query::release::{Asked, Source};
use throng_query::tally::{Totals, tally_streams};
use tokio::runtime::Runtime;

use super::grammar::Dice;

const TABLES: [&str; 3] = ["events", "visits", "ballots"];

/// One row of a private table.
#[derive(Debug, Clone)]
struct Row {
    unit: Option<i64>,
    city: Option<&'static str>,
    kind: Option<&'static str>,
    age: Option<i64>,
    income: Option<f64>,
    score: Option<f64>,
    note: Option<&'static str>,
    ok: Option<bool>,
    day: Option<i64>,
}

const CITIES: [Option<&str>; 9] = [
    None,
    Some(""),
    Some("a"),
    Some("b"),
    Some("a "),
    Some("ü"),
    Some("日本"),
    Some("u\u{308}"),
    Some("x'y"),
];
const KINDS: [Option<&str>; 6] = [None, Some("a"), Some("b"), Some("ü"), Some(""), Some("other")];
const AGES: [Option<i64>; 11] = [
    None,
    Some(0),
    Some(33),
    Some(7),
    Some(64),
    Some(120),
    Some(121),
    Some(-5),
    Some(i64::MAX),
    Some(i64::MIN),
    Some(1 << 53),
];
const NUMBERS: [Option<f64>; 14] = [
    None,
    Some(f64::NAN),
    Some(f64::INFINITY),
    Some(f64::NEG_INFINITY),
    Some(0.0),
    Some(-0.0),
    Some(1e308),
    Some(-1e308),
    Some(5e-324),
    Some(100.5),
    Some(999.999),
    Some(199_999.5),
    Some(200_000.0),
    Some(3.0),
];
const NOTES: [Option<&str>; 10] = [
    None,
    Some(""),
    Some("12"),
    Some("-9223372036854775808"),
    Some("99999999999999999999"),
    Some("abc"),
    Some("1e400"),
    Some("NaN"),
    Some("🦀"),
    Some("2020-02-30"),
];
const DAYS: [Option<i64>; 7] =
    [None, Some(0), Some(-1), Some(1_580_000_000), Some(i64::MAX), Some(i64::MIN), Some(1 << 40)];

impl Row {
    fn random(unit: Option<i64>, dice: &mut Dice) -> Self {
        Self {
            unit,
            city: *dice.one_of(&CITIES),
            kind: *dice.one_of(&KINDS),
            age: *dice.one_of(&AGES),
            income: *dice.one_of(&NUMBERS),
            score: *dice.one_of(&NUMBERS),
            note: *dice.one_of(&NOTES),
            ok: *dice.one_of(&[None, Some(true), Some(false)]),
            day: *dice.one_of(&DAYS),
        }
    }

    /// Some rows of a unit, half of them alike in some columns, so that groups have many.
    fn several(unit: Option<i64>, most: usize, dice: &mut Dice) -> Vec<Self> {
        let pattern = Self::random(unit, dice);
        let row = |dice: &mut Dice| match dice.below(4) {
            0 => pattern.clone(),
            1 => {
                Self { age: *dice.one_of(&AGES), income: *dice.one_of(&NUMBERS), ..pattern.clone() }
            }
            _ => Self::random(unit, dice),
        };
        (0..dice.below(most + 1)).map(|_| row(dice)).collect()
    }
}

/// The private tables.
#[derive(Debug, Clone)]
pub(super) struct World {
    tables: BTreeMap<&'static str, Vec<Row>>,
}

impl World {
    pub(super) fn random(dice: &mut Dice) -> Self {
        let mut world = Self { tables: TABLES.iter().map(|name| (*name, Vec::new())).collect() };
        for unit in [None, Some(1), Some(2), Some(-1), Some(i64::MAX), Some(i64::MIN)] {
            world.add(unit, dice);
        }
        world.rows("ballots").extend(Row::several(None, 6, dice));
        world
    }

    fn rows(&mut self, table: &'static str) -> &mut Vec<Row> {
        self.tables.entry(table).or_default()
    }

    fn add(&mut self, unit: Option<i64>, dice: &mut Dice) {
        let most = if dice.chance(20) { 14 } else { 4 };
        self.rows("events").extend(Row::several(unit, most, dice));
        self.rows("visits").extend(Row::several(unit, 4, dice));
    }

    fn without(&self, unit: Option<i64>) -> Self {
        let mut world = self.clone();
        world.rows("events").retain(|row| row.unit != unit);
        world.rows("visits").retain(|row| row.unit != unit);
        world
    }

    /// Worlds that differ in one unit.
    pub(super) fn neighbours(&self, under: Neighbours, by_row: bool, dice: &mut Dice) -> Vec<Self> {
        if by_row {
            return self.other_rows(under, dice);
        }
        let units: [Option<i64>; 6] =
            [None, Some(1), Some(2), Some(-1), Some(i64::MAX), Some(i64::MIN)];
        let mut worlds: Vec<Self> = units.iter().map(|unit| self.without(*unit)).collect();
        match under {
            Neighbours::Replace => {
                for (world, unit) in worlds.iter_mut().zip(units) {
                    world.add(unit, dice);
                }
            }
            Neighbours::AddRemove | Neighbours::ZeroOut => {
                let mut more = self.clone();
                more.rows("events").extend(Row::several(Some(99), 20, dice));
                more.rows("visits").extend(Row::several(Some(99), 8, dice));
                worlds.push(more);
            }
        }
        worlds
    }

    /// Where each row is a unit.
    fn other_rows(&self, under: Neighbours, dice: &mut Dice) -> Vec<Self> {
        let count = self.tables["ballots"].len();
        let mut worlds = Vec::new();
        for place in 0..count {
            let mut world = self.clone();
            match under {
                Neighbours::Replace => world.rows("ballots")[place] = Row::random(None, dice),
                Neighbours::AddRemove | Neighbours::ZeroOut => {
                    let _ = world.rows("ballots").remove(place);
                }
            }
            worlds.push(world);
        }
        if under != Neighbours::Replace {
            let mut more = self.clone();
            more.rows("ballots").push(Row::random(None, dice));
            worlds.push(more);
        }
        worlds
    }
}

fn batch(rows: &[Row], schema: &SchemaRef) -> RecordBatch {
    let column = |name: &str| -> ArrayRef {
        let text = |of: fn(&Row) -> Option<&'static str>| -> ArrayRef {
            Arc::new(rows.iter().map(of).collect::<StringArray>())
        };
        let whole = |of: fn(&Row) -> Option<i64>| -> ArrayRef {
            Arc::new(rows.iter().map(of).collect::<Int64Array>())
        };
        let number = |of: fn(&Row) -> Option<f64>| -> ArrayRef {
            Arc::new(rows.iter().map(of).collect::<Float64Array>())
        };
        match name {
            "user_id" => whole(|row| row.unit),
            "city" => text(|row| row.city),
            "kind" => text(|row| row.kind),
            "age" => whole(|row| row.age),
            "income" => number(|row| row.income),
            "score" => number(|row| row.score),
            "note" => text(|row| row.note),
            "ok" => Arc::new(rows.iter().map(|row| row.ok).collect::<BooleanArray>()),
            "day" => whole(|row| row.day),
            other => panic!("no column {other}"),
        }
    };
    let columns = schema.fields().iter();
    let columns = columns.map(|field| cast(&column(field.name()), field.data_type()).unwrap());
    RecordBatch::try_new(Arc::clone(schema), columns.collect()).unwrap()
}

fn cities(schema: &SchemaRef) -> RecordBatch {
    let city = StringArray::from(vec!["a", "a", "b", "ü", ""]);
    let region = StringArray::from(vec!["x", "y", "x", "日", "x"]);
    let population = Int64Array::from(vec![1, 1000, 5, 7, 0]);
    let columns: Vec<ArrayRef> = vec![Arc::new(city), Arc::new(region), Arc::new(population)];
    RecordBatch::try_new(Arc::clone(schema), columns).unwrap()
}

/// What runs the rows of questions.
pub(super) struct Engine {
    context: SessionContext,
    runtime: Arc<Runtime>,
    schemas: BTreeMap<&'static str, SchemaRef>,
}

impl Engine {
    pub(super) fn new(catalog: &Catalog) -> Self {
        let plain = |name: &'static str| {
            let schema = catalog.schema(name).unwrap();
            (name, Arc::new(Schema::new(schema.fields().clone())))
        };
        Self {
            context: catalog.context().unwrap(),
            runtime: Arc::new(tokio::runtime::Builder::new_current_thread().build().unwrap()),
            schemas: TABLES.iter().copied().chain(["cities"]).map(plain).collect(),
        }
    }
}

/// One world as the mechanism sees it.
pub(super) struct Memory {
    context: SessionContext,
    runtime: Arc<Runtime>,
    tables: BTreeMap<&'static str, Arc<MemTable>>,
}

impl Memory {
    pub(super) fn new(engine: &Engine, world: &World) -> Self {
        let mut tables = BTreeMap::new();
        for (name, schema) in &engine.schemas {
            let rows = match world.tables.get(name) {
                Some(rows) => batch(rows, schema),
                None => cities(schema),
            };
            let table = MemTable::try_new(Arc::clone(schema), vec![vec![rows]]).unwrap();
            tables.insert(*name, Arc::new(table));
        }
        Self { context: engine.context.clone(), runtime: Arc::clone(&engine.runtime), tables }
    }

    /// The plan, on the tables of this world.
    #[expect(clippy::wildcard_enum_match_arm, reason = "what is not named is treated alike")]
    fn moved(&self, plan: LogicalPlan) -> LogicalPlan {
        let moved = plan.transform_up_with_subqueries(|node| match node {
            LogicalPlan::TableScan(mut scan) => {
                let table = Arc::clone(&self.tables[scan.table_name.table()]);
                scan.source = provider_as_source(table);
                Ok(Transformed::yes(LogicalPlan::TableScan(scan)))
            }
            other => Ok(Transformed::no(other)),
        });
        moved.unwrap().data
    }

    async fn total(&self, asked: &Asked) -> Result<Totals, String> {
        let state = self.context.state();
        let rows = self.moved(asked.rows.clone());
        let plan = state.create_physical_plan(&rows).await.map_err(|e| e.to_string())?;
        let streams =
            execute_stream_partitioned(plan, state.task_ctx()).map_err(|e| e.to_string())?;
        let layouts = std::slice::from_ref(&asked.layout);
        let totals = tally_streams(layouts, asked.hash_key, streams, &|_| ()).await;
        Ok(totals.map_err(|e| e.to_string())?.remove(0))
    }
}

impl Source for Memory {
    fn totals(&self, asked: &[Asked]) -> Result<Vec<Totals>, MechanismError> {
        let all = async {
            let mut totals = Vec::new();
            for one in asked {
                totals.push(self.total(one).await?);
            }
            Ok(totals)
        };
        let refused = |what| MechanismError::Refused { what, hint: String::new() };
        self.runtime.block_on(all).map_err(refused)
    }
}
