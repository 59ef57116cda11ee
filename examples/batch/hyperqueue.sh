#!/bin/sh
# Plays the planned matches of a league with HyperQueue, and waits for them: hyperqueue.sh DIR
set -eu
hq submit --name league --array "1-$(ls "$1/specs" | wc -l)" --wait \
    sh -c 'league play --spec "$0/specs/$HQ_TASK_ID.json" --out "$0/records/$HQ_TASK_ID.json"' "$1"
