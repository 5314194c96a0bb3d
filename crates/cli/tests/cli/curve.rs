//! `throng curve`.

use std::fs;

use crate::{ends, folder, printed, run, throng, xml};

const TWO: [&str; 3] = ["curve", "gaussian(sigma=1)", "gaussian(sigma=2)"];
const KINDS: [&str; 5] = ["tradeoff", "profile", "renyi", "loss", "roc"];

/// The file a call with `-o` writes.
fn written(arguments: &[&str], name: &str) -> Vec<u8> {
    let path = folder("curve").join(name);
    let path_text = path.display().to_string();
    printed(&[arguments, &["-o", &path_text]].concat());
    fs::read(path).unwrap()
}

fn written_text(arguments: &[&str], name: &str) -> String {
    String::from_utf8(written(arguments, name)).unwrap()
}

#[test]
fn svg_is_well_formed_and_complete() {
    let labels = [
        ["false-alarm rate α", "miss rate β(α)"],
        ["ε", "δ(ε)"],
        ["order a", "Rényi divergence"],
        ["privacy loss", "density"],
        ["false-alarm rate α", "found 1 − β(α)"],
    ];
    for (kind, labels) in KINDS.into_iter().zip(labels) {
        for log in [&[][..], &["--log"]] {
            let call = [&TWO[..], &["--kind", kind, "--points", "41"], log].concat();
            let svg = written_text(&call, &format!("{kind}{}.svg", log.len()));
            let elements = xml::elements(&svg);
            assert_eq!(
                elements.iter().filter(|e| e.contains("class=\"curve\"")).count(),
                2,
                "{kind}"
            );
            assert_eq!(elements.iter().filter(|e| e.contains("class=\"bracket\"")).count(), 2);
            assert_eq!(elements.iter().filter(|e| e.contains("class=\"axes\"")).count(), 1);
            let guessing = elements.iter().any(|e| e.contains("class=\"guessing\""));
            assert_eq!(guessing, kind == "tradeoff" || kind == "roc", "{kind}");
            for label in labels {
                assert!(svg.contains(&format!(">{label}<")), "{kind} has no {label}");
            }
            assert!(svg.contains(">gaussian(sigma=2)<"), "{kind} has no legend");
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{kind} draws what is no number");
        }
    }
}

#[test]
fn labels_and_titles_cannot_break_the_svg() {
    let call = [&TWO[..], &["--label", "<a & \"b\">", "--title", "x < y\u{7}"]].concat();
    let svg = written_text(&call, "escaped.svg");
    xml::elements(&svg);
    assert!(svg.contains("&lt;a &amp; &quot;b&quot;&gt;"));
    assert!(svg.contains("<title>x &lt; y</title>"));
}

#[test]
fn png_shows_lines_and_letters() {
    for kind in KINDS {
        let bytes = written(&[&TWO[..], &["--kind", kind]].concat(), &format!("{kind}.png"));
        assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((info.width, info.height), (1440, 960));
        let count = |colour: [u8; 3]| pixels.chunks(3).filter(|pixel| *pixel == colour).count();
        assert!(count([0x00, 0x72, 0xb2]) > 400, "{kind}: the first curve is missing");
        assert!(count([0xd5, 0x5e, 0x00]) > 400, "{kind}: the second curve is missing");
        assert!(count([255, 255, 255]) > 1_000_000, "{kind}: the page is not white");
        // Below the axes there is nothing but labels.
        let below = pixels.chunks(3 * 1440).skip(900).flat_map(|row| row.chunks(3));
        let dark = below.filter(|pixel| pixel.iter().all(|&channel| channel < 0x60)).count();
        assert!(dark > 60, "{kind}: the axis has no name ({dark})");
    }
}

#[test]
fn csv_holds_every_point() {
    let text = written_text(&[&TWO[..], &["--points", "11", "--label", "a,b"]].concat(), "t.csv");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("curve,alpha,lower,upper"));
    assert_eq!(text.lines().count(), 1 + 2 * 11);
    assert!(lines.next().unwrap().starts_with("\"a,b\",0,"));
    for line in text.lines().filter(|line| line.starts_with("gaussian")) {
        let numbers: Vec<f64> = line.split(',').skip(1).map(|cell| cell.parse().unwrap()).collect();
        assert!(numbers[1] <= numbers[2], "{line}");
    }
    let loss = written_text(&[&TWO[..], &["--kind", "loss"]].concat(), "loss.csv");
    assert!(loss.starts_with("curve,from,to,lower,upper\n"));
}

#[test]
fn json_holds_every_point() {
    for kind in KINDS {
        let call = [&TWO[..], &["--kind", kind, "--points", "11"]].concat();
        let text = written_text(&call, &format!("{kind}.json"));
        let whole: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(whole["kind"], kind);
        assert_eq!(whole["neighbours"], "add-remove");
        assert_eq!(whole["curves"][1]["spec"], "gaussian(sigma=2)");
        let points = whole["curves"][0]["points"].as_array().unwrap();
        assert!(points.len() >= 10, "{kind} has {} points", points.len());
        for point in points {
            ends(point);
        }
    }
}

#[test]
fn the_terminal_plot_has_axes_and_a_legend() {
    let text = printed(&[&TWO[..], &["--title", "Two"]].concat());
    assert!(text.contains("Two") && text.contains("miss rate β(α)"), "{text}");
    assert!(text.contains('┤') && text.contains('└'), "{text}");
    assert!(text.contains("⠤B⠤  gaussian(sigma=2)"), "{text}");
    assert!(text.contains("guessing"), "{text}");
    assert!(text.chars().any(|c| ('\u{2801}'..='\u{28ff}').contains(&c)), "{text}");
    assert!(!text.contains('\x1b'), "colours outside a terminal");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn ascii_where_nothing_else_is_understood() {
    for kind in KINDS {
        let asked = printed(&[&TWO[..], &["--kind", kind, "--ascii"]].concat());
        let locale =
            throng().args(TWO).args(["--kind", kind]).env("LANG", "C").output().unwrap().stdout;
        assert_eq!(asked.as_bytes(), locale);
        assert!(asked.is_ascii(), "{asked}");
        assert!(asked.contains("***  gaussian(sigma=1)"), "{asked}");
        assert!(asked.lines().filter(|line| line.contains('*')).count() > 4, "{asked}");
    }
}

#[test]
fn a_closed_pipe_is_quiet() {
    use std::process::Stdio;
    let mut child =
        throng().args(TWO).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty());
}

#[test]
fn a_file_that_cannot_be_written_is_an_error() {
    let output = run(&[&TWO[..], &["-o", "no/such/folder/x.svg"]].concat());
    assert_eq!(output.status.code(), Some(2));
}
