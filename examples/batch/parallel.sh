#!/bin/sh
# Plays the planned matches of a league with GNU parallel: parallel.sh DIR
set -eu
ls "$1/specs" | parallel --retries 3 league play --spec "$1/specs/{}" --out "$1/records/{}"
