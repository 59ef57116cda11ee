#!/bin/sh
# Plays the planned matches of a league with GNU parallel: parallel.sh DIR
set -eu
export DIR="$1" # each task is run by a shell, which reads the name here
ls "$DIR/specs" | parallel --retries 3 'league play --spec "$DIR/specs/"{} --out "$DIR/records/"{}'
