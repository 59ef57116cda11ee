//! Eriantys as pictures: everything on the table but the order of the bag.
//!
//! Students are their counts in the order of [`Color::ALL`]. In entries islands and clouds have their numbers, from 1.

use game_env::{AgentId, TeamId};
use game_eriantys::{Action, Card, Color, Event, Exchange, Island, IslandId, Phase, Play, State, Students};
use serde_json::{Value, json};

use crate::picture::{Entry, Picture, Pictures, mover};
use crate::room::Shown;

/// All players are shown the whole table; nobody knows what the bag gives next.
impl Shown for State {
    type Feed = Pictures<Self>;
    const SHOWS_NO_SECRETS: bool = true;
}

impl Picture for State {
    /// `islands` are in the order of the ring, each with its place at the beginning (`first`) and the number of
    /// islands that it consists of (`size`); `motherNature` is a place in the list. `professors` has the owner of
    /// each. `does` has the effect of each card; it is sent once.
    fn picture(&self) -> Value {
        let mut picture = self.update();
        picture["does"] = self.table().cards().iter().map(|card| card.character.summary()).collect();
        picture
    }

    fn update(&self) -> Value {
        let table = self.table();
        let island = |id| {
            let Island { students, owner, towers, bans, first, size } = *table.island(id);
            json!({
                "students": students.counts(), "owner": owner, "towers": towers, "bans": bans, "first": first, "size": size,
                "influence": &table.influence(id)[..table.config.teams()],
            })
        };
        let school = |player: AgentId| {
            let school = table.school(player);
            json!({
                "entrance": school.entrance.counts(),
                "dining": school.dining.counts(),
                "hand": school.hand.iter().map(|assistant| assistant.value()).collect::<Vec<_>>(),
                "assistant": school.assistant.map(|assistant| json!([assistant.value(), assistant.steps()])),
                "coins": school.coins,
            })
        };
        let card = |card: &Card| {
            json!({
                "character": card.character.word(), "price": card.price(), "students": card.students.counts(),
                "bans": card.bans, "used": card.is_used,
            })
        };
        let (phase, left) = match table.phase {
            Phase::Planning => ("planning", 0),
            Phase::Students { left } => ("students", left),
            Phase::MotherNature => ("mother-nature", 0),
            Phase::Cloud => ("cloud", 0),
        };
        json!({
            "expert": table.config.is_expert(),
            "round": table.round,
            "lastRound": table.is_last_round,
            "phase": phase,
            "left": left,
            "mostSteps": table.most_steps(),
            "mover": mover(self),
            "order": table.in_order().map(AgentId::index).collect::<Vec<_>>(),
            "islands": table.island_ids().map(island).collect::<Value>(),
            "motherNature": table.mother_nature().index(),
            "bag": table.bag.counts(),
            "clouds": table.clouds().iter().map(|cloud| cloud.counts()).collect::<Vec<_>>(),
            "professors": Color::ALL.map(|color| table.professor(color).map(AgentId::index)),
            "schools": table.players().map(school).collect::<Value>(),
            "towers": table.config.towers(),
            "towersLeft": table.towers_left(),
            "cards": table.cards().iter().map(card).collect::<Value>(),
            "bank": table.bank,
        })
    }

    fn entry(event: &Event) -> Entry {
        let entry = |kind, agent, about| Entry { kind, agent, about };
        match *event {
            Event::Round { round, first } => entry("round", Some(first), json!({ "round": round })),
            Event::Filled { cloud, students } => {
                entry("filled", None, json!({ "cloud": cloud.number(), "students": students.counts() }))
            }
            Event::LastRound => entry("last-round", None, json!({})),
            Event::Assistant { player, assistant } => {
                let about = json!({ "value": assistant.value(), "steps": assistant.steps() });
                entry("assistant", Some(player), about)
            }
            Event::ToDining { player, color } => {
                entry("dining", Some(player), json!({ "color": color.word() }))
            }
            Event::ToIsland { player, color, island } => {
                entry("island", Some(player), json!({ "color": color.word(), "island": island.number() }))
            }
            Event::Coin(player) => entry("coin", Some(player), json!({})),
            Event::Professor { color, player } => {
                entry("professor", Some(player), json!({ "color": color.word() }))
            }
            Event::MotherNature { player, steps, island } => {
                entry("steps", Some(player), json!({ "steps": steps, "island": island.number() }))
            }
            Event::Lifted(island) => entry("lifted", None, json!({ "island": island.number() })),
            Event::Conquered { island, team, towers, from } => {
                let (team, from) = (team.index(), from.map(TeamId::index));
                let about =
                    json!({ "island": island.number(), "team": team, "towers": towers, "from": from });
                entry("conquered", None, about)
            }
            Event::Merged { island, gone } => {
                entry("merged", None, json!({ "island": island.number(), "gone": gone.number() }))
            }
            Event::Cloud { player, cloud, students } => {
                let about = json!({ "cloud": cloud.number(), "students": students.counts() });
                entry("cloud", Some(player), about)
            }
            Event::Character { player, play, price } => {
                let mut about = choices(play);
                about["price"] = json!(price);
                entry("character", Some(player), about)
            }
            Event::Refilled { character, color } => {
                entry("refilled", None, json!({ "character": character.word(), "color": color.word() }))
            }
            Event::Returned { player, students } => {
                entry("returned", Some(player), json!({ "students": students.counts() }))
            }
            Event::Refused { player, action, refusal } => {
                let about = json!({ "asked": asked(action), "why": refusal.word() });
                entry("refusal", Some(player), about)
            }
            Event::Over(ref outcome) => Entry::over(outcome),
        }
    }
}

/// Returns an action with the kind and the members that its event would have.
fn asked(action: Action) -> Value {
    match action {
        Action::Assistant(assistant) => json!({ "kind": "assistant", "value": assistant.value() }),
        Action::ToDining(color) => json!({ "kind": "dining", "color": color.word() }),
        Action::ToIsland(color, island) => {
            json!({ "kind": "island", "color": color.word(), "island": island.number() })
        }
        Action::Steps(steps) => json!({ "kind": "steps", "steps": steps }),
        Action::Cloud(cloud) => json!({ "kind": "cloud", "cloud": cloud.number() }),
        Action::Character(play) => {
            let mut about = choices(play);
            about["kind"] = json!("character");
            about
        }
    }
}

/// Returns a character with the choices of the player.
fn choices(play: Play) -> Value {
    let character = play.character().word();
    let on = |island: IslandId| json!({ "character": character, "island": island.number() });
    let of = |color: Color| json!({ "character": character, "color": color.word() });
    let swaps = |exchange: Exchange| {
        let [given, taken] = [exchange.given(), exchange.taken()].map(Students::counts);
        json!({ "character": character, "given": given, "taken": taken })
    };
    match play {
        Play::Monk(color, island) => {
            json!({ "character": character, "color": color.word(), "island": island.number() })
        }
        Play::Herald(island) | Play::Granny(island) => on(island),
        Play::Jester(exchange) | Play::Minstrel(exchange) => swaps(exchange),
        Play::MushroomHunter(color) | Play::Princess(color) | Play::Thief(color) => of(color),
        Play::Farmer | Play::Mailman | Play::Centaur | Play::Knight => json!({ "character": character }),
    }
}
