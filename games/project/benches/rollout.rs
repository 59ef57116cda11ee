//! Criterion benches of the rules, to compare one change with another on one machine:
//! `cargo bench -p game-project --bench rollout -- --save-baseline before`, then `--baseline before`.
//!
//! For the table with ratios see `cargo xtask bench rules`.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use game_env::{AgentId, Environment, Limits, Rollout, Seed};
use game_project::nearest::{Index, Pieces};
use game_project::policy::Random;
use game_project::{Piece, RawConfig, State};

const BOARDS: [(&str, i64, i64); 3] = [
    ("40x40, 10 pieces", 40, 10),
    ("1000x1000, 1000 pieces", 1000, 1_000),
    ("1000x1000, 100000 pieces", 1000, 100_000),
];

fn config(side: i64, pieces: i64, team_size: i64) -> game_project::Config {
    let raw = RawConfig {
        board_x: side,
        board_y: side,
        number_of_pieces: pieces,
        team_size,
        ..RawConfig::default()
    };
    raw.check().expect("the benches' boards can be played")
}

fn rollouts(criterion: &mut Criterion) {
    const STEPS: u64 = 10_000;
    let mut group = criterion.benchmark_group("rollout");
    group.throughput(Throughput::Elements(STEPS));
    for (board, side, pieces) in BOARDS {
        for team_size in [2, 16] {
            let config = config(side, pieces, team_size);
            let seed = Seed::new(1);
            let limits = Limits { steps: STEPS, ..Limits::default() };
            let rollout = Rollout { limits, ..Rollout::default() };
            group.bench_function(format!("{board}, {} agents", 2 * team_size), |bencher| {
                bencher.iter_batched(
                    || {
                        let state = State::new(&config, seed);
                        let policies: Vec<Random> =
                            AgentId::all(state.agents()).map(|agent| Random::new(seed, agent)).collect();
                        (state, policies)
                    },
                    |(mut state, mut policies)| rollout.play(&mut state, &mut policies, &mut ()),
                    BatchSize::LargeInput,
                );
            });
        }
    }
}

fn setups(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("set-up");
    for (board, side, pieces) in BOARDS {
        let config = config(side, pieces, 2);
        let mut number = 0;
        group.bench_function(board, |bencher| {
            bencher.iter(|| {
                number += 1;
                State::new(&config, Seed::new(number))
            });
        });
    }
}

fn nearest(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("nearest");
    for (board, side, pieces) in BOARDS {
        let config = config(side, pieces, 2);
        let geometry = config.geometry();
        let mut chance = Seed::new(1).game();
        let mut index = Index::new(geometry, config.pieces());
        for _ in 0..config.pieces() {
            let field = geometry.goal_fields() + chance.below(geometry.task_fields());
            index.lay(geometry.position(field), Piece::Real);
        }
        group.bench_function(format!("move, {board}"), |bencher| {
            bencher.iter(|| index.nearest(geometry.position(chance.below(geometry.fields()))));
        });
        group.bench_function(format!("discover, {board}"), |bencher| {
            bencher.iter(|| index.around(geometry.position(chance.below(geometry.fields()))));
        });
    }
}

criterion_group!(benches, rollouts, setups, nearest);
criterion_main!(benches);
