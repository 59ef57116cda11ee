"""The programs that travel in the wheel, with stand-ins for them."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from project_game import programs
from project_game.__main__ import main
from project_game.doctor import findings

PACKAGE = Path(programs.__file__).parent

posix = pytest.mark.skipif(os.name == "nt", reason="the stand-ins are shell scripts")

STAND_IN = """#!/bin/sh
if [ "$1" = --version ]; then echo "{name} 1.2.3"; exit 0; fi
echo "{name}: $*"
exit 7
"""


def stand_in(folder, name):
    """A program that repeats its arguments."""
    path = folder / f"project-game-{name}"
    path.write_text(STAND_IN.format(name=name))
    path.chmod(0o755)
    return path


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Stand-ins for all programs, in the folder of an environment."""
    for name in programs.PROGRAMS:
        stand_in(tmp_path, name)
    monkeypatch.setattr(sysconfig, "get_path", lambda name, *scheme: str(tmp_path) if not scheme else "/nowhere")
    return tmp_path


@posix
@pytest.mark.parametrize("name", list(programs.PROGRAMS))
def test_a_program_runs_with_its_arguments(name, installed, monkeypatch):
    started = []
    monkeypatch.setattr(os, "execv", lambda path, words: started.append((path, words)))
    words = ["run", "--help", "--", "-x", "a b"]
    main([name, *words])
    path = str(installed / f"project-game-{name}")
    assert started == [(path, [path, *words])]


@posix
def test_a_program_takes_the_place_of_the_command(installed):
    code = (
        "import sys, sysconfig; sysconfig.get_path = lambda *_: sys.argv[1]\n"
        "from project_game.__main__ import main; sys.exit(main(['league', '--help', 'x']))"
    )
    ended = subprocess.run([sys.executable, "-c", code, str(installed)], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (7, "league: --help x\n"), ended.stderr


@posix
def test_the_folder_of_the_user_is_the_second_one(tmp_path, monkeypatch):
    program = stand_in(tmp_path, "cs")
    monkeypatch.setattr(sysconfig, "get_path", lambda name, *scheme: str(tmp_path) if scheme else "/nowhere")
    assert programs.find("cs") == program


def test_a_missing_program_is_named(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sysconfig, "get_path", lambda *_: str(tmp_path))
    assert main(["reference-gm", "--version"]) == 2
    told = capsys.readouterr().err
    assert told.startswith("error: the program `reference-gm` is not installed: there is no project-game-reference-gm")
    assert str(tmp_path) in told and "built from source" in told and "`cargo xtask wheel`" in told
    finding = next(finding for finding in findings() if finding.what == "programs")
    assert not finding.works and not finding.is_needed and "the program `bots` is not installed" in finding.told


@posix
def test_the_doctor_asks_the_programs(installed):
    finding = next(finding for finding in findings() if finding.what == "programs")
    assert finding.works and finding.told == "bots 1.2.3, league 1.2.3, reference-gm 1.2.3, cs 1.2.3"


# The tests below are those of the script that puts programs into wheels. It is not part of an installed package.
SCRIPT = PACKAGE.parent / "wheel.py"
of_script = pytest.mark.skipif(not SCRIPT.is_file(), reason="the script wheel.py is not in an installed package")


@pytest.fixture
def script():
    about = importlib.util.spec_from_file_location("wheel_script", SCRIPT)
    module = importlib.util.module_from_spec(about)
    about.loader.exec_module(module)
    return module


@pytest.fixture
def wheel(tmp_path):
    """A wheel of the one module that finds programs."""
    path = tmp_path / "project_game-0.1.0-py3-none-any.whl"
    about = "project_game-0.1.0.dist-info"
    with zipfile.ZipFile(path, "w") as file:
        file.write(PACKAGE / "programs.py", "project_game/programs.py")
        file.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: project-game\nVersion: 0.1.0\n")
        file.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr(f"{about}/RECORD", f"project_game/programs.py,,\n{about}/METADATA,,\n{about}/WHEEL,,\n{about}/RECORD,,\n")
    return path


@posix
@of_script
def test_pip_installs_the_programs_of_a_wheel(wheel, tmp_path, script, capsys):
    names = list(programs.PROGRAMS)
    assert script.main([str(wheel), *(str(stand_in(tmp_path, name)) for name in names)]) == 0
    told = capsys.readouterr().out
    assert wheel.name in told and "project_game-0.1.0.data/scripts/project-game-bots" in told
    place = tmp_path / "environment"
    made = subprocess.run([sys.executable, "-m", "venv", str(place)], capture_output=True)
    if made.returncode:
        pytest.skip("this Python makes no environment with pip")
    python = str(place / "bin/python")
    pip = [python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--disable-pip-version-check"]
    subprocess.run([*pip, str(wheel)], check=True)
    code = "import sys; from project_game import programs; sys.exit(programs.run(sys.argv[1], sys.argv[2:]))"
    for name in names:
        ended = subprocess.run([python, "-c", code, name, "--seed", "3"], capture_output=True, text=True)
        assert (ended.returncode, ended.stdout) == (7, f"{name}: --seed 3\n"), ended.stderr


@of_script
def test_a_wheel_gets_its_programs_once(wheel, tmp_path, script, capsys):
    program = stand_in(tmp_path, "cs")
    script.add_programs(str(wheel), [str(program)])
    before = wheel.read_bytes()
    assert script.main([str(wheel), str(program)]) == 1
    assert "already has project_game-0.1.0.data/scripts/project-game-cs" in capsys.readouterr().err
    assert wheel.read_bytes() == before
    with zipfile.ZipFile(wheel) as file:
        assert file.testzip() is None
        record = file.read("project_game-0.1.0.dist-info/RECORD").decode().splitlines()
        assert sorted(line.split(",")[0] for line in record) == sorted(file.namelist())
        mode = file.getinfo("project_game-0.1.0.data/scripts/project-game-cs").external_attr >> 16
        assert mode & 0o111


@of_script
@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [([], 2, "no wheel is named"), (["x.zip"], 1, "x.zip is no wheel"), (["a-1-py3-none-any.whl"], 1, "No such file")],
)
def test_faults_of_the_script_are_named(arguments, code, told, script, capsys):
    assert script.main(arguments) == code
    assert told in capsys.readouterr().err
