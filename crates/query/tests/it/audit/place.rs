//! A table in a file, and a query on it that is read once and answered many times.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use datafusion::arrow::array::AsArray;
use datafusion::arrow::compute::concat_batches;
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::physical_plan::collect;
use throng_account::filter::Budget as Amount;
use throng_mechanism::{Mechanism, MechanismError, Permit, Sensitive};
use throng_numeric::Rational;
use throng_query::catalog::Catalog;
use throng_query::policy::Policy;
use throng_query::question::Question;
use throng_query::release::{Answered, Asked, Design, Request, Source};
use throng_query::sql::Batch;
use throng_query::tally::{Tally, Totals};
use throng_sample::SeededEntropy;

/// A row: user, which of the two keys of the block, x in [0, 100].
pub(super) type Row = (u64, usize, u64);

/// Rows that no other block shares a key or a user with.
pub(super) type Block = Vec<Row>;

/// How many blocks a table has.
pub(super) const BLOCKS: usize = 50;

/// How a table is protected.
#[derive(Clone, Copy)]
pub(super) struct Rules {
    /// `{ row = true }` or a column.
    pub(super) unit: &'static str,
    pub(super) limits: &'static str,
    pub(super) under: &'static str,
}

/// The design for a query, and the rows it is about.
pub(super) struct Place {
    pub(super) design: Design,
    rows: Vec<RecordBatch>,
}

impl Place {
    /// Writes the rows into a file and does all that is done before the first draw: policy, catalog,
    /// analysis, pricing; and lets the engine read the rows.
    pub(super) fn new(rules: Rules, blocks: &[Block], sql: &str, ask: &Request) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let directory: PathBuf =
            std::env::temp_dir().join(format!("throng-audit-{number}-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        std::fs::write(directory.join("events.csv"), text(blocks)).unwrap();
        let policy = Policy::parse(&policy(rules), &directory.join("throng.toml")).unwrap();
        let catalog = Catalog::open(&policy).unwrap();
        let batch = Batch::plan(sql, &policy, &catalog).unwrap();
        let questions: Vec<Question> =
            batch.statements.into_iter().flat_map(|statement| statement.questions).collect();
        let design = Design::new(&questions, ask, &|_| None).unwrap();
        let rows = questions.iter().map(|question| read(&catalog, question)).collect();
        std::fs::remove_dir_all(&directory).unwrap();
        Self { design, rows }
    }

    /// From how many units on a private key is shown.
    pub(super) fn threshold(&self) -> Option<f64> {
        self.run(&mut SeededEntropy::new(0)).threshold
    }

    /// One answer: the two cells of each block, if they are shown.
    pub(super) fn answer(&self, entropy: &mut SeededEntropy) -> Vec<[Option<f64>; 2]> {
        let answered = self.run(entropy);
        let keys = answered.keys.column(0).as_string::<i32>();
        let values = answered.columns[0].values.iter().copied();
        let cells: BTreeMap<Option<&str>, Option<f64>> = keys.iter().zip(values).collect();
        let cell = |block, key| cells.get(&Some(name(block, key).as_str())).copied().flatten();
        (0..BLOCKS).map(|block| [0, 1].map(|key| cell(block, key))).collect()
    }

    fn run(&self, entropy: &mut SeededEntropy) -> Answered {
        let design = &self.design;
        let nothing = Amount::Pure { epsilon: Rational::ONE };
        #[expect(clippy::disallowed_methods, reason = "a test pays with nothing")]
        let permit = Permit::issue(design.spec(), design.neighbours(), nothing);
        let private: &Sensitive<dyn Source> = &Sensitive::new(Rows(self.rows.clone()));
        design.run(private, permit, entropy).unwrap().into_parts().0.remove(0)
    }
}

/// A key of a block.
fn name(block: usize, key: usize) -> String {
    format!("{block:02}{}", ["a", "b"][key])
}

/// The file: both key columns are alike.
fn text(blocks: &[Block]) -> String {
    let mut text = String::from("user_id,kind,city,x\n");
    for (i, block) in blocks.iter().enumerate() {
        for (user, key, x) in block {
            let name = name(i, *key);
            text.push_str(&format!("{i}{user:04},{name},{name},{x}\n"));
        }
    }
    text
}

fn policy(Rules { unit, limits, under }: Rules) -> String {
    let names = (0..BLOCKS).flat_map(|block| [0, 1].map(|key| name(block, key)));
    let names: Vec<String> = names.map(|name| format!("\"{name}\"")).collect();
    let names = names.join(", ");
    format!(
        "[budget]\nepsilon = 1000\ndelta = 1e-3\nneighbours = \"{under}\"\n\
         [engine]\nthreads = 1\n\
         [tables.events]\npath = \"events.csv\"\n{limits}\nunit = {unit}\n\
         [tables.events.columns]\nuser_id = {{ type = \"integer\" }}\n\
         kind = {{ type = \"text\", keys = [{names}] }}\ncity = {{ type = \"text\" }}\n\
         x = {{ type = \"integer\", lower = 0, upper = 100 }}\n"
    )
}

fn read(catalog: &Catalog, question: &Question) -> RecordBatch {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let context = catalog.context().unwrap();
    runtime.block_on(async {
        let state = context.state();
        let plan = state.create_physical_plan(&question.rows).await.unwrap();
        let schema = plan.schema();
        concat_batches(&schema, &collect(plan, state.task_ctx()).await.unwrap()).unwrap()
    })
}

/// Rows that have been read, for each question.
struct Rows(Vec<RecordBatch>);

impl Source for Rows {
    fn totals(&self, asked: &[Asked]) -> Result<Vec<Totals>, MechanismError> {
        let totals = |asked: &Asked| {
            let mut tally = Tally::new(&asked.layout, asked.hash_key).unwrap();
            tally.update(&self.0[asked.question]).unwrap();
            tally.finish().unwrap()
        };
        Ok(asked.iter().map(totals).collect())
    }
}
