//! A reader of CSV for which every line is a row.
//!
//! Usual readers skip empty lines and complain about odd ones. Here both would tell something: in a
//! file of one column an empty line is somebody's empty cell. So this one is total (every sequence
//! of bytes is a table) and an empty line is a row like any other.

use std::io::{self, BufRead};

/// Cells of one row, as bytes.
#[derive(Debug, Default, Clone)]
pub(crate) struct Row {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Row {
    /// A cell; empty if there is none.
    pub(crate) fn cell(&self, column: usize) -> &[u8] {
        let start = match column.checked_sub(1) {
            Some(before) => self.ends.get(before).copied(),
            None => Some(0),
        };
        let ends = start.zip(self.ends.get(column).copied());
        ends.and_then(|(start, end)| self.bytes.get(start..end)).unwrap_or_default()
    }

    /// All cells.
    pub(crate) fn cells(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.ends.len()).map(|column| self.cell(column))
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    fn end_cell(&mut self) {
        self.ends.push(self.bytes.len());
    }
}

/// Where in a row the reader is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Nothing of the cell is read yet.
    Start,
    /// In a cell without quotes, or behind the quotes of one that had them.
    Plain,
    /// Between quotes.
    Quoted,
    /// Behind a quote between quotes: the end, or the first of two.
    Closing,
}

/// Reads rows: cells between delimiters, in quotes where they hold one, a quote doubled in quotes.
/// A line ends with `\n`, `\r\n` or `\r`; the last need not.
pub(crate) struct Reader<R> {
    input: R,
    delimiter: u8,
    /// The last byte was `\r` at the end of a line: a `\n` belongs to it.
    after_return: bool,
}

impl<R: BufRead> Reader<R> {
    /// A reader at the beginning; a byte-order mark is not part of the first cell.
    pub(crate) fn new(mut input: R, delimiter: u8) -> io::Result<Self> {
        const MARK: &[u8] = b"\xef\xbb\xbf";
        if input.fill_buf()?.starts_with(MARK) {
            input.consume(MARK.len());
        }
        Ok(Self { input, delimiter, after_return: false })
    }

    /// Reads the next row; false at the end.
    pub(crate) fn read(&mut self, row: &mut Row) -> io::Result<bool> {
        row.clear();
        let mut place = Place::Start;
        let mut empty = true;
        loop {
            let bytes = match self.input.fill_buf() {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if bytes.is_empty() {
                if !empty {
                    row.end_cell();
                }
                return Ok(!empty);
            }
            let mut used = 0;
            let mut ended = false;
            for &byte in bytes {
                used += 1;
                if std::mem::take(&mut self.after_return) && byte == b'\n' {
                    continue;
                }
                empty = false;
                ended = step(row, &mut place, byte, self.delimiter);
                if ended {
                    self.after_return = byte == b'\r';
                    break;
                }
            }
            self.input.consume(used);
            if ended {
                return Ok(true);
            }
        }
    }
}

/// Takes one byte; whether it ended the row.
fn step(row: &mut Row, place: &mut Place, byte: u8, delimiter: u8) -> bool {
    match (*place, byte) {
        (Place::Start, b'"') => *place = Place::Quoted,
        (Place::Quoted, b'"') => *place = Place::Closing,
        (Place::Closing, b'"') => {
            row.bytes.push(b'"');
            *place = Place::Quoted;
        }
        (Place::Quoted, _) => row.bytes.push(byte),
        (_, b'\n' | b'\r') => {
            row.end_cell();
            return true;
        }
        (_, _) if byte == delimiter => {
            row.end_cell();
            *place = Place::Start;
        }
        (_, _) => {
            row.bytes.push(byte);
            *place = Place::Plain;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &[u8]) -> Vec<Vec<String>> {
        // A buffer of one byte meets every boundary.
        let mut tables = [1, 2, 3, 1000].map(|size| {
            let input = io::BufReader::with_capacity(size, text);
            let mut reader = Reader { input, delimiter: b',', after_return: false };
            let (mut row, mut rows) = (Row::default(), Vec::new());
            while reader.read(&mut row).unwrap() {
                rows.push(row.cells().map(|c| String::from_utf8_lossy(c).into_owned()).collect());
            }
            rows
        });
        assert!(tables.windows(2).all(|pair| pair[0] == pair[1]));
        std::mem::take(&mut tables[0])
    }

    #[test]
    fn usual_tables() {
        assert_eq!(table(b"a,b\n1,2\n"), [["a", "b"], ["1", "2"]]);
        assert_eq!(table(b"a,b\r\n1,2"), [["a", "b"], ["1", "2"]]);
        assert_eq!(table(b"a\r1\r2\r"), [["a"], ["1"], ["2"]]);
        assert_eq!(table(b"\"a,b\",\"say \"\"so\"\"\"\n"), [["a,b", "say \"so\""]]);
        assert_eq!(table(b"\"two\nlines\",x\n"), [["two\nlines", "x"]]);
    }

    #[test]
    fn every_line_is_a_row() {
        assert_eq!(table(b"a\n\n\n1\n"), [["a"], [""], [""], ["1"]]);
        assert_eq!(table(b"\r\n\r\n"), [[""], [""]]);
        assert_eq!(table(b""), Vec::<Vec<String>>::new());
        assert_eq!(table(b"a\n1"), table(b"a\n1\n"));
    }

    #[test]
    fn odd_bytes_are_a_table_too() {
        assert_eq!(table(b"\"open,\n1,2\n"), [["open,\n1,2\n"]]);
        assert_eq!(table(b"\"a\"b\",c\n"), [["ab\"", "c"]]);
        assert_eq!(table(b"x\"y\",\xff\n,,\n"), vec![vec!["x\"y\"", "\u{fffd}"], vec![""; 3]]);
    }

    #[test]
    fn a_mark_is_no_part_of_the_header() {
        let mut reader = Reader::new(&b"\xef\xbb\xbfname\n"[..], b',').unwrap();
        let mut row = Row::default();
        assert!(reader.read(&mut row).unwrap());
        assert_eq!(row.cell(0), b"name");
        assert_eq!(row.cell(1), b"");
        assert_eq!(row.cell(usize::MAX), b"");
    }
}
