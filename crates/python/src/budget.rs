//! What may be spent: in memory, or in a ledger that outlives the process.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use throng_account::MechanismSpec;
use throng_account::filter::{Budget as Amount, Currency, Receipt};
use throng_ledger::{Charge, Charter, Digest, Ledger, Ticket};
use throng_mechanism::{Budget as Memory, Mechanism, Neighbours, Permit};
use throng_numeric::Rational;
use throng_query::session::{Keeper, Purse, QUICK};
use throng_sample::{Entropy, OsEntropy};

use crate::account::Spec;
use crate::error::{Answer, invalid};
use crate::number::Exact;

/// A budget: whatever is paid from it stays within it, however questions are chosen.
#[pyclass(frozen, module = "throng._native")]
pub(crate) struct Budget {
    books: Books,
    /// Whom sessions that pay from it protect, once there is one.
    units: Mutex<Option<String>>,
}

enum Books {
    Memory(Arc<Mutex<Memory>>),
    Ledger(Arc<Ledger>),
}

/// A right to run, and where it is recorded.
pub(crate) struct Paid {
    pub(crate) permit: Permit,
    pub(crate) ticket: Option<Ticket>,
}

impl Budget {
    /// The budget of a ledger.
    pub(crate) fn of_ledger(ledger: Arc<Ledger>) -> Self {
        Self { books: Books::Ledger(ledger), units: Mutex::default() }
    }

    /// Whoever keeps it, for questions that are paid from it.
    pub(crate) fn keeper(&self) -> Answer<Arc<dyn Keeper>> {
        Ok(match &self.books {
            Books::Memory(memory) => Arc::new(Purse::new(Arc::clone(memory))?),
            Books::Ledger(ledger) => Arc::clone(ledger) as Arc<dyn Keeper>,
        })
    }

    /// One budget protects one kind of unit: costs of users and costs of rows do not add up. The first
    /// session says which; a ledger keeps it.
    pub(crate) fn protects(&self, units: &str) -> Answer<()> {
        const FACT: &str = "protected";
        let mut known = self.units.lock().unwrap_or_else(PoisonError::into_inner);
        if let Books::Ledger(ledger) = &self.books
            && known.is_none()
        {
            let kept = ledger.fact(FACT)?.map(|kept| String::from_utf8_lossy(&kept).into_owned());
            let named = ledger.charter()?.policy.strip_prefix(QUICK).map(str::to_owned);
            if named.is_none() && kept.is_none() {
                ledger.note("fact", FACT, units.as_bytes())?;
            }
            *known = named.or(kept);
        }
        let own = known.get_or_insert_with(|| units.to_owned());
        if own == units {
            return Ok(());
        }
        Err(throng_cli::Failure::refused(
            format!("the budget protects {own}, and this {units}"),
            "use another budget: what protects rows does not protect people",
        )
        .into())
    }

    /// Pays for a mechanism: durably, before anything is read. In a budget of pairs a mechanism with a
    /// whole curve is priced at this delta.
    pub(crate) fn pay<M: Mechanism + ?Sized>(
        &self,
        mechanism: &M,
        label: &str,
        delta: Option<&Rational>,
    ) -> Answer<Paid> {
        same_relation(self.under(), mechanism.neighbours())?;
        match &self.books {
            Books::Memory(memory) => {
                let mut memory = memory.lock().unwrap_or_else(PoisonError::into_inner);
                let permit = memory.authorise_at(&mechanism.spec(), delta)?;
                Ok(Paid { permit, ticket: None })
            }
            Books::Ledger(ledger) => {
                let charge = charge(label, mechanism.spec(), delta)?;
                let paid = ledger.authorise(&charge)?;
                Ok(Paid { permit: paid.permit, ticket: Some(paid.ticket) })
            }
        }
    }

    /// Keeps what was released beside its charge, where there are books to keep it in.
    pub(crate) fn store(&self, ticket: Option<&Ticket>, payload: &[u8]) -> Answer<()> {
        if let (Books::Ledger(ledger), Some(ticket)) = (&self.books, ticket) {
            ledger.store(ticket, payload)?;
        }
        Ok(())
    }

    pub(crate) fn under(&self) -> Neighbours {
        match &self.books {
            Books::Memory(memory) => {
                memory.lock().unwrap_or_else(PoisonError::into_inner).neighbours()
            }
            Books::Ledger(ledger) => ledger.neighbours(),
        }
    }

    pub(crate) fn capacity_of(&self) -> Answer<Amount> {
        Ok(match &self.books {
            Books::Memory(memory) => {
                memory.lock().unwrap_or_else(PoisonError::into_inner).capacity().clone()
            }
            Books::Ledger(ledger) => ledger.charter()?.capacity,
        })
    }
}

/// That a budget, if there is one, is for rows: where each row is a unit, people with several are not protected.
pub(crate) fn for_rows(budget: Option<&Budget>) -> Answer<()> {
    budget.map_or(Ok(()), |budget| budget.protects("unit row"))
}

/// Pays from a budget if there is one, else with a budget of exactly what it costs: whoever makes several
/// such releases adds them up.
pub(crate) fn pay<M: Mechanism + ?Sized>(
    budget: Option<&Budget>,
    mechanism: &M,
    label: &str,
    delta: Option<&Rational>,
) -> Answer<Paid> {
    match budget {
        Some(budget) => budget.pay(mechanism, label, delta),
        None => {
            let permit = Memory::of_one(mechanism)?.permit(mechanism)?;
            Ok(Paid { permit, ticket: None })
        }
    }
}

/// Every release from memory is a question of its own: there is no file whose version could tell that it
/// was asked before.
fn charge(label: &str, spec: MechanismSpec, delta: Option<&Rational>) -> Answer<Charge> {
    let mut nonce = [0_u8; 32];
    OsEntropy.fill(&mut nonce).map_err(throng_mechanism::MechanismError::from)?;
    let question = Digest::of_parts(&[b"python/1", &nonce]);
    let charge = Charge::new(question, label, spec);
    Ok(match delta {
        Some(delta) => charge.at_delta(delta.clone()),
        None => charge,
    })
}

fn same_relation(books: Neighbours, asked: Neighbours) -> Answer<()> {
    if books == asked {
        return Ok(());
    }
    Err(throng_cli::Failure::refused(
        format!("the budget is for {books} and this for {asked} neighbours"),
        "use one relation throughout",
    )
    .into())
}

/// A capacity: epsilon alone or with delta, in a currency in which adaptive composition is proved.
fn capacity(
    epsilon: Option<&Rational>,
    delta: Option<&Rational>,
    mu: Option<&Rational>,
    rho: Option<&Rational>,
    currency: Option<&str>,
) -> Answer<Amount> {
    const WAYS: &str = "give epsilon, epsilon with delta, gdp or zcdp";
    let zero = Rational::ZERO;
    Ok(match (epsilon, delta, mu, rho) {
        (Some(epsilon), delta, None, None) => {
            let usual = if delta.is_some() { "approximate" } else { "pure" };
            let delta = delta.unwrap_or(&zero);
            let currency = match currency.unwrap_or(usual) {
                "pure" => Currency::Pure,
                "approximate" => Currency::Approximate,
                "gdp" => Currency::Gdp,
                "zcdp" => Currency::Zcdp { leak: Rational::ZERO },
                other => {
                    let hint = "choose pure, approximate, gdp or zcdp";
                    return Err(invalid(format!("there is no currency {other:?}"), hint));
                }
            };
            Amount::for_epsilon_delta(&currency, epsilon, delta)?
        }
        (None, None, Some(mu), None) => Amount::Gdp { mu_squared: mu.square() },
        (None, None, None, Some(rho)) => Amount::Zcdp { rho: rho.clone(), delta: zero },
        (None, ..) => return Err(invalid("it is not said what may be spent", WAYS)),
        (Some(_), ..) => return Err(invalid("it is said in two ways what may be spent", WAYS)),
    })
}

/// An amount by name, each number rounded to the side that keeps the promise: down for what is left and may
/// be spent, up for what is spent and asked.
pub(crate) fn amounts(amount: &Amount, up: bool) -> Vec<(String, f64)> {
    let number = |value: &Rational| match (value.is_zero(), up) {
        (true, _) => 0.0,
        (false, true) => value.to_f64_up(),
        (false, false) => value.to_f64_down(),
    };
    let named = |name: &str, value: &Rational| (name.to_owned(), number(value));
    match amount {
        Amount::Pure { epsilon } => vec![named("epsilon", epsilon)],
        Amount::Approximate { epsilon, delta } => {
            vec![named("epsilon", epsilon), named("delta", delta)]
        }
        Amount::Zcdp { rho, delta } => vec![named("rho", rho), named("delta", delta)],
        Amount::Gdp { mu_squared } => vec![named("mu_squared", mu_squared)],
        Amount::Renyi { orders } => {
            orders.iter().map(|(order, loss)| named(&format!("renyi_{order}"), loss)).collect()
        }
    }
}

type Named = Vec<(String, f64)>;

#[pymethods]
impl Budget {
    #[new]
    #[pyo3(signature = (epsilon=None, delta=None, mu=None, rho=None, currency=None, neighbours="add-remove", ledger=None))]
    #[expect(clippy::too_many_arguments, reason = "keywords in Python")]
    fn new(
        epsilon: Option<Exact>,
        delta: Option<Exact>,
        mu: Option<Exact>,
        rho: Option<Exact>,
        currency: Option<&str>,
        neighbours: &str,
        ledger: Option<PathBuf>,
    ) -> Answer<Self> {
        let under: Neighbours = neighbours.parse()?;
        let exact = |number: &Option<Exact>| number.as_ref().map(|number| number.0.clone());
        let [epsilon, delta, mu, rho] = [&epsilon, &delta, &mu, &rho].map(exact);
        let nothing_said = [&epsilon, &delta, &mu, &rho].iter().all(|x| x.is_none());
        let books = match ledger {
            Some(path) if nothing_said => Books::Ledger(Arc::new(Ledger::open(path)?)),
            ledger => {
                let [epsilon, delta, mu, rho] = [&epsilon, &delta, &mu, &rho].map(Option::as_ref);
                let capacity = capacity(epsilon, delta, mu, rho, currency)?;
                match ledger {
                    None => Books::Memory(Arc::new(Mutex::new(Memory::of(capacity, under)?))),
                    Some(path) => {
                        let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
                        folder.map_or(Ok(()), std::fs::create_dir_all)?;
                        let mut charter = Charter::new(capacity, under, "throng");
                        charter.stated = epsilon.cloned().zip(delta.cloned());
                        Books::Ledger(Arc::new(Ledger::open_or_create(path, &charter)?))
                    }
                }
            }
        };
        Ok(Self { books, units: Mutex::default() })
    }

    #[getter]
    fn neighbours(&self) -> String {
        self.under().to_string()
    }

    /// The path of the ledger, if there is one.
    #[getter]
    fn ledger(&self) -> Option<PathBuf> {
        match &self.books {
            Books::Memory(_) => None,
            Books::Ledger(ledger) => Some(ledger.path().to_owned()),
        }
    }

    fn capacity(&self) -> Answer<Named> {
        Ok(amounts(&self.capacity_of()?, false))
    }

    fn spent(&self) -> Answer<Named> {
        Ok(match &self.books {
            Books::Memory(memory) => {
                amounts(memory.lock().unwrap_or_else(PoisonError::into_inner).spent(), true)
            }
            Books::Ledger(ledger) => amounts(&ledger.spent()?, true),
        })
    }

    fn remaining(&self) -> Answer<Named> {
        Ok(match &self.books {
            Books::Memory(memory) => {
                amounts(&memory.lock().unwrap_or_else(PoisonError::into_inner).remaining(), false)
            }
            Books::Ledger(ledger) => amounts(&ledger.remaining(None)?, false),
        })
    }

    /// What a mechanism would cost, and what would be left; nothing is spent.
    #[pyo3(signature = (spec, delta=None))]
    fn preview(&self, spec: &Spec, delta: Option<Exact>) -> Answer<(Named, Named)> {
        let delta = delta.as_ref().map(|delta| &delta.0);
        let receipt = self.looked_at(&spec.0, delta)?;
        Ok((amounts(&receipt.cost, true), amounts(&receipt.left, false)))
    }

    /// Pays for a mechanism that runs elsewhere.
    #[pyo3(signature = (spec, label, delta=None))]
    fn charge(&self, spec: &Spec, label: &str, delta: Option<Exact>) -> Answer<Option<String>> {
        let delta = delta.as_ref().map(|delta| &delta.0);
        match &self.books {
            Books::Memory(memory) => {
                let mut memory = memory.lock().unwrap_or_else(PoisonError::into_inner);
                drop(memory.authorise_at(&spec.0, delta)?);
                Ok(None)
            }
            Books::Ledger(ledger) => {
                let paid = ledger.authorise(&charge(label, spec.0.clone(), delta)?)?;
                Ok(Some(paid.ticket.to_string()))
            }
        }
    }
}

impl Budget {
    fn looked_at(&self, spec: &MechanismSpec, delta: Option<&Rational>) -> Answer<Receipt> {
        Ok(match &self.books {
            Books::Memory(memory) => {
                memory.lock().unwrap_or_else(PoisonError::into_inner).preview_at(spec, delta)?
            }
            Books::Ledger(ledger) => ledger.preview(&charge("preview", spec.clone(), delta)?)?,
        })
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Budget>()
}
