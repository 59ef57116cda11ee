"""Whatever goes wrong is a clear exception of Python, and the interpreter never crashes."""

from __future__ import annotations

import copy
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import players
import pytest

import project_game as pg
import project_game.environments


def test_an_exception_of_a_strategy_is_raised_again():
    with pytest.raises(KeyError, match="the strategy has a mistake"):
        pg.play(players.Raises, "greedy", game="dots", seed=1)
    with pytest.raises(KeyError, match="the strategy has a mistake"):
        pg.compare(players.Raises, "greedy", game="dots", games=50)
    with pytest.raises(TypeError, match="act returned 3.5"):
        pg.play(players.Nonsense, "greedy", preset="quick", seed=1)
    env = pg.parallel_env("dots", opponents=players.Raises, seed=1)
    with pytest.raises(KeyError):
        for _ in range(20):
            env.reset()
            env.step({"agent_0": 0})
    env = pg.parallel_env("dots", opponents="random", seed=1)
    env.reset()


def test_an_opponent_that_fails_before_the_first_decision_fails_once():
    made = []

    class Counted(players.Raises):
        def __init__(self):
            made.append(self)

    env = pg.gym_env("bricks", opponents=[Counted, None])
    with pytest.raises(KeyError, match="the strategy has a mistake"):
        env.reset(seed=1)
    assert len(made) == 1


def test_a_program_that_cannot_begin_is_an_exception(tmp_path):
    agent = tmp_path / "agent.py"
    agent.write_text("print('no bracket'\n")
    command = f"{sys.executable} {agent}"
    with pytest.raises(ValueError, match="(?s)ended with exit code 1.*SyntaxError"):
        pg.play(command, "greedy", game="dots", seed=1)
    with pytest.raises(ValueError, match="SyntaxError"):
        pg.compare(command, "greedy", game="dots", games=50)
    env = pg.parallel_env("dots", opponents=command, seed=1)
    with pytest.raises(ValueError, match="SyntaxError"):
        for _ in range(20):
            env.reset()
            env.step({"agent_0": 0})


def test_an_impossible_action_of_a_class_loses_the_game():
    match = pg.play(players.Impossible, "random", game="dots", seed=1)
    assert match.termination == "illegal" and match.winner == 1
    assert "fly" in match.blunders[0]
    assert str(match).endswith(f"({match.termination}, 1 blunder)")


def test_a_class_with_a_faulty_constructor_raises():
    class Faulty(pg.Strategy):
        def __init__(self):
            raise OSError("no model here")

    with pytest.raises(OSError, match="no model here"):
        pg.play(Faulty, "random", game="dots", seed=1)


def test_two_classes_of_one_name_are_told_apart():
    def make(choice):
        class Same(pg.Strategy):
            def act(self, view):
                return view.options[choice]

        return Same

    with pytest.raises(ValueError, match="expected two names"):
        pg.play(make(0), make(-1), game="dots")


def test_a_view_names_its_parts():
    class Wrong(pg.Strategy):
        def act(self, view):
            return view.bord

    with pytest.raises(AttributeError, match="no `bord`; parts of the observation: .*boxes"):
        pg.play(Wrong, "random", game="dots", seed=1)


@pytest.mark.parametrize("action", [-1, 40, 10**6, 2**63, -(2**70), np.uint64(2**63)])
@pytest.mark.parametrize("make", [pg.parallel_env, pg.env, pg.gym_env])
def test_no_action_has_the_number(make, action):
    env = make("dots", seed=1)
    env.reset()
    before = env.state_hash()
    with pytest.raises(ValueError, match=rf"^action {action}: expected a number from 0 to 39$"):
        env.step(dict.fromkeys(env.agents, action) if make is pg.parallel_env else action)
    assert env.state_hash() == before


def test_masked_actions_change_nothing():
    env = pg.env("dots", seed=1)
    env.reset()
    env.step(3)
    before = env.state_hash()
    with pytest.raises(ValueError, match="cannot choose action 3, `3-4`"):
        env.step(3)
    assert env.state_hash() == before
    vec = pg.vector_env("dots", num_envs=3, seed=1)
    observation, _ = vec.reset()
    vec.step(np.array([0, 1, 2]))
    with pytest.raises(ValueError, match="environment 1: .*cannot choose action 1"):
        vec.step(np.array([1, 1, 1]))
    vec.step(np.array([1, 2, 3]))


def test_actions_have_one_shape_and_type():
    vec = pg.vector_env("dots", num_envs=3, seed=1)
    with pytest.raises(RuntimeError, match="reset"):
        vec.step(np.zeros(3, np.int64))
    vec.reset()
    for actions, told in [
        (np.zeros(2, np.int64), r"expected \(3,\)"),
        (np.zeros((3, 1), np.int64), r"expected \(3,\)"),
        (np.zeros(3), "expected whole numbers"),
        ("abc", "expected whole numbers"),
    ]:
        with pytest.raises(ValueError, match=told):
            vec.step(actions)
    vec.step(np.array([0, 1, 2], np.int8))
    vec.step([3, 4, 5])
    with pytest.raises((TypeError, OverflowError, ValueError)):
        vec._native.step(np.zeros(3), vec._arrays)
    with pytest.raises(ValueError, match="expected 3 times"):
        arrays = list(vec._arrays)
        arrays[0] = np.zeros((3, 1), np.uint8)
        vec._native.step(np.array([6, 7, 8]), tuple(arrays))


def test_actions_of_agents_are_checked():
    env = pg.parallel_env("project", preset="quick", seed=1)
    with pytest.raises(RuntimeError, match="reset"):
        env.step({})
    env.reset()
    with pytest.raises(ValueError, match="no action for agent_"):
        env.step({})
    with pytest.raises(ValueError, match="no agent 'agent_9'"):
        env.step({"agent_9": 0})
    aec = pg.env("dots", seed=1)
    for call in (aec.last, lambda: aec.step(0)):
        with pytest.raises(RuntimeError, match="no game is played: call `reset`"):
            call()
    aec.reset()
    with pytest.raises(ValueError, match="it is to decide"):
        aec.step(None)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"game": "chess"}, "no game `chess`"),
        ({"preset": "huge"}, "unknown preset"),
        ({"opponents": "gredy"}, "did you mean"),
        ({"opponents": ["greedy", "greedy"]}, "expected None for at least one team"),
        ({"opponents": [None]}, "1 line-ups"),
        ({"illegal": "ignore"}, 'expected "error" or "random"'),
        ({"observation": "all"}, "expected `knowledge`, `readings`, `board` or `notices`"),
        ({"observation": "notices"}, "the game dots has no notices"),
        ({"max_steps": 0}, "expected 1 or more"),
        ({"render_mode": "human"}, "expected None"),
        ({"rows": 1}, "rows"),
    ],
)
def test_a_fault_of_an_environment_is_named(settings, told):
    arguments = {"game": "dots", **settings}
    with pytest.raises(ValueError, match=told):
        pg.parallel_env(**arguments)


def test_a_closed_environment_says_so():
    env = pg.parallel_env("dots", seed=1)
    env.reset()
    env.close()
    with pytest.raises(RuntimeError):
        env.step({"agent_0": 0})
    with pytest.raises(RuntimeError, match="closed"):
        env.reset()
    vec = pg.vector_env("dots", num_envs=2)
    vec.reset()
    vec.close()
    with pytest.raises(RuntimeError, match="closed"):
        vec.step(np.zeros(2, np.int64))


def test_vector_environments_cannot_be_copied():
    for repeat in (copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="cannot be copied or pickled"):
            repeat(pg.vector_env("dots", num_envs=1))


def test_a_game_that_cannot_be_repeated_is_not_copied():
    env = pg.gym_env("dots", rows=3, cols=3, opponent=players.Moody, seed=1)
    observation, _ = env.reset()
    for _ in range(2):
        observation, *_ = env.step(int(np.flatnonzero(observation["action_mask"])[0]))
    with pytest.raises(RuntimeError, match="cannot be repeated"):
        copy.deepcopy(env)


def test_results_can_be_pickled():
    match = pg.play("greedy", "random", game="dots", seed=1, replay=True)
    again = pickle.loads(pickle.dumps(match))
    assert again == match and hash(again) == hash(match)
    assert len({match, again, pg.play("greedy", "random", game="dots", seed=2)}) == 2


def test_games_and_comparisons_can_be_keys():
    known = pg.games()
    assert {game: name for name, game in known.items()}[pg.games()["dots"]] == "dots"
    found = pg.compare("greedy", "random", game="dots", rows=3, cols=3, games=2)
    assert len({found, found, *found.examples}) == 1 + len(found.examples)


def test_threads_play_environments_of_their_own():
    found = {}

    def run(number):
        env = pg.gym_env("project", preset="quick", opponent="greedy", illegal="random", seed=3)
        env.reset()
        for _ in range(200):
            _, _, terminated, truncated, _ = env.step(1)
            if terminated or truncated:
                break
        found[number] = env.state_hash()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found.values())) == 1 and len(found) == 4


def test_a_vector_environment_has_no_notices():
    with pytest.raises(ValueError, match="arrays alone, and no notices: expected `knowledge`, `readings` or `board`"):
        pg.vector_env("project", preset="quick", num_envs=2, observation="notices")


@pytest.mark.parametrize("make", [pg.parallel_env, pg.env, pg.gym_env])
def test_an_action_is_a_whole_number(make):
    env = make("dots", seed=1)
    env.reset()
    before = env.state_hash()
    with pytest.raises(TypeError):
        env.step(dict.fromkeys(env.agents, 1.5) if make is pg.parallel_env else 1.5)
    assert env.state_hash() == before
    env.step(dict.fromkeys(env.agents, np.int16(3)) if make is pg.parallel_env else np.array(3))
    assert env.state_hash() != before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_fork_plays_on():
    code = """
        import os, numpy as np, project_game as pg
        vec = pg.vector_env("dots", num_envs=4, threads=2, seed=1)
        observation, _ = vec.reset()
        child = os.fork()
        observation, *_ = vec.step(np.array([0, 0, 0, 0]))
        if child == 0:
            os._exit(0 if observation["action_mask"].any() else 1)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 0
    """
    subprocess.run([sys.executable, "-W", "ignore", "-c", textwrap.dedent(code)], check=True, timeout=60)


FIRST = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "decide":
        print(json.dumps({"do": message["options"][0]}), flush=True)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_fork_starts_no_programs_of_its_parent(tmp_path):
    agent = tmp_path / "first.py"
    agent.write_text(FIRST)
    code = f"""
        import os, project_game as pg
        env = pg.gym_env("dots", opponents=['"{sys.executable} {agent}"', None], seed=1)

        def step(observation):
            env.step(int(observation["action_mask"].argmax()))

        observation, _ = env.reset()
        child = os.fork()
        if child == 0:
            # In the game that was begun, and in another one.
            for begin in (lambda: observation, lambda: env.reset()[0]):
                try:
                    step(begin())
                except ValueError as error:
                    if "start them in each process" not in str(error):
                        print(error)
                        os._exit(2)
                else:
                    os._exit(1)
            env.close()
            os._exit(0)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 0
        step(observation)
        step(env.reset()[0])
    """
    subprocess.run([sys.executable, "-W", "ignore", "-c", textwrap.dedent(code)], check=True, timeout=60)


def moments(call) -> list[float]:
    """The begin of a call, the moments at which another thread goes on meanwhile, at most one in a millisecond, and the end."""
    told, is_over = [time.monotonic()], threading.Event()

    def watch():
        while not is_over.wait(0.001):
            told.append(time.monotonic())

    thread = threading.Thread(target=watch)
    thread.start()
    call()
    is_over.set()
    thread.join()
    return [*told, time.monotonic()]


def most_ticks(call) -> int:
    """How often another thread goes on during a call, at most in five calls: on a busy machine it may wait for a core."""
    return max(len(moments(call)) - 2 for _ in range(5))


def longest_pause(call) -> float:
    """The longest time for which another thread stands still during a call, in seconds."""
    told = moments(call)
    return max(after - before for before, after in zip(told, told[1:]))


def test_other_threads_go_on_while_environments_are_made_and_observations_written():
    setup = pg.environments.settings("project", "quick", {}, "coordinated", None, (1.0, 0.0), "error", "knowledge", None)
    # Where a call holds the lock, the interpreter lets the other thread go on at its beginning and at its end.
    assert most_ticks(lambda: project_game._native.VectorEnvironment(setup, 3000, 1)) > 5
    board = {"boardX": 1000, "boardY": 1000, "goalAreaHeight": 100, "numberOfGoals": 5, "numberOfPieces": 5, "teamSize": 1}
    parallel, aec = (make("project", **board, observation="board", seed=1) for make in (pg.parallel_env, pg.env))
    parallel.reset()
    aec.reset()
    waits = {"agent_0": 0, "agent_1": 0}
    for call in (parallel._native.look_all, lambda: aec.observe("agent_0"), lambda: parallel.step(waits)):
        assert most_ticks(lambda: [call() for _ in range(5)]) > 15


def test_other_threads_go_on_while_programs_end(tmp_path):
    """This program uses all of the two seconds that it has to end."""
    agent = tmp_path / "lingers.py"
    agent.write_text(FIRST + "import time\ntime.sleep(1000)\n")
    command = f'"{sys.executable} {agent}"'
    assert longest_pause(lambda: pg.play(command, "random", game="dots", rows=3, cols=3, seed=1)) < 1.5
    for env in (pg.gym_env("dots", opponents=[command, None]), pg.vector_env("dots", opponent=[command, None], num_envs=1)):
        env.reset(seed=1)
        assert longest_pause(env.close) < 1.5


WAITS = """
import json, sys
print('{"type":"ready"}', flush=True)
for line in sys.stdin:
    if json.loads(line)["type"] == "decide":
        print('{"wait":1}', flush=True)
"""


def interrupted(call: str, tmp_path, times: int = 1) -> tuple[float, str]:
    """Presses Ctrl-C in an interpreter that makes this call; returns the time until its end in seconds, and its errors."""
    (tmp_path / "hang.py").write_text("print('{\"type\":\"ready\"}', flush=True)\nimport time\ntime.sleep(1000)\n")
    (tmp_path / "wait.py").write_text(WAITS)
    code = f"""
        import signal, sys
        # A program that was started in the background ignores Ctrl-C.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.path.insert(0, {os.path.dirname(__file__)!r})
        import numpy as np, players, project_game as pg
        hang, wait = ('"{sys.executable} {tmp_path}/' + name + '.py"' for name in ("hang", "wait"))
        print("begins", flush=True)
        {call}
    """
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout.readline() == "begins\n"
    time.sleep(1.0)
    begun = time.monotonic()
    for _ in range(times):
        child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=60)
    assert child.returncode != 0
    return time.monotonic() - begun, errors


@pytest.mark.parametrize("second", ['"greedy+greedy"', "players.AtRandom"])
def test_ctrl_c_ends_a_long_comparison(second, tmp_path):
    call = f'pg.compare("greedy", {second}, preset="large", games=100_000)'
    assert "KeyboardInterrupt" in interrupted(call, tmp_path)[1]


def test_ctrl_c_ends_matches_of_shipped_strategies(tmp_path):
    call = 'while True: pg.play("coordinated", "coordinated", preset="quick")'
    assert "KeyboardInterrupt" in interrupted(call, tmp_path)[1]


DOTS = '"dots", rows=3, cols=3, seed=1'


@pytest.mark.parametrize(
    "call",
    [
        'pg.play(players.Hangs, "random", game="dots")',
        'pg.play(players.Sleeps, "random", game="dots")',
        'pg.play(hang, "random", game="dots")',
        'pg.play(wait, wait, preset="quick")',
        'pg.compare(players.Hangs, "random", game="dots", games=100)',
        f"pg.gym_env({DOTS}, opponents=[players.Hangs, None]).reset()",
        f"pg.gym_env({DOTS}, opponents=[hang, None]).reset()",
        f"pg.vector_env({DOTS}, opponent=[hang, None], num_envs=3).reset()",
        f"pg.vector_env({DOTS}, opponent=[hang, None], num_envs=3, threads=2).reset()",
        f"pg.vector_env({DOTS}, opponent=[players.Hangs, None], num_envs=3, threads=2).reset()",
    ],
)
def test_ctrl_c_does_not_wait_for_an_entrant_that_hangs(call, tmp_path):
    took, errors = interrupted(call, tmp_path)
    assert "KeyboardInterrupt" in errors, errors
    assert took < 10, "the longest wait for a program is 60 s"


CRASHES = """
import json, sys
for line in sys.stdin:
    if json.loads(line)["type"] == "hello":
        print('{"type":"ready"}', flush=True)
    else:
        sys.exit("my bug")
"""


@pytest.mark.parametrize("game", ["project", "dots"])
def test_an_opponent_that_fails_is_an_exception(game, tmp_path):
    agent = tmp_path / "crash.py"
    agent.write_text(CRASHES)
    command = f'"{sys.executable} {agent}"'
    ends = "(?s)crash.py.* ended with exit code 1 .*\n.*my bug"
    for opponent, told in [(command, ends), (players.Impossible, "players:Impossible.*fly")]:
        env = pg.gym_env(game, **players.small(game), opponent=opponent, illegal="random", seed=1)
        with pytest.raises(ValueError, match=told):
            env.reset()
            for _ in range(50):
                env.step(0)
        with pytest.raises(RuntimeError, match="no agent is to decide: call `reset`"):
            env.step(0)
        vec = pg.vector_env(game, **players.small(game), opponent=opponent, illegal="random", num_envs=2, seed=1)
        with pytest.raises(ValueError, match=told):
            vec.reset()
            for _ in range(50):
                vec.step(np.zeros(2, int))
        with pytest.raises(RuntimeError, match="^(environment 0: )?no .*: call `reset`"):
            vec.step(np.zeros(2, int))


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("'x\\n' * 2000", "has written more than 1000 lines or 65536 bytes without an answer among them"),
        ("'x' * (1 << 21)", "has written a line of more than 1048576 bytes"),
        ("'{\"wait\":5}'", "has answered `wait` in a game without time: expected `do`"),
        ("'{\"do\":\"fly\"}'", "has answered with an invalid action: .*fly"),
    ],
)
def test_the_fault_of_an_opponent_is_named(answer, told, tmp_path):
    agent = tmp_path / "faulty.py"
    agent.write_text(CRASHES.replace('sys.exit("my bug")', f"print({answer}, flush=True)"))
    env = pg.gym_env("dots", opponents=[f'"{sys.executable} {agent}"', None], seed=1)
    with pytest.raises(ValueError, match=f"faulty.py.*: the program of agent #0 {told}"):
        env.reset()


def test_an_environment_plays_on_after_a_failure():
    class Once(pg.Strategy):
        has_failed = False

        def act(self, view):
            if not Once.has_failed:
                Once.has_failed = True
                raise KeyError("once")
            return view.options[0]

    for env in (pg.gym_env("dots", opponents=[Once, None]), pg.vector_env("dots", opponent=[Once, None], num_envs=2)):
        Once.has_failed = False
        with pytest.raises(KeyError, match="once"):
            env.reset(seed=1)
        env.reset()
        env.step(5 if isinstance(env, pg.environments.GymEnvironment) else [5, 5])


@pytest.mark.parametrize(
    ("returned", "told"),
    [
        ({"wlak": [1, 1]}, r"act returned {'wlak': \[1, 1\]}, which is no answer: .*expected `do`, `wait`, `walk` or `tell`"),
        ({}, "expected `do`, `wait`, `walk` or `tell`"),
        ({"do": "0-1", "wait": 3}, "it has several answers"),
        (-5, "act returned -5, .*expected u32"),
        (2**32, "expected u32"),
        ({"wait": float("nan")}, "no answer: `{\"wait\": NaN}`"),
        ({"do": "0-1", "note": "\ud800"}, "hex escape"),
        (np.int64(-5), r"act returned np.int64\(-5\), .*expected u32"),
        ({"walk": [1, b"2"]}, r"act returned {'walk': \[1, b'2'\]}, which is no answer: b'2' is no value of JSON"),
        ({"walk": {(1, 2): 3}}, "act returned .*, which is no answer: keys must be"),
        (np.array([1, 2]), r"act returned array\(\[1, 2\]\): expected the text of an action"),
        (True, "act returned True: expected the text of an action"),
    ],
)
def test_an_answer_that_is_none_is_an_exception(returned, told):
    class Strange(pg.Strategy):
        def act(self, view):
            return returned

    for play in (pg.play, pg.compare):
        with pytest.raises((TypeError, ValueError), match=told):
            play(Strange, "random", game="dots", rows=3, cols=3, seed=1)


@pytest.mark.parametrize(
    ("given", "same"),
    [
        (np.int64(100), 100),
        (np.array(100), 100),
        ({"wait": np.uint8(100)}, 100),
        ({"walk": [np.int64(3), np.int64(6)]}, {"walk": [3, 6]}),
        ({"walk": np.array([3, 6])}, {"walk": [3, 6]}),
    ],
)
def test_a_class_may_return_numbers_of_numpy(given, same):
    def play(choice):
        class Returns(pg.Strategy):
            def act(self, view):
                return "discover" if view.now > 2000 else choice

        return pg.play(Returns, "greedy", preset="quick", seed=1).record

    assert play(given) == play(same)


def test_a_class_may_repeat_the_number_of_its_message():
    class Numbered(pg.Strategy):
        def act(self, view):
            return {"id": 1, "do": view.options[0]}

    assert pg.play(Numbered, "random", game="dots", seed=1).blunders == []


def test_information_that_is_none_is_an_exception():
    class Tells(pg.Strategy):
        answers_questions = True

        def act(self, view):
            return 100

        def answer(self, view, by, must_answer):
            return "everything"

    with pytest.raises(ValueError, match="answer returned 'everything', which is no answer: .*`tell` is invalid"):
        pg.play([Tells, "asker"], "random", preset="quick", seed=1)


@pytest.mark.parametrize(
    ("settings", "error", "told"),
    [
        ({"opponent": "greedy", "opponents": "random"}, ValueError, "two names of one argument"),
        ({"opponent": 3}, TypeError, "3 is no entrant: expected the name of a strategy"),
        ({"opponents": [None, 3]}, TypeError, "3 is no entrant: expected the name of a strategy"),
        ({"max_steps": 2.5}, TypeError, "max_steps=2.5: expected a whole number"),
        ({"observation": None}, TypeError, "observation=None: expected a text"),
        ({"rewards": (float("inf"), 0)}, ValueError, "expected two finite numbers"),
        ({"rewards": (1e39, 0)}, ValueError, "expected two finite numbers"),
        ({"rewards": "10"}, ValueError, "rewards='10': expected two finite numbers"),
        ({"rewards": (1,)}, ValueError, "expected two finite numbers"),
        ({"seed": 1.5}, TypeError, "seed=1.5: expected a whole number"),
        ({"seed": -1}, ValueError, r"expected a number from 0 to 2\*\*64 - 1"),
    ],
)
def test_every_kind_of_environment_names_the_same_faults(settings, error, told):
    for make in (pg.parallel_env, pg.env, pg.gym_env, lambda *game, **own: pg.vector_env(*game, num_envs=1, **own)):
        with pytest.raises(error, match=told):
            make("dots", **settings)
        make("dots", opponent="greedy")
        make("dots", opponents="greedy")


def test_numbers_of_numpy_are_numbers():
    seed = np.int64(3)
    vec = pg.vector_env("dots", num_envs=np.int8(2), seed=seed)
    for env in (pg.gym_env("dots", seed=seed), pg.parallel_env("dots"), pg.env("dots"), vec):
        env.reset()
        env.reset(seed=seed)
        env.reset(seed=np.uint64(2**64 - 1))
        env.reset()
    size = {"rows": np.int64(3), "cols": np.uint8(3)}
    assert pg.play("random", "random", game="dots", **size, seed=seed).record["match"]["config"]["rows"] == 3
    pg.gym_env("dots", **size)


@pytest.mark.parametrize("value", [float("nan"), None, [3], np.zeros(2), np.float32("inf")])
def test_a_parameter_that_no_game_has_is_named(value):
    for call in (lambda: pg.play("random", "random", game="dots", rows=value), lambda: pg.gym_env("dots", rows=value)):
        with pytest.raises(ValueError, match="rows=.*: expected a finite number, True, False or a text"):
            call()


def test_every_method_of_a_closed_environment_says_so():
    env, aec = pg.parallel_env("dots", seed=1), pg.env("dots", seed=1)
    for own in (env, aec):
        own.reset()
        own.close()
    for call in (
        lambda: env.step({}), lambda: env.now_ms, env.state_hash, lambda: aec.observe("agent_0"), lambda: aec.step(0)
    ):
        with pytest.raises(RuntimeError, match="the environment is closed"):
            call()
