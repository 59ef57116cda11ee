//! Reports, made from matches that a formula decides.

use std::collections::BTreeSet;

use contests::statistics::Bootstrap;
use contests::verdict::Verdict;
use game_env::{Metrics, Ranking, Returns, Seed, SimTime};
use league::report::{About, Failed, Played, Report, replay_path};

const NAMES: [&str; 4] = ["coordinated", "greedy*3+liar", "my <b>bot</b> | v2", "random"];

/// A round robin of four, 60 pairs each; the lower the number of an entrant, the stronger it is.
fn matches() -> Vec<Played> {
    let mut chance = Seed::new(3).game();
    let mut matches = Vec::new();
    for set in 0..60 {
        for first in 0..4_usize {
            for second in first + 1..4 {
                for sides in [[first, second], [second, first]] {
                    let apart = (second - first) as f64 * 0.12;
                    let is_first = chance.happens(0.5 + apart);
                    let drawn = chance.happens(0.1);
                    let lead = [1, 2, 3][chance.index(3)];
                    let returns =
                        sides.map(|own| if !drawn && (own == first) == is_first { lead } else { 0 });
                    let number = matches.len() as u64 + 1;
                    let mut metrics = Metrics::new();
                    for (name, most) in [("searching_ms", 9_000), ("carrying_ms", 5_000), ("blocked_ms", 800)]
                    {
                        let values = sides.map(|own| f64::from(chance.below(most)) + 1_500.0 * own as f64);
                        metrics.push(name, values);
                    }
                    metrics.push("repeated_tries", sides.map(|_| f64::from(chance.below(4))));
                    // Only one of the strategies says what is false.
                    metrics.push("claims_true", sides.map(|own| 10.0 * own as f64));
                    metrics.push("claims_false", sides.map(|own| if own == 1 { 2.5 } else { 0.0 }));
                    matches.push(Played {
                        number,
                        set: format!("{first}-{second}/{set}"),
                        sides: sides.to_vec(),
                        places: Ranking::by_points(&Returns::new(&returns)).places().to_vec(),
                        returns: returns.to_vec(),
                        verdict: if chance.happens(0.02) { Verdict::Stall } else { Verdict::Normal },
                        at_fault: Vec::new(),
                        time_ms: 20_000 + u64::from(chance.below(20_000)),
                        metrics,
                        command: Some(format!("league replay examples.results {number}")),
                        failed: Vec::new(),
                    });
                }
            }
        }
    }
    matches
}

fn about() -> About {
    About {
        title: "Example & league".to_owned(),
        game: "project".to_owned(),
        played_by: "in process by league 0.1.0".to_owned(),
        seed: "7".to_owned(),
        entrants: NAMES.map(str::to_owned).to_vec(),
        sides: ["red", "blue"].map(str::to_owned).to_vec(),
        rounds_won: Vec::new(),
        scheduled: 0,
        resume: None,
    }
}

fn report(matches: &[Played]) -> Report {
    let about = About { scheduled: matches.len() as u64, ..about() };
    Report::new(about, matches, &Bootstrap { replicates: 200, ..Bootstrap::default() })
}

#[test]
fn a_report_is_easy_to_read() {
    insta::assert_snapshot!(report(&matches()).markdown());
}

#[test]
fn standings_can_be_read_by_programs() {
    let report = report(&matches());
    let csv = report.csv();
    let rows: Vec<&str> = csv.lines().collect();
    assert_eq!(rows.len(), 5, "{csv}");
    assert!(rows[1].starts_with("1,coordinated,"), "{csv}");
    assert!(rows.iter().all(|row| row.split(',').count() == 7), "{csv}");

    let json = report.json();
    assert_eq!((&json["format"], &json["version"]), (&"league-report".into(), &1.into()));
    let best = &json["entrants"][0];
    assert_eq!((&best["name"], &best["matches"]), (&"coordinated".into(), &360.into()));
    let against: u64 =
        ["won", "drawn", "lost"].map(|of| best["against"]["random"][of].as_u64().unwrap_or(0)).iter().sum();
    assert_eq!(against, 120);
    assert!(best["metrics"]["carrying_ms"].as_f64() > Some(2_000.0), "{best}");
}

/// Three matches of a game of turns with three sides, which the first entrant wins; and their report.
fn matches_of_three() -> ([Played; 3], Report) {
    let about = About {
        entrants: ["a", "b", "c"].map(str::to_owned).to_vec(),
        sides: ["red", "blue", "green"].map(str::to_owned).to_vec(),
        scheduled: 3,
        ..about()
    };
    let mut metrics = Metrics::new();
    metrics.push("coins", [1.0, 2.0, 3.0]);
    let won = |number: u64| Played {
        number,
        set: "1-2-3/1".to_owned(),
        sides: vec![0, 1, 2],
        places: vec![1, 2, 2],
        returns: vec![1, 0, 0],
        metrics: metrics.clone(),
        verdict: Verdict::Normal,
        time_ms: 0,
        ..matches().remove(0)
    };
    let matches = [1, 2, 3].map(won);
    let report = Report::new(about, &matches, &Bootstrap { replicates: 50, ..Bootstrap::default() });
    (matches, report)
}

/// In a match of three, one point for each side that did worse.
#[test]
fn points_are_those_of_the_standings() {
    let (_, report) = matches_of_three();
    let csv = report.csv();
    let points: Vec<&str> = csv.lines().skip(1).filter_map(|row| row.split(',').nth(5)).collect();
    assert_eq!(points, ["6", "1.5", "1.5"], "{csv}");
    let json = report.json();
    assert_eq!((&json["entrants"][0]["points"], report.markdown().contains("| 6.0 |")), (&6.0.into(), true));
    // The curves end at these points, less the half of the six that each could have won.
    let page = report.html();
    for (entrant, points) in [("a", "3.0"), ("b", "-1.5"), ("c", "-1.5")] {
        let end = format!(r#"{{"entrant":"{entrant}","match":3,"points":{points}}}"#);
        assert!(page.contains(&end), "{end}");
    }
}

/// The intervals are those of pairs of matches with changed sides.
#[test]
fn the_cross_table_promises_only_intervals_that_it_has() {
    let promise = "share of the points, its 95 % interval, and the number of matches";
    assert!(report(&matches()).markdown().contains(promise));
    let (_, report) = matches_of_three();
    let markdown = report.markdown();
    assert!(markdown.contains("share of the points and the number of matches"), "{markdown}");
    assert!(markdown.contains("| 100.0 %, 3 |"), "{markdown}");
}

#[test]
fn a_game_of_turns_has_no_game_time() {
    let (matches, report) = matches_of_three();
    let mut texts = vec![report.markdown()];
    texts.extend(report.site(&matches, &BTreeSet::new()).into_iter().map(|page| page.html));
    assert_eq!(texts.len(), 1 + 1 + 3 + 3);
    assert!(texts.iter().all(|text| !text.contains("game time") && !text.contains("0.0 s")), "{}", texts[0]);
    assert!(texts[0].contains("Worst losses") && texts[7].contains("The mean of a match of these two."));
}

/// The page needs no other files at any place, and no name in it becomes part of it.
#[test]
fn a_page_stands_alone() {
    let page = report(&matches()).html();
    assert!(!page.contains("my <b>bot"), "names are text");
    assert!(page.contains("my &lt;b&gt;bot&lt;/b&gt; | v2"));
    for needs in ["<script src", "<link", "<img", "@import", "url("] {
        let own = page.find("<script>").map(|scripts| &page[..scripts]);
        assert!(!own.is_some_and(|own| own.contains(needs)), "{needs}");
    }
    assert_eq!(page.matches("<script src").count(), 0);
    let specs: Vec<&str> = page
        .split("<script type=\"application/json\" class=\"spec\"")
        .skip(1)
        .map(|spec| {
            spec.split_once('>').map_or("", |(_, spec)| spec.split("</script>").next().unwrap_or_default())
        })
        .collect();
    assert_eq!(specs.len(), 4);
    for spec in specs {
        let spec: serde_json::Value = serde_json::from_str(spec).expect("a chart is JSON");
        assert!(!spec["data"]["values"].as_array().expect("a chart has data").is_empty());
    }
    assert_eq!(page.matches("<section>").count(), 6);
    // A region that scrolls by keyboard has a name.
    assert!(page.contains(r#"<div class="scroll" role="region" aria-label="Standings" tabindex="0">"#));
    // For a person who wants to see it.
    std::fs::write(concat!(env!("CARGO_TARGET_TMPDIR"), "/report.html"), page).expect("the folder is there");
}

#[test]
fn a_league_without_matches_has_a_report() {
    let empty = report(&[]);
    assert!(empty.markdown().contains("4 entrants, 0 matches of project"));
    assert!(empty.csv().lines().count() == 5);
    assert!(empty.html().contains("Standings"));
}

#[test]
fn a_knockout_is_won_by_rounds() {
    let report = |resume: Option<&str>| {
        let rounds_won = vec![1, 0, 0, 2];
        let about = About { rounds_won, resume: resume.map(str::to_owned), ..about() };
        Report::new(about, &matches(), &Bootstrap { replicates: 10, ..Bootstrap::default() })
    };
    let order = "entrants that have won more rounds come first, then those with the higher Elo.";
    let over = report(None);
    let ranked: Vec<String> = over.csv().lines().skip(1).map(|row| row[..8].to_owned()).collect();
    assert_eq!(ranked, ["1,random", "2,coordi", "3,greedy", "4,my <b>"]);
    assert!(over.markdown().contains(&format!("random has won the knockout; {order}")));
    assert!(report(Some("league resume n")).markdown().contains(&format!("A knockout: {order}")));
}

/// Each form of the report says it, and each page of the site.
#[test]
fn an_unfinished_league_says_so_and_how_to_go_on() {
    let matches = matches();
    let about =
        |resume: Option<&str>| About { scheduled: 1_000, resume: resume.map(str::to_owned), ..about() };
    let bootstrap = Bootstrap { replicates: 10, ..Bootstrap::default() };
    let report = Report::new(about(Some("league resume a_b")), &matches, &bootstrap);
    let text = "nfinished: 720 of 1,000 matches have been played; `league resume a_b` goes on";
    assert_eq!(report.unfinished().as_deref(), Some(&*format!("u{text}")));
    let marked = text.replace('`', "\\`").replace('_', "\\_");
    assert!(report.markdown().contains(&format!("**U{marked}.**")), "{:.500}", report.markdown());
    assert!(report.html().contains(&format!("U{text}.")));
    let pages = report.site(&matches, &BTreeSet::new());
    assert!(pages.len() > 5 && pages.iter().all(|page| page.html.contains(text)));
    let json = report.json();
    assert_eq!((&json["scheduled"], &json["is_finished"]), (&1_000.into(), &false.into()));
    // At its end it says nothing of the kind.
    let finished = Report::new(about(None), &matches, &bootstrap);
    assert!(!finished.markdown().contains("nfinished") && finished.unfinished().is_none());
    assert_eq!(finished.json()["is_finished"], true);
    let one = league::report::unfinished(1, 2, "league resume x");
    assert_eq!(one, "unfinished: 1 of 2 matches has been played; `league resume x` goes on");
}

#[test]
fn matches_that_count_for_nobody_change_no_rating() {
    let all = matches();
    let mut more = all.clone();
    // The other match of the set does not count either.
    for (played, verdict) in all.iter().zip([Verdict::Stopped, Verdict::Normal]) {
        let number = more.len() as u64 + 1;
        more.push(Played { number, set: "0-1/61".to_owned(), verdict, ..played.clone() });
    }
    let (before, after) = (report(&all).json(), report(&more).json());
    assert_eq!(before["entrants"][0]["elo"], after["entrants"][0]["elo"]);
    assert_eq!(before["entrants"][0]["matches"], after["entrants"][0]["matches"]);
    assert_eq!(after["matches"], 722);
}

/// A match that never began has no course: neither a report nor a site sends readers to its replay.
#[test]
fn matches_that_never_began_are_not_shown_as_losses() {
    let mut matches = matches();
    for played in &mut matches {
        played.verdict = Verdict::NeverJoined;
        played.command = None;
    }
    let report = report(&matches);
    assert!(report.matches_to_show(&matches).is_empty());
    let pages = report.site(&matches, &BTreeSet::new());
    assert!(
        !pages.iter().any(|page| page.html.contains("league replay") || page.html.contains("<code></code>"))
    );
    assert!(!report.markdown().contains("Worst losses"), "the table is empty");
}

#[test]
fn equal_leagues_have_equal_reports() {
    assert_eq!(report(&matches()).html(), report(&matches()).html());
}

/// The pages of a site lead to one another and to the replays that it has, and nowhere else.
#[test]
fn every_link_of_a_site_has_its_target() {
    let matches = matches();
    let report = report(&matches);
    let shown = report.matches_to_show(&matches);
    assert!(!shown.is_empty() && shown.iter().all(|number| *number <= matches.len() as u64), "{shown:?}");
    let without = *shown.first().unwrap();
    let replays = shown.iter().copied().filter(|number| *number != without).collect();
    let pages = report.site(&matches, &replays);

    let mut targets: BTreeSet<String> = pages.iter().map(|page| page.path.clone()).collect();
    assert_eq!(targets.len(), 1 + 4 + 6, "standings, entrants and pairings: {targets:?}");
    targets.extend(replays.iter().map(|number| replay_path(*number)));
    let mut linked = BTreeSet::from(["index.html".to_owned()]);
    for page in &pages {
        let up = if page.path.contains('/') { "../" } else { "" };
        for link in page.html.split("<a href=\"").skip(1) {
            let link = link.split('"').next().unwrap();
            let target = link.strip_prefix(up).unwrap_or_else(|| panic!("{}: {link}", page.path));
            assert!(targets.contains(target), "{}: {link}", page.path);
            linked.insert(target.to_owned());
        }
    }
    assert_eq!(linked, targets, "every page and every replay can be reached");
    assert!(!pages.iter().any(|page| page.html.contains("<b>bot</b>")), "names are text");
}

/// A table of the report in Markdown, by its title: the cells of its head and of its rows.
fn table(markdown: &str, title: &str) -> Vec<Vec<String>> {
    let (_, rest) = markdown.split_once(&format!("## {title}\n")).expect("the table is there");
    let lines =
        rest.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    let cells = |line: &str| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect();
    lines.filter(|line| !line.starts_with("|-")).map(cells).collect()
}

/// A match that crashed counts for both entrants, and its fault for one of them.
#[test]
fn failures_are_counted_for_the_entrant_at_fault() {
    let mut matches = matches();
    // The last entrant's program, on the second side, ends two matches; in a third one, its team plays on.
    for (number, played) in matches.iter_mut().filter(|own| own.sides == [1, 3]).take(3).enumerate() {
        played.metrics.push("crashed_programs", [0.0, 1.0]);
        if number < 2 {
            played.verdict = Verdict::Crash;
            played.at_fault = vec![1];
            played.failed = vec![Failed {
                side: 1,
                agent: "agent #4 (blue)".to_owned(),
                at: (number == 0).then(|| SimTime::from_millis(1_812)),
                how: "ended with exit code 1".to_owned(),
                last_line: "KeyError: <b>".to_owned(),
                log: "its program ended with exit code 1\nKeyError: <b>".to_owned(),
            }];
        }
    }
    let report = report(&matches);
    let endings = table(&report.markdown(), "How matches ended");
    let column = |head: &str| endings[0].iter().position(|cell| cell == head).expect("the column is there");
    let places = ["crash", "at fault", "crashed programs"].map(column);
    let row = |name: &str| {
        let row = endings.iter().find(|row| row[0].contains(name)).expect("the row is there");
        places.map(|place| row[place].clone())
    };
    assert_eq!(row("random"), ["2", "2", "3"]);
    assert_eq!(row("greedy"), ["2", "0", "0"]);
    assert_eq!(row("all matches"), ["2", "2", "3"]);
    let json = report.json();
    let at_fault: u64 =
        json["entrants"].as_array().unwrap().iter().map(|own| own["at_fault"].as_u64().unwrap()).sum();
    assert_eq!(at_fault, 2);
    let programs = table(&report.markdown(), "Programs that failed");
    assert_eq!(programs.len(), 1 + 2, "{programs:?}");
    let row = ["random", "agent #4 (blue)", "1.8 s", "ended with exit code 1", "KeyError: <b>"];
    assert_eq!(programs[1][..5].iter().map(|cell| cell.replace('\\', "")).collect::<Vec<_>>(), row);
    assert!(programs[2][2] == "before the game", "{programs:?}");
    let pages = report.site(&matches, &BTreeSet::new());
    let own = pages.iter().find(|page| page.path == "entrants/4.html").expect("the page is there");
    let number = &programs[1][5];
    let output =
        format!("<summary>match {number}, agent #4 (blue), 1.8 s: ended with exit code 1</summary>\n<pre>");
    assert!(own.html.contains(&output) && own.html.contains("KeyError: &lt;b&gt;</pre>"), "{output}");
    assert!(own.html.contains("<h2>Matches</h2>") && own.html.contains(">against</th>"));
    let other = pages.iter().find(|page| page.path == "entrants/1.html").expect("the page is there");
    assert!(!other.html.contains("failed</h2>"));
    let page = pages.iter().find(|page| page.path == "pairings/2-4.html").expect("the page is there");
    assert_eq!(page.html.matches("crash (random)").count(), 2);
    // Sides are called as in logs.
    assert!(page.html.contains("<td>red</td>") && page.html.contains("<td>blue</td>"));
}

/// Ratings that are almost 0 have no sign of their own, and the axis of matches has no halves.
#[test]
fn a_report_of_one_set_has_whole_numbers() {
    let one: Vec<Played> = matches().into_iter().filter(|own| own.set == "0-1/0").collect();
    assert_eq!(one.len(), 2);
    for turned in [false, true] {
        let mut one = one.clone();
        for (played, places) in one.iter_mut().zip([[1, 2], [1, 2]]) {
            played.places = if turned { vec![places[1], places[0]] } else { places.to_vec() };
        }
        let report = report(&one);
        for text in [report.markdown(), report.csv(), report.json().to_string()] {
            let zeros = ["−0 ", "-0.0,", "-0.0}"].map(|zero| text.contains(zero));
            assert_eq!(zeros, [false; 3], "{text}");
        }
        let page = report.html();
        assert!(!page.contains("-0.0"), "a chart has no -0");
        assert!(page.contains(r#""axis":{"format":",d","tickMinStep":1}"#));
    }
}
