#!/usr/bin/env bash
# One run as a SLURM array: task K asks shard K. Copy this file, set the lines below, then: sbatch slurm-array.sh
# Put together with: divisionbell merge OUT --out OUT/merged
# A task that failed or ran out of time goes on where it was: sbatch --array=3 slurm-array.sh
#SBATCH --job-name=divisionbell
#SBATCH --array=1-8
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --mem=512M
#SBATCH --time=04:00:00
#SBATCH --signal=B:TERM@60
#SBATCH --output=divisionbell-%A_%a.out
set -euo pipefail

SHARDS=${SHARDS:-8}                    # as many as the array above has tasks; it stays when a few are sent again
RESPONDENT=${RESPONDENT:-openai:MODEL} # the model's name on the server
OUT=${OUT:-runs/slurm}                 # on storage that every node sees
# Further options of `run`, for example --base-url http://node7:8000/v1 --repeats 5. A key is not an option: it comes
# from the environment, or from a file with --key-file.
OPTIONS=(${OPTIONS:-})

# exec, so that the signal of the time limit reaches the run: it keeps what was answered and ends.
exec divisionbell run "$RESPONDENT" --shard "auto/$SHARDS" --resume --failed --out "$OUT" "${OPTIONS[@]}"
