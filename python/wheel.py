"""Puts programs into a wheel, so that pip installs them beside the interpreter, and prints the sizes of the wheel.

    python3 wheel.py project_game-0.1.0-….whl PROGRAM…

`cargo xtask wheel` runs this. A program keeps its file name. maturin takes such files only from a folder that always has to
be there, also where nobody has built the programs.
"""

from __future__ import annotations

import base64
import hashlib
import os
import sys
import zipfile

SHOWN = 6
EXECUTABLE = 0o100755 << 16


def add_programs(path: str, programs: list[str]) -> None:
    """Adds programs to a wheel. Raises `ValueError` if the file is no wheel, or has a program already."""
    parts = os.path.basename(path).split("-")
    if len(parts) < 5 or not path.endswith(".whl"):
        raise ValueError(f"{path} is no wheel: expected a name such as project_game-0.1.0-cp39-abi3-linux_x86_64.whl")
    folder = f"{parts[0]}-{parts[1]}.data/scripts"
    record = f"{parts[0]}-{parts[1]}.dist-info/RECORD"
    names = {program: f"{folder}/{os.path.basename(program)}" for program in programs}
    with zipfile.ZipFile(path) as old:
        for name in set(names.values()) & set(old.namelist()):
            raise ValueError(f"{path} already has {name}: expected a wheel without programs")
    whole = path + ".part"
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(whole, "w") as new:
        lines = [line for line in old.read(record).decode().splitlines() if not line.startswith(record)]
        for entry in old.infolist():
            if entry.filename != record:
                new.writestr(entry, old.read(entry), zipfile.ZIP_DEFLATED, 9)
        for program, name in names.items():
            with open(program, "rb") as file:
                content = file.read()
            new.writestr(_entry(name), content, compresslevel=9)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            lines.append(f"{name},sha256={digest},{len(content)}")
        new.writestr(_entry(record), "".join(f"{line}\n" for line in [*lines, f"{record},,"]))
    os.replace(whole, path)


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = EXECUTABLE if "/scripts/" in name else 0o100644 << 16
    return entry


def sizes(path: str) -> list[tuple[str, int, int]]:
    """The wheel and its largest files: name, size in the wheel, size when installed, both in bytes."""
    with zipfile.ZipFile(path) as wheel:
        entries = sorted(wheel.infolist(), key=lambda entry: -entry.compress_size)
    files = [(entry.filename, entry.compress_size, entry.file_size) for entry in entries]
    whole = (os.path.basename(path), os.path.getsize(path), sum(installed for _, _, installed in files))
    return [whole, *files[:SHOWN]]


def main(arguments: list[str]) -> int:
    """Runs the program; returns its exit code."""
    if not arguments:
        print("error: no wheel is named\nusage: wheel.py WHEEL PROGRAM…", file=sys.stderr)
        return 2
    try:
        add_programs(arguments[0], arguments[1:])
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"{'MB in the wheel':>16}{'installed':>11}")
    for name, packed, installed in sizes(arguments[0]):
        print(f"{packed / 1e6:16.2f}{installed / 1e6:11.2f}  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
