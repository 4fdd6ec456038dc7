#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Measure the quality attributes of a flux class: quality.sh CLASS [QUALITY]
#   sod_l1_200     L1 error of the density in Sod's tube, 200 cells, t = 0.2
#   contact_cells  cells over which a 1:3 contact at rest smears in 1000 steps
#   oddeven_m6     largest transverse speed after a Mach 6 shock with density noise 1e-6 has
#                  passed 700 cells of a duct of 20 rows (Quirk's odd-even instability)
# Prints a line per quality: class, name, value. Takes ccafe from the build tree $O, else from the
# tree or installation that this script is in, else from the search path; --path DIR, if the class
# is elsewhere, comes first.
set -u -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
path=()
if [ "${1-}" = --path ] && [ $# -ge 2 ]; then
    path=(--path "$2")
    shift 2
fi
if [ $# -lt 1 ] || [ $# -gt 2 ]; then
    echo "usage: quality.sh [--path DIR] CLASS [sod_l1_200|contact_cells|oddeven_m6]" >&2
    exit 2
fi
class=$1
qualities=${2:-sod_l1_200 contact_cells oddeven_m6}

ccafe=ccafe
for bin in "${O:+$O/bin}" "$here/../build/release/bin" "$here/../../../bin"; do
    if [ -n "$bin" ] && [ -x "$bin/ccafe" ]; then
        ccafe=$bin/ccafe
        break
    fi
done

for quality in $qualities; do
    case $quality in
    sod_l1_200) set -- sod 200 4 0.2 0 sod_l1 ;;
    contact_cells) set -- contact 100 4 1e9 1000 contact_cells ;;
    oddeven_m6) set -- oddeven 800 20 4.93 0 transverse_speed ;;
    *)
        echo "quality.sh: no quality '$quality', expected sod_l1_200, contact_cells or oddeven_m6" >&2
        exit 2
        ;;
    esac
    result=$("$ccafe" "${path[@]}" -D "FLUX=$class" -D "PROBLEM=$1" -D "NX=$2" -D "NY=$3" \
        -D "T_END=$4" -D "MAX_STEPS=$5" -D "MEASURE=$6" "$here/quality.rc")
    status=$?
    [ $status = 0 ] || exit $status
    printf '%s %s %s\n' "$class" "$quality" "$(sed -n "s/^gauge: $6 //p" <<<"$result")"
done
