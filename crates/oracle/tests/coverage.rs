//! Nothing numeric goes without a comparison.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use throng_numeric::widths::Function;

/// The modules whose functions return enclosures, and where these are compared with the truth:
/// here with MPFR, or beside the code with exact integers.
const MODULES: [(&str, &str); 8] = [
    ("enclosure", "tests"),
    ("elementary", "tests"),
    ("trigonometric", "tests"),
    ("normal", "tests"),
    ("gamma", "tests"),
    ("beta", "tests"),
    ("tails", "tests"),
    ("convolution", "../numeric/src/convolution/tests"),
];

/// Functions that return an enclosure without computing: constructors and exact operations.
const STRUCTURAL: [&str; 10] =
    ["new", "point", "of_rational", "hull", "intersect", "max", "min", "abs", "neg", "outward"];

fn sources(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(sources(&path)?);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
    Ok(found)
}

/// Everything in a folder, and in the file of the same name beside it.
fn text_of(folder: &str) -> Result<String, Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files = sources(&root)?;
    files.extend(Some(root.with_extension("rs")).filter(|file| file.is_file()));
    let texts = files.into_iter().map(fs::read_to_string);
    Ok(texts.collect::<Result<Vec<_>, _>>()?.join("\n"))
}

/// Names and signatures of the public functions in a source text.
fn public_functions(text: &str) -> Vec<(&str, &str)> {
    text.split("pub fn ")
        .skip(1)
        .filter_map(|rest| {
            let name = &rest[..rest.find(['(', '<'])?];
            Some((name, &rest[..rest.find('{')?]))
        })
        .collect()
}

/// Whether a function returns an enclosure, directly or in a result.
fn returns_enclosure(signature: &str) -> bool {
    let result = signature.rsplit("->").next().unwrap_or_default();
    signature.contains("->") && (result.contains("Enclosure") || result.contains("Self"))
}

#[test]
fn every_function_is_compared() -> Result<(), Box<dyn Error>> {
    let mut checked = 0;
    for (stem, place) in MODULES {
        let tests = text_of(place)?;
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../numeric/src");
        let mut text = fs::read_to_string(root.join(stem).with_extension("rs"))?;
        if root.join(stem).is_dir() {
            text += &text_of(&format!("../numeric/src/{stem}"))?;
        }
        for (name, signature) in public_functions(&text) {
            if returns_enclosure(signature) && !STRUCTURAL.contains(&name) {
                assert!(tests.contains(&format!("{name}(")), "{stem}: no comparison calls {name}");
                checked += 1;
            }
        }
    }
    assert!(checked > 30, "only {checked} functions found: has the layout changed?");
    Ok(())
}

/// A module nobody listed above would otherwise go unnoticed.
#[test]
fn every_module_is_known() -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../numeric/src");
    for path in sources(&root)? {
        let relative = path.strip_prefix(&root)?.to_string_lossy().into_owned();
        let top = relative.split('/').next().unwrap_or_default().trim_end_matches(".rs").to_owned();
        let listed = MODULES.iter().any(|(stem, _)| *stem == top);
        let text = fs::read_to_string(&path)?;
        let numeric = public_functions(&text).into_iter().any(|(_, signature)| {
            signature.rsplit("->").next().is_some_and(|r| r.contains("Enclosure"))
                && signature.contains("->")
        });
        assert!(listed || !numeric, "{relative} has public functions that return enclosures");
    }
    Ok(())
}

#[test]
fn every_rounding_is_compared() -> Result<(), Box<dyn Error>> {
    let tests = text_of("tests")?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../numeric/src");
    for file in ["rounding.rs", "fixed.rs"] {
        let text = fs::read_to_string(root.join(file))?;
        for (name, _) in public_functions(&text) {
            assert!(tests.contains(&format!("{name}(")), "{file}: no comparison calls {name}");
        }
    }
    Ok(())
}

#[test]
fn every_row_of_the_table_is_used() -> Result<(), Box<dyn Error>> {
    let tests = text_of("tests")?;
    for function in Function::ALL {
        assert!(
            tests.contains(&format!("Function::{function:?}")),
            "no comparison of {function:?}"
        );
    }
    Ok(())
}
