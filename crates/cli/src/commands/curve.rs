//! `throng curve`: whole curves, drawn or written to a file.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use throng_account::{Direction, PrivacyLoss};

use crate::arguments::Setting;
use crate::failure::Failure;
use crate::plot::{Curve, Kind, Request, export, figure, png, svg, text};
use crate::{expression, output, terminal};

const EXAMPLES: &str = "\
Examples:
  throng curve 'gaussian(sigma=1)' 'laplace(scale=1)'
  throng curve 'gaussian(sigma=1)' 'gaussian(sigma=2)' --label strong --label weak -o curves.svg
  throng curve '100 * gaussian(sigma=20)' --kind profile -o profile.png
  throng curve 'gaussian(sigma=1)' --kind roc --log -o roc.csv";

/// Draw the curves of one or several mechanisms.
///
/// Without -o the curves are drawn in the terminal. The line is the promised end of each
/// bracket; the shaded band reaches to the other end.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// The mechanisms; `-` reads one from stdin, `@file` from a file.
    #[arg(value_name = "EXPR", required = true)]
    expressions: Vec<String>,

    /// Which curve.
    #[arg(long, value_enum, default_value_t = Kind::Tradeoff)]
    kind: Kind,

    /// Write to a file instead; its ending says how: svg, png, csv or json.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// How many points each curve has.
    #[arg(long, value_name = "N", default_value_t = 201, value_parser = clap::value_parser!(u16).range(2..=20_000))]
    points: u16,

    /// The name of a mechanism in the legend, in their order.
    #[arg(long, value_name = "NAME")]
    label: Vec<String>,

    /// A title above the plot.
    #[arg(long, value_name = "T")]
    title: Option<String>,

    /// Logarithmic axes (delta and nothing else is logarithmic without this).
    #[arg(long)]
    log: bool,

    /// Which world's loss is shown by `--kind loss`.
    #[arg(long, value_enum, default_value_t = World::Remove)]
    direction: World,

    /// Draw with ASCII characters only.
    #[arg(long)]
    ascii: bool,

    #[command(flatten)]
    setting: Setting,
}

/// The two directions of a pair.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum World {
    /// With the unit, against without.
    Remove,
    /// Without the unit, against with.
    Add,
}

impl From<World> for Direction {
    fn from(world: World) -> Self {
        match world {
            World::Remove => Self::Remove,
            World::Add => Self::Add,
        }
    }
}

/// What a file holds.
#[derive(Debug, Clone, Copy)]
enum Format {
    Svg,
    Png,
    Csv,
    Json,
}

impl Format {
    fn of(path: &Path) -> Result<Self, Failure> {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        match ending.as_deref() {
            Some("svg") => Ok(Self::Svg),
            Some("png") => Ok(Self::Png),
            Some("csv") => Ok(Self::Csv),
            Some("json") => Ok(Self::Json),
            _ => Err(Failure::usage(
                format!("-o is {}, but must end in svg, png, csv or json", path.display()),
                "the ending of the name says what is written",
            )),
        }
    }
}

/// Samples the curves, then draws or writes them.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    // Everything that can be wrong with the call is found before the long work.
    let target = match &options.output {
        Some(path) => Some((path, Format::of(path)?)),
        None => None,
    };
    check_labels(options)?;
    let curves = sampled(options)?;
    let request = request(options);
    let Some((path, format)) = target else {
        return draw(options, &request, &curves);
    };
    let data = match format {
        Format::Svg => svg::render(&figure::figure(&request, &curves)).into_bytes(),
        Format::Png => png::render(&figure::figure(&request, &curves))?,
        Format::Csv => export::csv(options.kind, &curves).into_bytes(),
        Format::Json => export::json(options.kind, options.setting.neighbours, &curves)?,
    };
    fs::write(path, data).map_err(|error| {
        let hint = "check that the folder exists and can be written to";
        Failure::usage(format!("{} cannot be written: {error}", path.display()), hint)
    })
}

fn check_labels(options: &Options) -> Result<(), Failure> {
    let (labels, curves) = (options.label.len(), options.expressions.len());
    if labels > curves {
        return Err(Failure::usage(
            format!("--label is given {labels} times, but there are {curves} mechanisms"),
            "give at most one --label for each mechanism, in their order",
        ));
    }
    Ok(())
}

fn request(options: &Options) -> Request {
    Request {
        kind: options.kind,
        log: options.log,
        points: options.points.into(),
        direction: options.direction.into(),
        title: options.title.clone(),
    }
}

/// Reads every mechanism before any is computed.
fn sampled(options: &Options) -> Result<Vec<Curve>, Failure> {
    let specs = options
        .expressions
        .iter()
        .map(|argument| expression::spec(argument))
        .collect::<Result<Vec<_>, _>>()?;
    let mut losses = Vec::new();
    for (index, spec) in specs.iter().enumerate() {
        let (under, accuracy) = (options.setting.neighbours, options.setting.accuracy());
        let text = spec.to_string();
        let label = options.label.get(index).cloned().unwrap_or_else(|| text.clone());
        losses.push((label, text, PrivacyLoss::of_spec(spec, under, accuracy)?));
    }
    request(options).sample(&losses)
}

fn draw(options: &Options, request: &Request, curves: &[Curve]) -> Result<(), Failure> {
    let style = text::Style {
        size: terminal::size(),
        ascii: options.ascii || !terminal::speaks_utf8(),
        paint: output::paint(),
    };
    output::answer(&text::render(&figure::figure(request, curves), &style))
}
