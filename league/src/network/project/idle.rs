//! The times that agents were idle at the end of a game, for warnings: a program that hangs keeps its connection, so
//! that nothing else shows it.

use game_env::replay::{Playback, ReplayError};
use game_env::{Environment as _, SimTime, Witness};
use game_project::{Event, Penalties, State};

/// Returns for each agent, how long it could have sent a request at the end of the game and sent none. Agents that have
/// left were not idle.
pub(super) fn idle_times(replay: &[u8]) -> Result<Vec<SimTime>, ReplayError> {
    let mut playback = Playback::<State>::open(replay)?;
    let state = playback.state();
    let mut busy =
        Busy { until: vec![SimTime::START; state.agents()], penalties: state.config().penalties() };
    let end = playback.run(&mut busy)?.time.as_millis();
    let idle = |until: &SimTime| SimTime::from_millis(end.saturating_sub(until.as_millis()));
    Ok(busy.until.iter().map(idle).collect())
}

/// Until when each agent was locked by its last request, or when it sent that request.
struct Busy {
    until: Vec<SimTime>,
    penalties: Penalties,
}

impl Witness<State> for Busy {
    fn event(&mut self, now: SimTime, event: &Event) {
        let busy = match (event, event.request()) {
            (Event::Left { agent }, _) => Some((*agent, SimTime::from_millis(u64::MAX))),
            (_, Some((agent, _))) => {
                Some((agent, event.lock(now, self.penalties).map_or(now, |lock| lock.until)))
            }
            _ => None,
        };
        if let Some((agent, until)) = busy
            && let Some(own) = self.until.get_mut(agent.index())
        {
            own.advance((*own).max(until));
        }
    }
}

#[cfg(test)]
mod tests {
    use game_env::replay::Writer;
    use game_env::{AgentId, Disruption, Seed, Termination};
    use game_project::{Action, RawConfig};

    use super::*;

    #[test]
    fn an_agent_is_idle_while_it_could_act_and_does_not() {
        let config = RawConfig { team_size: 2, ..RawConfig::default() }.check().unwrap();
        let seed = Seed::new(5);
        let mut state = State::new(&config, seed);
        let mut writer = Writer::in_memory::<State>(&config, seed, "any", "tests");
        let at = SimTime::from_millis;
        let [first, second, lost] = [0, 1, 2].map(AgentId::new);
        for (now, agent) in [(1_000, first), (1_500, second), (9_000, second)] {
            writer.action(&state, at(now), agent, &Action::Discover);
            state.step(at(now), agent, Action::Discover, &mut ());
        }
        for (now, disruption) in
            [(9_500, Disruption::AgentLost(lost)), (10_000, Disruption::Ended(Termination::Stall))]
        {
            Witness::<State>::disruption(&mut writer, &state, at(now), disruption);
            state.disrupt(at(now), disruption, &mut ());
        }
        Witness::<State>::end(&mut writer, &state, at(10_000));
        let lock = u64::from(config.penalties().of(game_project::ActionKind::Discover).as_millis());
        let idle = idle_times(&writer.finish().unwrap()).unwrap();
        assert_eq!(idle, [at(9_000 - lock), at(1_000 - lock.min(1_000)), at(0), at(10_000)]);
    }
}
