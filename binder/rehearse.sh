#!/usr/bin/env bash
# The steps of a Binder build without Docker and conda, in a clean environment: the Python packages of environment.yml at
# their versions, postBuild, start, and then what a reader does: the doctor, the cross-checks, three lectures.
#
#     bash binder/rehearse.sh [folder]        (PYTHON=python3.11; about ten minutes)
#
# R is the one on PATH, with rpy2 built against it, in place of conda-forge's; without R its recorded answers are used.
set -euo pipefail
cd "$(dirname "$0")/.."

python="${PYTHON:-python3.11}"
folder="${1:-$(mktemp -d)}"
mkdir -p "$folder"
echo "rehearsal in $folder"

# Nothing of this checkout but what a clone has.
git ls-files --cached --others --exclude-standard -z | xargs -0 -I{} sh -c 'test ! -f "$1" || printf "%s\0" "$1"' _ {} \
  | tar --null --files-from - -cf - | (mkdir -p "$folder/clone" && tar -C "$folder/clone" -xf -)

"$python" -m venv "$folder/env"
export PATH="$folder/env/bin:$PATH"
unset PYTHONPATH SYNTHLAB_DATA_DIR
cd "$folder/clone"
wanted="$(sed -n 's/^  - python=//p' binder/environment.yml)"
python -c "import sys; sys.exit(sys.version_info[:2] != tuple(map(int, '$wanted'.split('.'))))" || {
  echo "environment.yml asks for Python $wanted; $python is $(python --version)" >&2; exit 1; }

sed -n 's/^      - //p' binder/environment.yml > "$folder/requirements.txt"
if command -v R > /dev/null; then
  version="$(sed -n 's/^  - rpy2=//p' binder/environment.yml)"
  printf 'rpy2==%s\nrpy2-rinterface==%s\n' "$version" "$version" >> "$folder/requirements.txt"
fi
python -m pip install --quiet --requirement "$folder/requirements.txt"

# The R on PATH takes the place of the packages from conda-forge; what postBuild compiles goes to a library of its own.
printf '#!/bin/sh\n' > "$folder/env/bin/mamba"
chmod +x "$folder/env/bin/mamba"
mkdir -p "$folder/r"
export R_LIBS="$folder/r"
if ! command -v R > /dev/null; then
  echo "rehearsal: without R, IdentificationRiskCalculation is neither fetched nor compiled"
  for name in git R; do cp "$folder/env/bin/mamba" "$folder/env/bin/$name"; done
fi
NB_PYTHON_PREFIX="$folder/env" bash binder/postBuild
python -m pip check
bash binder/start python -c "import os; assert os.environ['OMP_NUM_THREADS'] == '1'"
cd "$folder"
bash clone/binder/start synthlab crosscheck | tail -n 12
for lecture in 08_identification_risk_matching 15_two_languages_one_answer 16_the_survey_behind_the_file; do
  bash clone/binder/start jupyter nbconvert --to notebook --execute --output "$folder/$lecture.ipynb" \
    "clone/student/$lecture.ipynb"
done
echo "rehearsal: every step went through"
