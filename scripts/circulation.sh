#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Measure the circulation that a shock deposits on an inclined interface, beside the exact theory
# and a law: circulation.sh [--cells N] [--flux CLASS] [--path DIR] [MACH ETA ANGLE]
#   MACH ETA ANGLE  of the shock; density ratio; degrees between shock and interface. Without them,
#                   the 18 cases of Mach 1.5, 2, 3, ratio 3, 14.5 and 15, 30, 45 degrees
#   --cells N       finest cells over the height, a multiple of 4 (128); 3 levels
#   --flux CLASS    the flux (HLLCFlux), --path DIR where it is
# Prints a line per case. Takes ccafe from the build tree $O, else from the tree or installation
# that this script is in, else from the search path.
set -u -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
cells=128 flux=HLLCFlux path=()

usage()
{
    echo "usage: circulation.sh [--cells N] [--flux CLASS] [--path DIR] [MACH ETA ANGLE]" >&2
    exit 2
}

while [[ ${1-} == --* ]]; do
    [ $# -ge 2 ] || usage
    case $1 in
    --cells) cells=$2 ;;
    --flux) flux=$2 ;;
    --path) path=(--path "$2") ;;
    *) usage ;;
    esac
    shift 2
done
case $cells in
*[!0-9]* | '' | 0*) usage ;;
esac
[ $((cells % 4)) = 0 ] || usage
if [ $# = 0 ]; then
    for eta in 3 14.5; do
        for mach in 1.5 2 3; do
            for angle in 15 30 45; do
                set -- "$@" "$mach" "$eta" "$angle"
            done
        done
    done
elif [ $# != 3 ]; then
    usage
fi

ccafe=ccafe
for bin in "${O:+$O/bin}" "$here/../build/release/bin" "$here/../../../bin"; do
    if [ -n "$bin" ] && [ -x "$bin/ccafe" ]; then
        ccafe=$bin/ccafe
        break
    fi
done

# The time at which the node is at 0.905 of the height, just above the gauge's window. The shock
# starts 0.2 before the interface.
end_time()
{
    awk -v mach="$1" -v angle="$2" 'BEGIN {
        if (!(mach > 0 && angle > 0 && angle < 90))
            exit 1
        angle *= atan2(0, -1) / 180
        printf "%.6f\n", (0.2 + 0.905 * sin(angle) / cos(angle)) / (mach * sqrt(1.4))
    }'
}

heading=$(printf '%5s %6s %6s   %10s %8s %8s   %8s %8s   %8s %8s %8s   %s' \
    mach eta angle deposition polar '' law '' sheet polar '' wave)
while [ $# -gt 0 ]; do
    end=$(end_time "$1" "$3") || usage
    result=$("$ccafe" "${path[@]}" -D "MACH=$1" -D "ETA=$2" -D "ANGLE=$3" -D "FLUX=$flux" -D "LEVELS=3" \
        -D "NX=$cells" -D "NY=$((cells / 4))" -D "T_END=$end" -D FILE= "$here/circulation.rc")
    status=$?
    [ $status = 0 ] || exit $status
    [ -z "$heading" ] || echo "$heading"
    heading=
    awk -v mach="$1" -v eta="$2" -v angle="$3" '
        function after(word,   i) {
            for (i = 1; i < NF; i++)
                if ($i == word)
                    return i + 1
            return 0
        }
        function value(word) { return after(word) ? $(after(word)) : "-" }
        function deviation(word) { return after(word) && $(after(word) + 1) ~ /%$/ ? $(after(word) + 1) : "-" }
        $1 == "gauge:" && $2 == "deposition" {
            deposition = sprintf("%10s %8s %8s   %8s %8s", $3, value("polar"), deviation("polar"), value("law"),
                                 deviation("law"))
            wave = $NF
        }
        $1 == "gauge:" && $2 == "sheet" { sheet = sprintf("%8s %8s %8s", $3, value("polar"), deviation("polar")) }
        END {
            if (!sheet)
                sheet = sprintf("%8s %8s %8s", "-", "-", "-")
            printf "%5s %6s %6s   %s   %s   %s\n", mach, eta, angle, deposition, sheet, wave
        }' <<<"$result"
    shift 3
done
