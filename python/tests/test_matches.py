"""Matches and comparisons: results, replays, programs and classes."""

from __future__ import annotations

import os
import pickle
import shlex
import sys

import numpy as np
import players
import pytest
from players import GAMES, small

import project_game as pg

def play_first(game: str, **settings):
    about = pg.games()[game]
    strategy = next(iter(about.strategies))
    return pg.play(*[strategy] * about.team_count(**small(game)), game=game, **small(game), **settings)


@pytest.mark.parametrize("game", GAMES)
def test_every_game_is_listed_and_can_be_played(game):
    about = pg.games()[game]
    assert about.title and about.presets and about.strategies
    assert about.time in ("turns", "turns with a clock", "real time")
    assert about.configuration(**small(game))
    match = play_first(game, seed=7)
    assert match.game == game and match.seed == 7 and match.replay is None
    assert len(match.points) == about.team_count(**small(game))
    assert match.termination == "normal" and match.winner in (None, *range(len(match.points)))


@pytest.mark.parametrize("game", GAMES)
def test_a_seed_decides_a_match(game):
    first, again, other = (play_first(game, seed=seed) for seed in (7, 7, 8))
    assert first.record == again.record
    assert first.record["hash"] != other.record["hash"]


@pytest.mark.parametrize("game", GAMES)
def test_a_replay_has_a_page(game, tmp_path):
    match = play_first(game, seed=3, replay=True)
    page = match.page()
    assert page.startswith("<!doctype html>") and 'id="feed"' in page
    path = match.save(tmp_path / "match.replay")
    assert pg.replay_page(path, f"{game} 3") == page
    assert pg.replay_page(match.replay, f"{game} 3") == page


def test_a_match_without_a_seed_draws_one():
    assert len({pg.play("greedy", "random", game="dots").seed for _ in range(3)}) > 1


def test_a_match_is_told_in_a_line():
    match = pg.play("coordinated", "random", preset="quick", seed=7)
    assert str(match) == f"red wins, red {match.points[0]} : {match.points[1]} blue (normal)"
    assert match.winner == 0 and match.time_ms > 0 and match.blunders == []
    assert match.entrants == ["coordinated", "coordinated", "random", "random"]
    assert "searching_ms" in match.metrics


def test_a_line_up_fits_into_its_team():
    for play in (pg.play, pg.compare):
        with pytest.raises(ValueError, match="names 3 agents: a team has 2"):
            play("greedy", "greedy+greedy+random", preset="quick")


def test_teams_without_names_are_numbered_from_1():
    match = pg.play("greedy", "random", game="dots", seed=2)
    assert str(match).startswith("team 1 wins, team 1 ")


def test_a_seed_out_of_range_is_a_value_error():
    for seed in [-1, 2**64]:
        with pytest.raises(ValueError, match="expected a number from 0"):
            pg.play("greedy", "random", game="dots", seed=seed)
        with pytest.raises(ValueError, match="expected a number from 0"):
            pg.compare("greedy", "random", game="dots", games=2, seed=seed)


@pytest.mark.parametrize(
    ("line_ups", "settings", "told"),
    [
        (("greedy", "gredy"), {}, "did you mean `greedy`?"),
        (("greedy", "greedy"), {"game": "dot"}, "did you mean `dots`?"),
        (("greedy", "greedy"), {"preset": "qick"}, "did you mean `quick`?"),
        (("greedy", "greedy"), {"boardX": 0}, "boardX"),
        (("greedy", "greedy"), {"board": 1}, "board"),
        (("greedy",), {}, "1 line-ups"),
        (("greedy", "pyhton3 agent.py"), {}, "cannot start `pyhton3`"),
    ],
)
def test_a_fault_is_named(line_ups, settings, told):
    with pytest.raises(ValueError, match=told.replace("?", r"\?")):
        pg.play(*line_ups, seed=1, **settings)


def test_what_is_no_entrant_is_named():
    with pytest.raises(TypeError, match="no method `act`"):
        pg.play(int, "greedy")
    with pytest.raises(TypeError, match="3 is no entrant"):
        pg.play(3, "greedy")
    with pytest.raises(ValueError, match="no replay"):
        pg.play("greedy", "random", game="dots").save("nowhere")
    with pytest.raises(ValueError, match="replay"):
        pg.replay_page(b"no replay")


def test_a_class_plays_every_game():
    for game in GAMES:
        about = pg.games()[game]
        teams = about.team_count(**small(game))
        line_ups = [players.AtRandom] + ["random"] * (teams - 1)
        first, again = (pg.play(*line_ups, game=game, **small(game), seed=5) for _ in range(2))
        assert first.record == again.record, game
        assert first.blunders == [], game


def test_a_class_hears_the_whole_game():
    players.Listener.told.clear()
    pg.play(players.Listener, "random", game="dots", rows=2, cols=3, seed=1)
    told = players.Listener.told
    assert told[0] == ("begin", 0, 0, "dots")
    assert told[-1] == ("end", "normal")
    assert any(entry[0] == "hear" and "drew" in entry[1] for entry in told)
    parts = ["across", "boxes", "down", "mover", "player", "points"]
    assert ("act", 0, parts) in told


def asked(strategy):
    """Matches in which a teammate asks this class."""
    played = [pg.play([strategy, "asker"], "random", preset="quick", seed=seed, replay=True) for seed in range(1, 5)]
    assert all(match.blunders == [] for match in played)
    return played


def said(played, strategy):
    """What the agents of a class have said in matches."""
    found = set()
    for match in played:
        claims = pg.claims(match)
        own = [agent for agent, entrant in enumerate(match.entrants) if strategy.__name__ in entrant]
        found |= set(claims["said"][np.isin(claims["from"], own)])
    return found


def test_a_class_answers_what_it_is_asked():
    questions = []

    class Tells(pg.Strategy):
        answers_questions = True
        told = "own"

        def act(self, view):
            return "discover"

        def answer(self, view, by, must_answer):
            questions.append((view.agent, by, must_answer))
            return self.told

    class TellsGoals(Tells):
        def begin(self, view):
            config = view.hello["config"]
            self.told = {"distances": [], "red": "G" * (config["boardX"] * config["goalAreaHeight"]), "blue": ""}

    class TellsNothing(Tells):
        told = None

    played = asked(Tells)
    table = pg.messages(played)
    sent = {
        (to, by, kind == "order to answer")
        for kind, by, to in zip(table["kind"], table["from"], table["to"])
        if kind in ("question", "order to answer")
    }
    assert questions and set(questions) <= sent
    assert said(played, Tells) - {"goal", "no goal"}, "it has discovered distances"
    questions.clear()
    assert said(asked(TellsGoals), TellsGoals) == {"goal"}
    assert questions
    questions.clear()
    assert said(asked(TellsNothing), TellsNothing) == set()
    assert questions


def test_a_class_without_a_base_has_the_methods_of_strategy():
    class Bare:
        answers_questions = True

        def act(self, view):
            return "discover"

    class Derived(Bare, pg.Strategy):
        pass

    bare, derived = asked(Bare), asked(Derived)
    assert [match.record["hash"] for match in bare] == [match.record["hash"] for match in derived]
    assert said(bare, Bare) == said(derived, Derived) != set()


def test_a_class_is_the_program_of_its_command(tmp_path):
    """In this process and as a program over its standard streams: the same match."""
    own = pg.play(players.AtRandom, "greedy", game="dots", seed=9)
    script = tmp_path / "agent.py"
    folder = os.path.dirname(__file__)
    script.write_text(
        f"import sys\nsys.path.insert(0, {folder!r})\nfrom project_game.agents import serve\nserve('players:AtRandom')\n"
    )
    words = [sys.executable, str(script)]
    program = pg.play('"' + " ".join(map(shlex.quote, words)) + '"', "greedy", game="dots", seed=9)
    assert program.blunders == [] and program.termination == "normal"
    assert own.record["hash"] == program.record["hash"]
    assert own.entrants[0].endswith('project_game agent players:AtRandom"')


def test_line_ups_mix_classes_and_names():
    match = pg.play([players.First, "greedy"], "random", preset="quick", seed=2)
    assert sum("players:First" in entrant for entrant in match.entrants) == 1


@pytest.mark.parametrize("wrap", [list, iter, lambda own: [own], lambda own: (tuple(own) for _ in range(1))])
def test_a_class_plays_in_this_process_however_it_is_listed(wrap):
    told = players.Listener.told
    settings = {"game": "dots", "rows": 3, "cols": 3}
    told.clear()
    pg.play(wrap([players.Listener]), "random", **settings)
    assert told
    assert "Listener" in str(pg.compare(wrap([players.Listener]), "random", games=2, **settings))
    for call in (pg.play, pg.compare):
        with pytest.raises(KeyError, match="the strategy has a mistake"):
            call(wrap([players.Raises]), "random", **settings)


def test_classes_of_one_name_do_not_look_the_same():
    def make(choice):
        class Same(pg.Strategy):
            def act(self, view):
                return view.options[choice]

        return Same

    with pytest.raises(ValueError, match="two classes are called .*Same: expected two names"):
        pg.compare(make(0), make(-1), games=2, game="dots")


def test_results_of_classes_can_be_pickled():
    found = pg.compare(players.AtRandom, "random", games=2, jobs=1, game="dots", rows=3, cols=3)
    again = pickle.loads(pickle.dumps(found))
    assert str(again) == str(found) and again.examples[0].play().record == found.examples[0].play().record


def test_a_match_is_shown_in_a_shell():
    match = pg.play("coordinated", "random", preset="quick", seed=7)
    assert repr(match) == f"<Match project 7: {match}>"


@pytest.mark.parametrize("with_classes", [False, True])
def test_a_comparison_says_which_is_stronger(with_classes):
    worse = players.AtRandom if with_classes else "random"
    found = pg.compare("greedy", worse, game="dots", rows=4, cols=4, games=400)
    name = "AtRandom" if with_classes else "random"
    assert found.verdict == "first" and found.sentence.startswith("greedy is stronger: ")
    assert str(found).startswith(found.sentence) and name in str(found)
    assert found.interval[0] < found.score < found.interval[1] and sum(found.games) <= 400
    example = found.examples[0].play()
    assert example.replay and set(example.entrants) >= {"greedy"}


def test_a_comparison_does_not_depend_on_the_number_of_cores():
    texts = {str(pg.compare("greedy", "random", game="dots", games=60, jobs=jobs)) for jobs in (1, 2, 8)}
    assert len(texts) == 1


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"games": 1}, "expected 2 or more"),
        ({"jobs": 0}, "expected 1 or more"),
        ({"second": "greedy"}, "expected two that differ"),
        ({"game": "eriantys", "preset": "three"}, "team|preset"),
    ],
)
def test_a_fault_of_a_comparison_is_named(settings, told):
    arguments = {"first": "greedy", "second": "random", "game": "dots", **settings}
    with pytest.raises(ValueError, match=told):
        pg.compare(**arguments)
