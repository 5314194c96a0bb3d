//! Small hostile tables in memory, their neighbours, and the engine on them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use datafusion::arrow::array::{ArrayRef, BooleanArray, Float64Array, Int64Array, StringArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::catalog::streaming::StreamingTable;
use datafusion::common::tree_node::Transformed;
use datafusion::datasource::provider_as_source;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::execution_plan::reset_plan_states;
use datafusion::physical_plan::memory::MemoryStream;
use datafusion::physical_plan::streaming::PartitionStream;
use datafusion::physical_plan::{ExecutionPlan, execute_stream_partitioned};
use datafusion::prelude::SessionContext;
use throng_account::Neighbours;
use throng_mechanism::MechanismError;
use throng_query::catalog::{Catalog, Frame, Frames};
use throng_query::policy::{EngineChoice, Format, Policy};
use throng_query::release::{Asked, Source};
use throng_query::tally::{Totals, tally_streams};
use tokio::runtime::Runtime;

use super::grammar::Dice;

const TABLES: [&str; 3] = ["events", "visits", "ballots"];

/// One row of a private table.
#[derive(Debug, Clone)]
struct Row {
    unit: Option<i64>,
    city: Option<String>,
    kind: Option<&'static str>,
    age: Option<i64>,
    income: Option<f64>,
    score: Option<f64>,
    note: Option<String>,
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
            city: dice.one_of(&CITIES).map(String::from),
            kind: *dice.one_of(&KINDS),
            age: *dice.one_of(&AGES),
            income: *dice.one_of(&NUMBERS),
            score: *dice.one_of(&NUMBERS),
            note: dice.one_of(&NOTES).map(String::from),
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

    /// Rows at one end of all ranges, several in each of a few groups that others have too.
    fn at_an_end(unit: Option<i64>, high: bool) -> Vec<Self> {
        let row = |i: usize| Self {
            unit,
            city: Some(["a", "b", "ü", ""][i % 4].into()),
            kind: Some(["a", "b", "ü", ""][i % 4]),
            age: Some(if high { i64::MAX } else { 0 }),
            income: Some(if high { 1e308 } else { 0.0 }),
            score: Some(if high { 1e308 } else { -1e308 }),
            note: Some(if high { "99999999999999999999" } else { "-9223372036854775808" }.into()),
            ok: Some(i % 8 < 4),
            day: Some(1_580_000_000),
        };
        (0..40).map(row).collect()
    }

    /// Rows in more groups than a unit may have, by any two columns, that no other unit has; in each
    /// group by one column more values of another than a unit may have.
    fn of_its_own(unit: Option<i64>, name: &str) -> Vec<Self> {
        let size = i64::try_from(name.len()).unwrap();
        let row = |i: i64| {
            let (a, b) = (i % 9, i / 9);
            let (city, note) = (Some(format!("{name} {a}")), Some(format!("{name} {b}")));
            Self {
                unit,
                city,
                kind: KINDS[1 + usize::try_from(b % 4).unwrap()],
                age: Some(7 * size + a),
                income: Some(1000.5 * f64::from(i32::try_from(9 * size + b).unwrap())),
                score: Some(f64::from(i32::try_from(b).unwrap())),
                note,
                ok: Some(b % 2 == 0),
                day: Some((1 << 31) * (size + a)),
            }
        };
        (0..72).map(row).collect()
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
        for unit in UNITS {
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

    /// Worlds that differ from this one in one unit, and pairs of them that differ in one unit.
    pub(super) fn neighbours(&self, under: Neighbours, by_row: bool, dice: &mut Dice) -> Near {
        match (under, by_row) {
            (Neighbours::AddRemove | Neighbours::ZeroOut, false) => self.more_or_fewer(dice),
            (Neighbours::AddRemove | Neighbours::ZeroOut, true) => self.more_or_fewer_rows(dice),
            (Neighbours::Replace, false) => self.others(dice),
            (Neighbours::Replace, true) => self.other_rows(dice),
        }
    }

    /// Each unit removed; and some added. A unit that is zeroed out has no rows: the same worlds.
    fn more_or_fewer(&self, dice: &mut Dice) -> Near {
        let mut worlds: Vec<Self> = UNITS.iter().map(|unit| self.without(*unit)).collect();
        let new = Some(99);
        let mut more = self.clone();
        more.rows("events").extend(Row::several(new, 20, dice));
        more.rows("visits").extend(Row::several(new, 8, dice));
        worlds.push(more);
        worlds.extend(heavy(new).map(|(events, visits)| self.with(events, visits)));
        Near { worlds, pairs: Vec::new() }
    }

    /// Each unit replaced; one also by heavy ones, any two of which are neighbours.
    fn others(&self, dice: &mut Dice) -> Near {
        let mut worlds: Vec<Self> = UNITS.iter().map(|unit| self.without(*unit)).collect();
        for (world, unit) in worlds.iter_mut().zip(UNITS) {
            world.add(unit, dice);
        }
        let (first, one) = (worlds.len(), UNITS[1]);
        let rest = self.without(one);
        worlds.extend(heavy(one).map(|(events, visits)| rest.with(events, visits)));
        let pairs = vec![(first, first + 1), (first + 2, first + 3)];
        Near { worlds, pairs }
    }

    fn with(&self, events: Vec<Row>, visits: Vec<Row>) -> Self {
        let mut world = self.clone();
        world.rows("events").extend(events);
        world.rows("visits").extend(visits);
        world
    }

    fn more_or_fewer_rows(&self, dice: &mut Dice) -> Near {
        let without = |place: usize| {
            let mut world = self.clone();
            let _ = world.rows("ballots").remove(place);
            world
        };
        let with = |row: Row| {
            let mut world = self.clone();
            world.rows("ballots").push(row);
            world
        };
        let mut worlds: Vec<Self> = (0..self.tables["ballots"].len()).map(without).collect();
        worlds.push(with(Row::random(None, dice)));
        worlds.extend(heavy(None).map(|(rows, _)| with(rows[0].clone())));
        Near { worlds, pairs: Vec::new() }
    }

    fn other_rows(&self, dice: &mut Dice) -> Near {
        let with = |place: usize, row: Row| {
            let mut world = self.clone();
            world.rows("ballots")[place] = row;
            world
        };
        let count = self.tables["ballots"].len();
        let mut worlds: Vec<Self> =
            (0..count).map(|place| with(place, Row::random(None, dice))).collect();
        if count == 0 {
            return Near { worlds, pairs: Vec::new() };
        }
        worlds.extend(heavy(None).map(|(rows, _)| with(0, rows[0].clone())));
        Near { worlds, pairs: vec![(count, count + 1), (count + 2, count + 3)] }
    }
}

/// The units of a world; rows without one are a unit, too.
const UNITS: [Option<i64>; 6] = [None, Some(1), Some(2), Some(-1), Some(i64::MAX), Some(i64::MIN)];

/// Worlds near one.
pub(super) struct Near {
    /// Its neighbours.
    pub(super) worlds: Vec<World>,
    /// Which of them are neighbours of each other, besides.
    pub(super) pairs: Vec<(usize, usize)>,
}

/// Rows of a unit in both tables, as many and as far out as it takes to meet all bounds.
fn heavy(unit: Option<i64>) -> [(Vec<Row>, Vec<Row>); 4] {
    let some = |rows: Vec<Row>| rows.iter().take(4).cloned().collect::<Vec<_>>();
    let both = |rows: Vec<Row>| (rows.clone(), some(rows));
    [
        both(Row::at_an_end(unit, true)),
        both(Row::at_an_end(unit, false)),
        both(Row::of_its_own(unit, "one")),
        both(Row::of_its_own(unit, "other")),
    ]
}

fn batch(rows: &[Row], schema: &SchemaRef) -> RecordBatch {
    let column = |name: &str| -> ArrayRef {
        let text = |of: fn(&Row) -> Option<&str>| -> ArrayRef {
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
            "city" => text(|row| row.city.as_deref()),
            "kind" => text(|row| row.kind),
            "age" => whole(|row| row.age),
            "income" => number(|row| row.income),
            "score" => number(|row| row.score),
            "note" => text(|row| row.note.as_deref()),
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

/// The same policy for tables that are held in memory, read in three parts.
pub(super) fn held(mut policy: Policy, catalog: &Catalog) -> (Policy, Catalog) {
    let mut frames = Frames::new();
    for table in &mut policy.tables {
        table.format = Format::Memory;
        table.paths.clear();
        let schema = catalog.schema(&table.name).unwrap();
        frames.insert(table.name.clone(), Frame::new(schema, Vec::new()).unwrap());
    }
    policy.engine = EngineChoice::DataFusion { threads: Some(3), memory: None };
    let catalog = Catalog::open_with(&policy, &frames).unwrap();
    (policy, catalog)
}

/// Rows in small batches, with text in the ways that data frames have it.
fn disguised(rows: &RecordBatch) -> Frame {
    let disguise = |name: &str, kind: &DataType| match name {
        "city" => DataType::LargeUtf8,
        "kind" => DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8)),
        "note" => DataType::Utf8View,
        _ => kind.clone(),
    };
    let schema = rows.schema();
    let kinds = schema.fields().iter().map(|field| disguise(field.name(), field.data_type()));
    let kinds: Vec<DataType> = kinds.collect();
    let columns = rows.columns().iter().zip(&kinds).map(|(column, kind)| cast(column, kind));
    let columns: Vec<ArrayRef> = columns.collect::<Result<_, _>>().unwrap();
    let names = schema.fields().iter().zip(&kinds);
    let fields: Vec<Field> =
        names.map(|(field, kind)| Field::new(field.name(), kind.clone(), true)).collect();
    let schema = Arc::new(Schema::new(fields));
    let whole = RecordBatch::try_new(Arc::clone(&schema), columns).unwrap();
    let starts = (0..whole.num_rows()).step_by(2);
    let pieces = starts.map(|start| whole.slice(start, 2.min(whole.num_rows() - start)));
    let nothing = [RecordBatch::new_empty(Arc::clone(&schema))];
    Frame::new(schema, pieces.chain(nothing).collect()).unwrap()
}

/// A table whose rows change between runs of one plan.
#[derive(Debug)]
struct Slot {
    schema: SchemaRef,
    rows: Mutex<RecordBatch>,
}

impl PartitionStream for Slot {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
        let rows = self.rows.lock().unwrap().clone();
        Box::pin(MemoryStream::try_new(vec![rows], Arc::clone(&self.schema), None).unwrap())
    }
}

/// What runs the rows of questions: each plan is made once, as planning takes most of the time, and
/// runs on whatever rows are in the slots.
pub(super) struct Engine {
    context: SessionContext,
    runtime: Runtime,
    slots: BTreeMap<&'static str, Arc<Slot>>,
    /// The policy of tables that are held in memory, and these tables.
    held: Option<Policy>,
    tables: Mutex<Option<Catalog>>,
    plans: Mutex<Vec<(LogicalPlan, Arc<dyn ExecutionPlan>)>>,
}

impl Engine {
    pub(super) fn new(catalog: &Catalog, held: Option<Policy>) -> Self {
        let slot = |name: &'static str| {
            let schema = catalog.schema(name).unwrap();
            let schema = Arc::new(Schema::new(schema.fields().clone()));
            let rows = match name {
                "cities" => cities(&schema),
                _ => RecordBatch::new_empty(Arc::clone(&schema)),
            };
            (name, Arc::new(Slot { schema, rows: Mutex::new(rows) }))
        };
        Self {
            context: catalog.context().unwrap(),
            runtime: tokio::runtime::Builder::new_current_thread().build().unwrap(),
            slots: TABLES.iter().copied().chain(["cities"]).map(slot).collect(),
            held,
            tables: Mutex::new(None),
            plans: Mutex::new(Vec::new()),
        }
    }

    /// Hands the rows of a world over as a program would, for the tables that are held in memory.
    fn hand_over(&self, world: &World) {
        let Some(policy) = &self.held else { return };
        let mut frames = Frames::new();
        for (name, slot) in &self.slots {
            let rows = match world.tables.get(name) {
                Some(rows) => batch(rows, &slot.schema),
                None => cities(&slot.schema),
            };
            frames.insert((*name).to_owned(), disguised(&rows));
        }
        *self.tables.lock().unwrap() = Some(Catalog::open_with(policy, &frames).unwrap());
        self.forget();
    }

    /// Forgets all plans.
    pub(super) fn forget(&self) {
        self.plans.lock().unwrap().clear();
    }

    /// The plan, on the slots.
    #[expect(clippy::wildcard_enum_match_arm, reason = "what is not named is treated alike")]
    fn moved(&self, plan: LogicalPlan) -> LogicalPlan {
        let moved = plan.transform_up_with_subqueries(|node| match node {
            LogicalPlan::TableScan(mut scan) => {
                let name = scan.table_name.table();
                let table = match self.tables.lock().unwrap().as_ref() {
                    Some(held) => held.provider(name).unwrap(),
                    None => {
                        let slot = Arc::clone(&self.slots[name]);
                        Arc::new(StreamingTable::try_new(Arc::clone(&slot.schema), vec![slot])?)
                    }
                };
                scan.source = provider_as_source(table);
                Ok(Transformed::yes(LogicalPlan::TableScan(scan)))
            }
            other => Ok(Transformed::no(other)),
        });
        moved.unwrap().data
    }

    /// A plan that has not run yet.
    async fn fresh(&self, rows: &LogicalPlan) -> Result<Arc<dyn ExecutionPlan>, String> {
        let known = self.plans.lock().unwrap().iter().find(|(of, _)| of == rows).cloned();
        let plan = match known {
            Some((_, plan)) => plan,
            None => {
                let moved = self.moved(rows.clone());
                let plan = self.context.state().create_physical_plan(&moved).await;
                let plan = plan.map_err(|error| error.to_string())?;
                self.plans.lock().unwrap().push((rows.clone(), Arc::clone(&plan)));
                plan
            }
        };
        reset_plan_states(plan).map_err(|error| error.to_string())
    }

    async fn total(&self, asked: &Asked) -> Result<Totals, String> {
        let plan = self.fresh(&asked.rows).await?;
        let context = self.context.state().task_ctx();
        let streams = execute_stream_partitioned(plan, context).map_err(|e| e.to_string())?;
        let layouts = std::slice::from_ref(&asked.layout);
        let totals = tally_streams(layouts, asked.hash_key, streams, &|_| ()).await;
        Ok(totals.map_err(|e| e.to_string())?.remove(0))
    }
}

/// One world as the mechanism sees it.
pub(super) struct Memory(Arc<Engine>);

impl Memory {
    pub(super) fn new(engine: &Arc<Engine>, world: &World) -> Self {
        for (name, rows) in &world.tables {
            let slot = &engine.slots[name];
            *slot.rows.lock().unwrap() = batch(rows, &slot.schema);
        }
        engine.hand_over(world);
        Self(Arc::clone(engine))
    }
}

impl Source for Memory {
    fn totals(&self, asked: &[Asked]) -> Result<Vec<Totals>, MechanismError> {
        let all = async {
            let mut totals = Vec::new();
            for one in asked {
                totals.push(self.0.total(one).await?);
            }
            Ok(totals)
        };
        let refused = |what| MechanismError::Refused { what, hint: String::new() };
        self.0.runtime.block_on(all).map_err(refused)
    }
}
