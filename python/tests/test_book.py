"""The code of the book's chapter about Python: it is run, and the page holds the parts between the anchors."""

from __future__ import annotations


def test_matches(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # ANCHOR: matches
    import project_game as pg

    match = pg.play("coordinated", "greedy", preset="quick", seed=7, replay=True)
    print(match)  # the winner and the points
    match.save("game.replay")  # for `reference-gm view`
    with open("game.html", "w", encoding="utf-8") as page:
        page.write(match.page())  # the page of the match, which opens from disk

    found = pg.compare("coordinated", "random", preset="quick", games=100)
    print(found.sentence)
    # ANCHOR_END: matches
    assert "wins, red" in capsys.readouterr().out
    assert found.sentence.startswith("coordinated")
    assert (tmp_path / "game.replay").stat().st_size > 1000


def test_tables(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # ANCHOR: tables
    import project_game as pg

    for seed in range(10):
        match = pg.play("asker", "liar+asker", preset="quick", seed=seed, replay=True)
        match.save(f"{seed}.replay")
    pg.view("7.replay", page="7.html", open=False)  # without these arguments, the browser opens

    claims = pg.claims("*.replay")  # a dictionary of NumPy arrays
    lies = claims["verdict"] == "lie"
    print(f"{lies.sum()} of {len(lies)} claims are lies; {claims['believed'][lies].mean():.0%} of them are believed")
    # ANCHOR_END: tables
    assert lies.any() and set(claims["replay"]) == {f"{seed}.replay" for seed in range(10)}
    assert (tmp_path / "7.html").exists()


def test_strategy():
    # ANCHOR: strategy
    import project_game as pg

    class Finder(pg.Strategy):
        """Goes to the nearest piece, and carries it to a goal field that nobody has tried."""

        def act(self, view):
            if view.hand != "empty":
                field = self.open_field(view)
                return "put" if field in (None, view.at) else {"walk": field}
            if view.piece is None:
                return "discover"
            return "pick-up" if view.piece == view.at else {"walk": view.piece}

        def open_field(self, view):
            # The own goal area: red's is in the north. `?` is a field of which nothing is known.
            height = view.hello["config"]["goalAreaHeight"]
            rows = range(len(view.board))[-height:] if view.team == 0 else range(height)
            fields = [[x, y] for y in rows for x, sign in enumerate(view.board[y]) if sign in "?G"]
            return min(fields, key=lambda at: abs(at[0] - view.at[0]) + abs(at[1] - view.at[1]), default=None)

    match = pg.play(Finder, "random", preset="quick", seed=7)
    print(match)
    # ANCHOR_END: strategy
    assert match.winner == 0 and match.blunders == [], match.blunders


def test_environments():
    # ANCHOR: environments
    import numpy as np

    import project_game as pg

    env = pg.parallel_env("project", preset="quick", seed=7)
    observations, infos = env.reset()
    print(env.layout["actions"][:3])  # ['wait', 'move N', 'move E']
    # All agents wait. An agent that cannot act has a mask of zeros and needs no action.
    actions = {name: 0 for name in env.agents if observations[name]["action_mask"].any()}
    observations, rewards, terminations, truncations, infos = env.step(actions)

    vec = pg.vector_env("project", preset="quick", num_envs=256, opponent="coordinated", seed=7)
    observations, infos = vec.reset()
    for _ in range(100):
        # A possible action of each game, all equally likely.
        actions = (np.random.random(observations["action_mask"].shape) * observations["action_mask"]).argmax(axis=1)
        observations, rewards, terminations, truncations, infos = vec.step(actions)
    # ANCHOR_END: environments
    assert observations["planes"].shape == (256, 9, 11, 11)


def test_copies(capsys):
    # ANCHOR: copies
    import copy

    import numpy as np

    import project_game as pg

    env = pg.gym_env("dots", rows=3, cols=3, opponent="greedy", rewards=(0, 1), seed=7)
    observation, _ = env.reset()
    possible = np.flatnonzero(observation["action_mask"])


    def lead(action):
        """The lead at the end, if the first action is this one and all others are drawn."""
        future, total, is_over = copy.deepcopy(env), 0, False
        while not is_over:
            seen, reward, is_over, _, _ = future.step(action)
            total += reward
            action = np.random.choice(np.flatnonzero(seen["action_mask"])) if not is_over else None
        return total


    print(max(possible, key=lambda action: np.mean([lead(action) for _ in range(50)])))
    # ANCHOR_END: copies
    assert int(capsys.readouterr().out) in possible
