//! Prints the nodes and times of the solvers of Bricks, Dots & Boxes and Conveyor for whole boards: `cargo xtask bench
//! solve`.
//!
//! Each row has the exact value of a board, beside a plain alpha-beta search on the same machine: with a table of
//! positions, but without symmetries, chains, regions or nimbers. The plain search stops after five seconds or at its
//! memory limit. A value other than that of the literature ends the program with an error. All of it takes some
//! minutes. `--long` adds the boards that take longer, with at most ten minutes for each; a row is `unknown` if that
//! does not suffice. `--only 4x4` has one row alone, be it long or not. While a row takes long, its progress appears on
//! standard error. The largest table of Dots & Boxes takes 1 GiB of memory, that of Bricks grows with the nodes.
//!
//! Conveyor has no plain search. Its rows have the least mean number of requests, and the number that `hints` needs.

mod requests;

use std::process::ExitCode;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use game_dots::Config;
use rustc_hash::FxHashMap;
use strategies::bricks::nimbers::Nimbers;
use strategies::bricks::region::Rectangle;
use strategies::budget::{Budget, Exhausted};
use strategies::dots::graph::Graph;
use strategies::dots::values::Values;

/// Longest time of a solver for a board.
const LIMIT: Duration = Duration::from_secs(600);

/// The most positions of Bricks that a solver may search; their table grows to some gigabytes.
const MOST_NODES: u64 = 200_000_000;

/// The time between two lines on the progress of a search.
const REPORT: Duration = Duration::from_secs(20);

/// Longest time of the plain search, and the most positions of its table.
const PLAIN_LIMIT: Duration = Duration::from_secs(5);
const PLAIN_POSITIONS: usize = 1 << 24;

/// The size of the solver's largest table of Dots & Boxes: `8 << 24` positions of eight bytes.
const LARGEST_TABLE: u32 = 24;

/// The least size of that table.
const LEAST_TABLE: u32 = 14;

/// The exponent of two by which a board has more sets of edges than its table has buckets. The search meets far fewer
/// than all, so that few have to make room for others.
const EDGES_OVER_TABLE: u32 = 14;

/// Rows, columns, whether it is a torus, and the nimber.
type Cram = (usize, usize, bool, u8);

const CRAM: [Cram; 23] = [
    (1, 20, false, 3),
    (2, 19, false, 1),
    (3, 9, false, 1),
    (3, 12, false, 1),
    (3, 13, false, 2),
    (3, 14, false, 3),
    (4, 4, false, 0),
    (4, 5, false, 2),
    (4, 6, false, 0),
    (4, 7, false, 3),
    (4, 8, false, 0),
    (4, 9, false, 1),
    (5, 5, false, 0),
    (5, 6, false, 2),
    (5, 7, false, 1),
    (6, 6, false, 0),
    (3, 5, true, 1),
    (4, 4, true, 0),
    (3, 6, true, 0),
    (4, 5, true, 0),
    (4, 6, true, 0),
    (3, 7, true, 0),
    (5, 5, true, 1),
];

const LONG_CRAM: [Cram; 3] = [(5, 8, false, 1), (6, 7, false, 5), (7, 7, false, 1)];

/// Rows and columns of boxes, and the value.
type Boxes = (u16, u16, i16);

const BOXES: [Boxes; 16] = [
    (1, 1, -1),
    (1, 2, 0),
    (1, 3, -1),
    (1, 4, 0),
    (1, 5, -1),
    (1, 6, 0),
    (1, 7, -1),
    (1, 8, 0),
    (1, 9, -1),
    (1, 10, 0),
    (2, 2, 2),
    (2, 3, -2),
    (2, 4, 2),
    (2, 5, -2),
    (3, 3, -3),
    (3, 4, 0),
];

const LONG_BOXES: [Boxes; 2] = [(3, 5, -1), (4, 4, 0)];

/// Arguments of the program.
#[derive(Default)]
struct Asked {
    games: Vec<String>,
    is_long: bool,
    /// The only row, as `rows×columns`.
    only: Option<String>,
}

impl Asked {
    fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut asked = Self::default();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--long" => asked.is_long = true,
                "--only" => {
                    let board = words.next().ok_or("--only: expected a board, e.g. 4x4")?;
                    asked.only = Some(board.replace('x', "×"));
                }
                "bricks" | "dots" | "conveyor" => asked.games.push(word),
                "--bench" => {} // cargo adds it
                _ => {
                    return Err(format!(
                        "unknown argument `{word}`: expected bricks, dots, conveyor, --long or --only BOARD"
                    ));
                }
            }
        }
        Ok(asked)
    }

    fn has_game(&self, game: &str) -> bool {
        self.games.is_empty() || self.games.iter().any(|own| own == game)
    }

    /// The rows of a game: the usual ones, then those that take long.
    fn rows<T: Copy>(&self, usual: &[T], long: &[T], name: fn(&T) -> String) -> Vec<T> {
        let is_named = |row: &T| self.only.as_ref().is_none_or(|only| name(row) == *only);
        let is_long_asked = self.is_long || self.only.is_some();
        let long = if is_long_asked { long } else { &[] };
        usual.iter().chain(long).copied().filter(is_named).collect()
    }
}

fn main() -> ExitCode {
    let asked = match Asked::parse(std::env::args().skip(1)) {
        Ok(asked) => asked,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(2);
        }
    };
    let (mut is_right, mut count) = (true, 0);
    let all_cram = asked.rows(&CRAM, &LONG_CRAM, cram_name);
    if asked.has_game("bricks") && !all_cram.is_empty() {
        head("Bricks: the nimber of a whole board", &COLUMNS);
        count += all_cram.len();
        for board in all_cram {
            is_right &= cram(board);
        }
    }
    let all_boxes = asked.rows(&BOXES, &LONG_BOXES, boxes_name);
    if asked.has_game("dots") && !all_boxes.is_empty() {
        head("Dots & Boxes: rows and columns of boxes; how many more the player that begins wins", &COLUMNS);
        count += all_boxes.len();
        for board in all_boxes {
            is_right &= boxes(board);
        }
    }
    let all_requests = asked.rows(&requests::BOARDS, &requests::LONG_BOARDS, requests::name);
    if asked.has_game("conveyor") && !all_requests.is_empty() {
        requests::title();
        count += all_requests.len();
        for board in all_requests {
            is_right &= requests::row(board);
        }
    }
    if count == 0 {
        let only = asked.only.unwrap_or_default();
        eprintln!("error: no row `{only}`: expected rows×columns of one, e.g. 4x4; `--long` prints them all");
        return ExitCode::from(2);
    }
    if is_right { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Name of a row of Bricks.
fn cram_name((rows, columns, is_torus, _): &Cram) -> String {
    let torus = if *is_torus { " torus" } else { "" };
    format!("{rows}×{columns}{torus}")
}

/// Name of a row of Dots & Boxes.
fn boxes_name((rows, columns, _): &Boxes) -> String {
    format!("{rows}×{columns}")
}

/// The columns of the games that have a plain search.
const COLUMNS: [&str; 6] = ["board", "value", "nodes", "seconds", "plain alpha-beta: nodes", "seconds"];

fn head(title: &str, columns: &[&str]) {
    println!("\n{title}\n");
    println!("| {} |", columns.join(" | "));
    println!("|{}", "---|".repeat(columns.len()));
}

/// Result of a search, with its nodes and its time.
struct Found<T> {
    value: Option<T>,
    nodes: u64,
    time: Duration,
}

impl<T> Found<T> {
    fn cells(&self) -> String {
        let Self { value, nodes, time } = self;
        let least = if value.is_some() { "" } else { "more than " };
        format!("{least}{nodes} | {least}{:.2}", time.as_secs_f64())
    }
}

/// Prints a row; returns whether the value is the one of the literature.
fn row<T: PartialEq + std::fmt::Display>(
    board: &str,
    own: &Found<T>,
    expected: &T,
    plain: &Found<bool>,
    wins: bool,
) -> bool {
    let is_right = own.value.as_ref().is_none_or(|value| value == expected)
        && plain.value.is_none_or(|found| found == wins);
    let value = own.value.as_ref().map_or_else(|| "unknown".to_owned(), ToString::to_string);
    let wrong = if is_right { String::new() } else { format!(" (wrong: expected {expected})") };
    println!("| {board} | {value}{wrong} | {} | {} |", own.cells(), plain.cells());
    is_right
}

/// A budget that ends after ten minutes, and reports from time to time on standard error how long a board has taken.
fn clock(board: String) -> Budget {
    let start = Instant::now();
    let reports = AtomicU32::new(0);
    Budget::until(move || {
        let time = start.elapsed();
        let next = reports.load(Ordering::Relaxed) + 1;
        if time > REPORT * next {
            reports.store(next, Ordering::Relaxed);
            eprintln!("{board}: {} s of at most {}", time.as_secs(), LIMIT.as_secs());
        }
        time > LIMIT
    })
}

fn measure<T>(search: impl FnOnce() -> (Result<T, Exhausted>, u64)) -> Found<T> {
    let start = Instant::now();
    let (result, nodes) = search();
    Found { value: result.ok(), nodes, time: start.elapsed() }
}

fn cram(board: Cram) -> bool {
    let (rows, columns, is_torus, expected) = board;
    let rectangle = Rectangle::new(columns, rows, [is_torus; 2]);
    let rectangle = rectangle.with((1 << (columns * rows)) - 1);
    let own = measure(|| {
        let mut nimbers = Nimbers::on_clock(clock(cram_name(&board)));
        nimbers.allow(MOST_NODES);
        let result = nimbers.nimber_of(&rectangle);
        (result, MOST_NODES - nimbers.budget())
    });
    let plain = measure(|| {
        let mut plain = Plain { wins: FxHashMap::default(), limit: PLAIN_LIMIT, start: Instant::now() };
        let result = plain.wins(rectangle);
        (result, plain.wins.len() as u64)
    });
    row(&cram_name(&board), &own, &expected, &plain, expected != 0)
}

/// Plain search of Bricks: for each set of free cells, whether the player to move wins.
struct Plain {
    wins: FxHashMap<u128, bool>,
    limit: Duration,
    start: Instant,
}

impl Plain {
    /// Returns whether the player to move wins.
    fn wins(&mut self, rectangle: Rectangle) -> Result<bool, Exhausted> {
        if let Some(known) = self.wins.get(&rectangle.cells()) {
            return Ok(*known);
        }
        if self.wins.len() == PLAIN_POSITIONS || self.start.elapsed() > self.limit {
            return Err(Exhausted);
        }
        let mut bricks = Vec::new();
        rectangle.bricks(|brick| bricks.push(brick));
        let mut wins = false;
        for brick in bricks {
            if !self.wins(rectangle.with(rectangle.cells() & !brick))? {
                wins = true;
                break;
            }
        }
        self.wins.insert(rectangle.cells(), wins);
        Ok(wins)
    }
}

fn boxes(board: Boxes) -> bool {
    let (rows, columns, expected) = board;
    let grid = Config::new(rows + 1, columns + 1).expect("a board of the table");
    let graph = Graph::board(grid).expect("at most 64 edges");
    let own = measure(|| {
        let size = graph.all().count_ones().saturating_sub(EDGES_OVER_TABLE);
        let mut values = Values::by_edges(size.clamp(LEAST_TABLE, LARGEST_TABLE), clock(boxes_name(&board)));
        values.allow(u64::MAX);
        let result = values.value(&graph, graph.all());
        (result, values.nodes())
    });
    let plain = measure(|| {
        let mut plain = PlainBoxes {
            graph: &graph,
            bounds: FxHashMap::default(),
            limit: PLAIN_LIMIT,
            start: Instant::now(),
        };
        let most = graph.boxes(graph.all());
        let result = plain.value(graph.all(), -most, most);
        (result.map(|value| value == expected), plain.bounds.len() as u64)
    });
    row(&boxes_name(&board), &own, &expected, &plain, true)
}

/// The value of a board of Dots & Boxes, by every set of undrawn edges.
struct PlainBoxes<'a> {
    graph: &'a Graph,
    bounds: FxHashMap<u64, (i16, i16)>,
    limit: Duration,
    start: Instant,
}

impl PlainBoxes<'_> {
    /// Returns the boxes that the player to move wins, less those of the other one; exact if it lies between `least`
    /// and `most`.
    fn value(&mut self, left: u64, mut least: i16, mut most: i16) -> Result<i16, Exhausted> {
        if left == 0 {
            return Ok(0);
        }
        let boxes = self.graph.boxes(left);
        let (lower, upper) = self.bounds.get(&left).copied().unwrap_or((-boxes, boxes));
        (least, most) = (least.max(lower), most.min(upper));
        if least >= most {
            return Ok(if lower >= most { lower } else { upper });
        }
        if self.bounds.len() == PLAIN_POSITIONS || self.start.elapsed() > self.limit {
            return Err(Exhausted);
        }
        let given = least;
        let mut moves: Vec<(i16, u64)> = (0..64)
            .filter(|place| left >> place & 1 == 1)
            .map(|place| (boxes - self.graph.boxes(left & !(1 << place)), left & !(1 << place)))
            .collect();
        moves.sort_by_key(|(won, _)| -won);
        let mut best = i16::MIN;
        for (won, next) in moves {
            let value = if won > 0 {
                won + self.value(next, least - won, most - won)?
            } else {
                -self.value(next, -most, -least)?
            };
            best = best.max(value);
            least = least.max(best);
            if best >= most {
                break;
            }
        }
        let lower = if best > given { best.max(lower) } else { lower };
        let upper = if best < most { best.min(upper) } else { upper };
        self.bounds.insert(left, (lower, upper));
        Ok(best)
    }
}
