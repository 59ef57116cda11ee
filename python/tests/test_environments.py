"""Environments: the methods of PettingZoo and Gymnasium, arrays, masks, rewards, and the game that they play."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import warnings

import numpy as np
import players
import pytest
from players import GAMES, small

import project_game as pg

def choose(mask: np.ndarray, random: np.random.Generator) -> int:
    return int(random.choice(np.flatnonzero(mask)))


def play_parallel(env, seed: int, random: np.random.Generator, most: int = 100_000):
    """Plays at random; returns the rewards of each agent and the last step."""
    observations, _ = env.reset(seed=seed)
    total = dict.fromkeys(env.possible_agents, 0.0)
    for _ in range(most):
        actions = {
            name: choose(seen["action_mask"], random)
            for name, seen in observations.items()
            if seen["action_mask"].any()
        }
        observations, rewards, terminated, truncated, infos = env.step(actions)
        for name, reward in rewards.items():
            total[name] += reward
        if not env.agents:
            return total, terminated, truncated, infos
    raise AssertionError("the game does not end")


@pytest.mark.parametrize("game", GAMES)
def test_arrays_have_the_declared_shapes(game):
    env = pg.parallel_env(game, **small(game), seed=1)
    observations, _ = env.reset()
    layout = env.layout
    for name, seen in observations.items():
        assert env.observation_space(name).contains(seen)
        assert seen["vector"].shape == (len(layout["vector"]),)
        assert seen["action_mask"].shape == (len(layout["actions"]),)
        assert ("planes" in seen) == bool(layout["planes"])
    assert any(seen["action_mask"].any() for seen in observations.values())
    assert env.action_space(env.agents[0]).n == len(layout["actions"])


@pytest.mark.parametrize("game", GAMES)
def test_games_end_and_say_who_has_won(game):
    env = pg.parallel_env(game, **small(game), illegal="error")
    for seed in range(3):
        total, terminated, truncated, infos = play_parallel(env, seed, np.random.default_rng(seed))
        assert all(terminated.values()) and not any(truncated.values())
        info = infos[env.possible_agents[0]]
        assert info["termination"] == "normal"
        for name, reward in total.items():
            won = 0 if "winner" not in info else 1 if env.teams[name] == info["winner"] else -1
            assert reward == won


@pytest.mark.parametrize("game", GAMES)
def test_both_kinds_of_environments_play_one_game(game):
    """The game is decided by the choices, in whatever environment they are made."""
    env, aec = pg.parallel_env(game, **small(game)), pg.env(game, **small(game))
    for seed in range(2):
        random = np.random.default_rng(seed)
        observations, _ = env.reset(seed=seed)
        aec.reset(seed=seed)
        while env.agents:
            assert env.state_hash() == aec.state_hash()
            actions = {
                name: choose(seen["action_mask"], random)
                for name, seen in observations.items()
                if seen["action_mask"].any()
            }
            moment = aec.now_ms
            observations, _, _, _, infos = env.step(actions)
            for _ in range(sum(info["served"] for info in infos.values())):
                assert aec.now_ms == moment
                aec.step(actions[aec.agent_selection])
        assert all(aec.terminations.values())
        assert env.state_hash() == aec.state_hash()


def test_the_project_game_is_asynchronous():
    """A discovery takes longer than a move: the agent is asked again later, and masks say so."""
    env = pg.parallel_env("project", preset="quick", seed=7)
    observations, _ = env.reset()
    move, discover = env.layout["actions"].index("move N"), env.layout["actions"].index("discover")
    south = env.layout["actions"].index("move S")
    asked = {name: 0 for name in env.agents}
    for _ in range(40):
        actions = {}
        for name, seen in observations.items():
            if seen["action_mask"].any():
                asked[name] += 1
                moves = [action for action in (move, south) if seen["action_mask"][action]]
                actions[name] = discover if name == "agent_0" else moves[0]
        observations, *_ = env.step(actions)
    assert asked["agent_0"] * 3 < asked["agent_1"], asked
    assert env.now_ms > 0


def test_rewards_are_configurable():
    env = pg.env("dots", rows=2, cols=3, rewards=(0.0, 1.0), seed=3)
    env.reset()
    total = dict.fromkeys(env.possible_agents, 0.0)
    random = np.random.default_rng(1)
    for _ in env.agent_iter():
        observation, _, terminated, truncated, info = env.last()
        if terminated or truncated:
            points = info["points"]
            env.step(None)
            continue
        env.step(choose(observation["action_mask"], random))
        for name, reward in env.rewards.items():
            total[name] += reward
    assert total == {"agent_0": points[0] - points[1], "agent_1": points[1] - points[0]}


@pytest.mark.parametrize("opponent", ["greedy", players.AtRandom])
def test_opponents_decide_for_themselves(opponent):
    env = pg.parallel_env("dots", opponents=opponent, seed=1)
    assert env.possible_agents == ["agent_0"]
    total, terminated, _, infos = play_parallel(env, 1, np.random.default_rng(1))
    assert terminated == {"agent_0": True} and abs(total["agent_0"]) == 1
    other = pg.parallel_env("dots", opponents=[opponent, None], seed=1)
    assert other.possible_agents == ["agent_1"]


@pytest.mark.parametrize("game", GAMES)
def test_the_same_choices_are_the_same_match(game):
    """The choices of classes in a match, made again in an environment, lead to the same state."""
    choices = []

    class Recorder(pg.Strategy):
        def act(self, view):
            # The environment answers the own team as a match does.
            possible = [option for option in view.options if not option.startswith("answer")]
            choices.append((view.agent, view.chance.choice(possible)))
            return choices[-1][1]

    teams = pg.games()[game].team_count(**small(game))
    for seed in range(3):
        choices.clear()
        match = pg.play(*[Recorder] * teams, game=game, **small(game), seed=seed)
        assert match.termination == "normal"
        env = pg.env(game, **small(game))
        env.reset(seed=seed)
        for agent, choice in choices:
            assert env.agent_selection == f"agent_{agent}"
            env.step(env.layout["actions"].index(choice))
        assert all(env.terminations.values())
        assert f"{env.state_hash():016x}" == match.record["hash"]


def test_steps_are_limited():
    env = pg.parallel_env("project", preset="quick", max_steps=5, seed=1)
    observations, _ = env.reset()
    for step in range(1, 6):
        actions = {name: 0 for name, seen in observations.items() if seen["action_mask"].any()}
        observations, _, terminated, truncated, _ = env.step(actions)
        assert set(truncated.values()) == {step == 5} and not any(terminated.values())
    assert env.agents == [] and not any(seen["action_mask"].any() for seen in observations.values())


@pytest.mark.parametrize("make", [pg.parallel_env, pg.env, pg.gym_env])
def test_environments_with_seeds_side_by_side_play_different_games(make):
    def hashes(seed, games):
        env = make("project", preset="quick")
        for game in range(games):
            env.reset(seed=seed if game == 0 else None)
            yield env.state_hash()

    found = [number for seed in range(4) for number in hashes(seed, 6)]
    assert len(set(found)) == 24
    assert list(hashes(2, 6)) == found[12:18], "the seed decides the later games too"
    other = make("project", preset="quick", seed=2)
    other.reset()
    assert other.state_hash() == found[12]


def test_seeds_follow_each_other():
    env = pg.parallel_env("project", preset="quick", seed=5)
    first, _ = env.reset()
    second, _ = env.reset()
    again, _ = env.reset(seed=5)
    where = [[seen[name]["vector"][1:3].tolist() for name in sorted(seen)] for seen in (first, second, again)]
    assert where[0] == where[2] != where[1]


def test_a_wait_lets_time_pass():
    env = pg.env("project", preset="quick", seed=1)
    env.reset()
    assert env.layout["actions"][0] == "wait"
    for _ in range(8):
        env.step(0)
    assert env.now_ms == 200, "a wait is as long as a move: 100 ms on this board"


def test_the_whole_board_has_the_shape_of_its_configuration():
    env = pg.parallel_env("project", preset="quick", observation="board", seed=7)
    window = pg.parallel_env("project", preset="quick", seed=7)
    assert env.layout["planes"] == [*window.layout["planes"], "1: the agent itself stands there"]
    observations, _ = env.reset()
    for name, seen in observations.items():
        assert seen["planes"].shape == (10, 14, 8) and env.observation_space(name).contains(seen)
        column, row = seen["vector"][1:3].astype(int)
        # The first row is in the north.
        assert np.argwhere(seen["planes"][9]).tolist() == [[13 - row, column]]
        assert seen["planes"][0].all(), "every field is on the board"
        own, other = (0, 13) if env.teams[name] == 0 else (13, 0)
        assert seen["planes"][1, own].all() and seen["planes"][2, other].all()
    # The distance on the own field, after a discovery.
    discover = env.layout["actions"].index("discover")
    observations, *_ = env.step(dict.fromkeys(env.agents, discover))
    for seen in observations.values():
        known, distance = (seen["vector"][env.layout["vector"].index(text)] for text in (
            "1: the distance below is known",
            "distance from here to the nearest piece in moves",
        ))
        assert known == 1 and seen["planes"][5][seen["planes"][9] == 1] == distance + 1
    assert pg.gym_env("project", preset="quick", observation="board").observation_space["planes"].shape == (10, 14, 8)
    aec = pg.env("project", preset="quick", observation="board", seed=7)
    aec.reset()
    assert aec.last()[0]["planes"].shape == (10, 14, 8)
    vec = pg.vector_env("project", preset="quick", observation="board", num_envs=3, seed=7)
    observation, _ = vec.reset()
    assert observation["planes"].shape == (3, 10, 14, 8) and vec.observation_space.contains(observation)
    assert observation["planes"][:, 9].sum(axis=(1, 2)).tolist() == [1, 1, 1]


def check_told(seen, notices, layout, before):
    """What an agent was told leads to its place and its hand; returns them."""
    place, hand = before
    for notice in notices:
        if notice["type"] == "moved":
            place = notice["to"]
        elif notice["type"] in ("put", "destroyed"):
            hand = "empty"
        elif notice["type"] == "picked-up":
            hand = "unchecked"
        elif notice["type"] == "checked":
            hand = "empty" if notice["sham"] else "real"
    numbers = dict(zip(layout["vector"], seen["vector"]))
    at = [int(numbers["column, from the west"]), int(numbers["row, from the south"])]
    assert at == (place or at)
    assert numbers["1: the hand holds a real piece"] == (hand == "real")
    assert numbers["1: the hand holds a piece that can be a sham"] == (hand == "unchecked")
    return at, hand


def test_notices_are_what_an_agent_was_told_since_its_last_decision():
    env = pg.parallel_env("project", preset="quick", observation="notices", seed=7)
    assert env.layout["planes"] == []
    random = np.random.default_rng(3)
    observations, infos = env.reset()
    assert all(info["notices"] == [] for info in infos.values())
    told = {name: (None, "empty") for name in env.agents}
    kinds, locked = set(), 0
    for _ in range(1500):
        actions = {}
        for name, seen in observations.items():
            assert env.observation_space(name).contains(seen) and seen.keys() == {"vector", "action_mask"}
            notices = infos[name]["notices"]
            if seen["action_mask"].any():
                told[name] = check_told(seen, notices, env.layout, told[name])
                kinds |= {notice["type"] for notice in notices}
                actions[name] = choose(seen["action_mask"], random)
            else:
                locked += bool(notices)
        observations, _, _, _, infos = env.step(actions)
        if not env.agents:
            observations, infos = env.reset()
            told = {name: (None, "empty") for name in env.agents}
    assert kinds >= {"moved", "discovered", "picked-up", "put", "checked", "asked", "answered", "move-refused"}
    assert locked > 100, "an agent that waits behind the cost of an action was told its result"


@pytest.mark.parametrize("make", [pg.env, pg.gym_env])
def test_notices_are_in_the_infos_of_one_decision_after_the_other(make):
    env = make("project", **small("project"), observation="notices", seed=4)
    random = np.random.default_rng(4)
    told, agents, over = {}, [], False
    first = env.reset()
    while not over:
        if make is pg.env:
            agent = env.agent_selection
            observation, _, terminated, _, info = env.last()
        else:
            observation, info = first if not agents else (step[0], step[4])
            agent, terminated = info["agent"], bool(agents) and step[2]
        if over := terminated:
            assert info["termination"] == "normal" and "notices" in info
            break
        agents.append(agent)
        told[agent] = check_told(observation, info["notices"], env.layout, told.get(agent, (None, "empty")))
        step = env.step(choose(observation["action_mask"], random))
    assert len(set(agents)) > 1 and len(agents) > 20


@pytest.mark.parametrize("game", GAMES)
def test_other_games_have_one_observation(game):
    if game == "project":
        return
    seen = []
    for observation in ("knowledge", "readings", "board"):
        observations, _ = pg.parallel_env(game, **small(game), observation=observation, seed=1).reset()
        seen.append([array.tolist() for arrays in observations.values() for array in arrays.values()])
    assert seen[0] == seen[1] == seen[2]
    with pytest.raises(ValueError, match=f"the game {game} has no notices"):
        pg.gym_env(game, **small(game), observation="notices")


VARIANTS = [*[(game, {}) for game in GAMES], *[("project", {"observation": name}) for name in ("readings", "board", "notices")]]


@pytest.mark.parametrize(("game", "observation"), VARIANTS)
def test_pettingzoo(game, observation):
    pytest.importorskip("pettingzoo")
    from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

    def parallel(**settings):
        return pg.parallel_env(game, **small(game), **observation, illegal="random", **settings)

    def aec(**settings):
        return pg.env(game, **small(game), **observation, illegal="random", **settings)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parallel_api_test(parallel(), num_cycles=500)
        api_test(aec(), num_cycles=200)
        seed_test(aec, num_cycles=50)
        parallel_seed_test(parallel, num_cycles=100)


@pytest.mark.parametrize(("game", "observation"), VARIANTS)
def test_gymnasium(game, observation):
    pytest.importorskip("gymnasium")
    from gymnasium.utils.env_checker import check_env

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        env = pg.gym_env(game, **small(game), **observation, opponent="random", illegal="random")
        check_env(env, skip_render_check=True)


def test_the_environments_of_gymnasium_play_beyond_a_draw():
    gymnasium = pytest.importorskip("gymnasium")

    def make():
        return pg.gym_env("dots", rows=3, cols=3, illegal="random", opponent="random")

    vec = gymnasium.vector.SyncVectorEnv([make] * 8)
    vec.reset(seed=1)
    vec.action_space.seed(1)
    has_winner, is_over = 0, 0
    for _ in range(200):
        _, _, terminated, _, infos = vec.step(vec.action_space.sample())
        is_over += int(terminated.sum())
        has_winner += int(infos["_winner"].sum()) if "_winner" in infos else 0
    assert 0 < has_winner < is_over


HIDDEN = """
import sys
sys.modules["gymnasium"] = sys.modules["pettingzoo"] = None
import numpy as np, project_game as pg

one, vec, parallel, aec = (
    pg.gym_env("project", preset="quick", seed=1),
    pg.vector_env("dots", num_envs=2, seed=1),
    pg.parallel_env("dots", seed=1),
    pg.env("dots", seed=1),
)
assert one.observation_space.__class__.__module__ == "project_game.spaces"
mask = np.zeros(one.action_space.n, np.int8)
mask[3] = 1
for env in (one, vec, parallel, aec):
    agent = () if env in (one, vec) else ("agent_0",)
    spaces = [env.observation_space, env.action_space]
    for space in [space(*agent) if agent else space for space in spaces]:
        space.seed(7)
        first = space.sample()
        assert first in space and space.contains(first) and "agent_0" not in space
        space.seed(7)
        again = space.sample()
        for name in first if isinstance(first, dict) else []:
            own = space[name]
            assert np.array_equal(first[name], again[name]) and first[name] in own
            assert own.shape == first[name].shape and own.dtype == first[name].dtype
            assert np.all(own.low <= first[name]) and np.all(first[name] <= own.high) and np.ptp(first[name]) > 0
        if not isinstance(first, dict):
            assert np.array_equal(first, again)
            assert space.shape == first.shape and space.dtype == first.dtype == np.int64
    assert env.unwrapped is env and not hasattr(env, "np_random")
assert one.action_space.sample(mask) == 3 and one.action_space.sample(np.zeros(9, np.int8)) == 0
assert 3 in one.action_space and -1 not in one.action_space and one.action_space.n not in one.action_space
masks = (np.eye(40, dtype=np.int8)[5], np.eye(40, dtype=np.int8)[6])
assert vec.action_space.sample(masks).tolist() == [5, 6]
assert np.array([5, 40]) not in vec.action_space and np.array([5.0, 6.0]) not in vec.action_space
assert one.spec is vec.spec is None
with one as env:
    observation, _ = env.reset(seed=1)
    assert observation in env.observation_space
    env.step(env.action_space.sample(observation["action_mask"]))
try:
    one.reset()
except RuntimeError:
    pass
else:
    raise AssertionError("the environment is open")
assert vec.metadata["autoreset_mode"] == "NextStep"
observation, _ = vec.reset()
assert observation in vec.observation_space
vec.step(vec.action_space.sample(tuple(observation["action_mask"])))
assert not vec.closed
vec.close()
assert vec.closed
for env in (parallel, aec):
    assert (env.num_agents, env.max_num_agents) == (0, 2)
    env.reset()
    assert (env.num_agents, env.max_num_agents) == (2, 2)
parallel.step({aec.agent_selection: 3})
aec.step(3)
"""


def test_there_are_stand_ins_without_the_packages():
    done = subprocess.run([sys.executable, "-c", HIDDEN], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_pettingzoo_hears_that_the_agents_do_not_act_in_turn():
    pytest.importorskip("pettingzoo")
    from pettingzoo.utils import aec_to_parallel

    with pytest.raises(AssertionError, match="is_parallelizable"):
        aec_to_parallel(pg.env("dots"))


def test_a_gymnasium_environment_plays_against_an_opponent():
    env = pg.gym_env("dots", opponent="greedy", seed=3)
    random = np.random.default_rng(3)
    observation, info = env.reset()
    assert info.keys() == {"agent", "team_rewards"} and info["agent"] == 0
    over = False
    while not over:
        observation, reward, terminated, truncated, info = env.step(choose(observation["action_mask"], random))
        over = terminated or truncated
    assert terminated and reward == {0: 1.0, 1: -1.0, None: 0.0}[info.get("winner")]
    assert info["team_rewards"].tolist() == [reward, -reward]


@pytest.mark.parametrize("game", GAMES)
def test_a_gymnasium_environment_rewards_every_team(game):
    """Without an opponent, the last decision of a game rewards the teams of all others too."""
    env = pg.gym_env(game, **small(game), rewards=(1.0, 0.5), seed=3)
    random = np.random.default_rng(4)
    for _ in range(2):
        observation, info = env.reset()
        assert info["team_rewards"].tolist() == [0.0] * (max(env.teams.values()) + 1)
        over = False
        while not over:
            agent = info["agent"]
            observation, reward, over, _, info = env.step(choose(observation["action_mask"], random))
            assert info["team_rewards"][env.teams[f"agent_{agent}"]] == reward
        rewards = info["team_rewards"]
        assert rewards.dtype == np.float32 and (max(rewards) > 0 > min(rewards) or not any(rewards))


@pytest.mark.parametrize("observation", ["readings", "knowledge"])
def test_actions_of_agents_that_are_not_due_do_not_count(observation):
    """One environment gets actions of all agents, another only those that the masks ask for: both play the same."""

    def played(seed, fills):
        env = pg.parallel_env("project", preset="quick", observation=observation, max_steps=300, seed=seed)
        observations, _ = env.reset()
        random = np.random.default_rng(seed)
        while env.agents:
            masks = {name: seen["action_mask"] for name, seen in observations.items()}
            chosen = {name: choose(mask, random) for name, mask in masks.items() if mask.any()}
            dummies = {name: 0 for name in env.agents if name not in chosen} if fills else {}
            observations, _, _, _, infos = env.step(chosen | dummies)
            assert not any(infos[name]["served"] for name in dummies)
            yield env.state_hash()

    for seed in range(5):
        assert list(played(seed, True)) == list(played(seed, False))


def test_a_game_that_is_over_before_the_first_decision_is_not_shown():
    """The first player of Conveyor may come home with its first step."""
    env = pg.gym_env("conveyor", columns=1, rows=3, conveyors=0, opponents=["random", None])
    vec = pg.vector_env("conveyor", columns=1, rows=3, conveyors=0, opponents=["random", None], num_envs=50, seed=1)
    assert all(env.reset(seed=seed)[0]["action_mask"].any() for seed in range(50))
    observations, _ = vec.reset()
    assert observations["action_mask"].any(axis=1).all()


def test_a_configuration_in_which_nobody_is_asked_is_refused():
    env = pg.gym_env("bricks", size=3, filled=9, opponents=["greedy", None])
    with pytest.raises(ValueError, match="ended before an agent that is decided for from outside was asked"):
        env.reset(seed=1)


def next_step(env, shown, random):
    """A step at random, for an environment that shows this."""
    if isinstance(env, pg.environments.ParallelEnvironment):
        masks = {name: seen["action_mask"] for name, seen in shown[0].items()}
        return {name: choose(mask, random) for name, mask in masks.items() if mask.any()}
    return choose(shown[0]["action_mask"], random)


def look(env, shown):
    """What an environment shows after a call that has returned this."""
    return env.last() if isinstance(env, pg.environments.AecEnvironment) else shown


def is_over(shown):
    return any(any(end.values()) if isinstance(end, dict) else end for end in shown[2:4])


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("make", [pg.parallel_env, pg.env, pg.gym_env])
@pytest.mark.parametrize("repeat", [copy.deepcopy, copy.copy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_goes_on_with_the_same_game(game, make, repeat):
    env = make(game, **small(game), opponents=[None, players.First], rewards=(1, 0.5), seed=5)
    other = repeat(env)
    shown = look(env, env.reset())
    np.testing.assert_equal(look(other, other.reset())[0], shown[0])
    random = np.random.default_rng(7)
    for _ in range(6):
        other = repeat(env)
        step = next_step(env, shown, random)
        shown = look(env, env.step(step))
        np.testing.assert_equal(look(other, other.step(step)), shown)
        assert (other.state_hash(), other.now_ms) == (env.state_hash(), env.now_ms)
        if is_over(shown):
            break
    # The next game is the same as well.
    other = repeat(env)
    env.reset()
    other.reset()
    assert other.state_hash() == env.state_hash()


def test_an_action_can_be_changed_in_place_afterwards():
    gym = pg.gym_env("dots", rows=3, cols=3, opponent="greedy", seed=1)
    parallel = pg.parallel_env("dots", rows=3, cols=3, seed=1)
    buffer = np.array(0)
    mask = gym.reset()[0]["action_mask"]
    for _ in range(2):
        buffer[...] = np.flatnonzero(mask)[0]
        mask = gym.step(buffer)[0]["action_mask"]
    parallel.reset()
    buffer[...] = 0
    parallel.step({agent: buffer for agent in parallel.agents})
    buffer[...] = 99
    for env in (gym, parallel):
        assert copy.deepcopy(env).state_hash() == env.state_hash()


def test_a_copy_changes_nothing_in_its_original():
    env = pg.gym_env("dots", seed=1)
    shown = env.reset()
    before = env.state_hash()
    other = copy.deepcopy(env)
    other.step(choose(shown[0]["action_mask"], np.random.default_rng(1)))
    assert env.state_hash() == before != other.state_hash()
    other.reset()
    assert env.state_hash() == before
