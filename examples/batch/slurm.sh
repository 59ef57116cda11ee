#!/bin/sh
#SBATCH --job-name=league
# Plays one file of a planned league as a task of a Slurm array: sbatch --array=1-FILES slurm.sh DIR
set -eu
league play --spec "$1/specs/$SLURM_ARRAY_TASK_ID.json" --out "$1/records/$SLURM_ARRAY_TASK_ID.json"
