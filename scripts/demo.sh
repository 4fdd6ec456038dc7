#!/bin/bash
# The demonstration: which flux class should a larger run of the shock problem use, with and without
# a requirement on its quality? Models come from small runs of each class with patches of four
# sizes; the invocations of the larger run from one measured run with the class at hand. It takes
# well under two minutes.
#   scripts/demo.sh [DIR]     DIR: where everything goes, default `demo`; must not exist
# O is the build tree (`make demo` sets it); an installed tree needs nothing.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if [ -n "${O:-}" ]; then
    PATH=$O/bin:$PATH
else
    PATH=$here/../../../bin:$PATH
fi
dir=${1:-demo}
small="-D NX=128 -D NY=32 -D T_END=1 -D PICTURE=small.png"
large="-D NX=384 -D NY=96 -D PATCH=48 -D T_END=1"

say() { printf '\n\033[1m%s\033[0m\n' "$*" | if [ -t 1 ]; then cat; else sed 's/\x1b\[[0-9;]*m//g'; fi; }
run() { # show a command as one would type it, and run it
    printf '$ %s\n' "$1"
    eval "$1"
}
seconds() { # inclusive seconds of driver.go.go in an experiment
    mastermind report "$1" --json | python3 -c '
import json, sys
for m in json.load(sys.stdin)["methods"]:
    if m["name"] == "driver.go.go": print("%.3f" % (m["inclusive_ns"] / 1e9))'
}

if ! mkdir "$dir"; then
    echo "demo: a new directory is needed, not '$dir'" >&2
    exit 2
fi
cp "$here/shock-demo.rc" "$dir/shock.rc"
cd "$dir"

say "1. The assembly, checked without running a component"
run "small='$small'"
run 'ccafe check -D FLUX=EFMFlux -D PATCH=32 $small shock.rc'

say "2. Small runs with each flux class and patches of four sizes, a proxy in front of every port"
for flux in GodunovFlux EFMFlux HLLCFlux; do
    for patch in 8 16 32 64; do
        run "ccafe --measure --experiment $flux-$patch.mm -D FLUX=$flux -D PATCH=$patch \$small shock.rc"
    done
done

say "3. Where the time went (the paper's Figure 3)"
run 'mastermind report GodunovFlux-32.mm'

say "4. What a call costs as a function of its parameters, per class and mode (the paper's equation 1)"
run 'mastermind model *Flux-*.mm'

say "5. Who called whom how often: the dual (the paper's Figure 10)"
run 'mastermind graph GodunovFlux-32.mm > dual.dot'
if command -v dot > /dev/null; then
    run 'dot -Tsvg -o dual.svg dual.dot'
fi

say "6. A larger run, nine times the cells, with the class at hand"
run "large='$large'"
run 'ccafe --measure --experiment large.mm -D FLUX=EFMFlux -D PICTURE=large.png $large shock.rc'

say "7. Which class should it have been?"
run "mastermind choose large.mm *Flux-*.mm"
say "   And if a strong shock along the grid must not break up (Quirk's odd-even test)?"
run "mastermind choose large.mm *Flux-*.mm --require 'oddeven_m6 <= 0.05'"
say "   And if Sod's tube must be as sharp as can be?"
run "mastermind choose large.mm *Flux-*.mm --require 'sod_l1_200 <= 0.00251'"

say "8. The chosen assembly, run"
chosen=$(mastermind choose large.mm *Flux-*.mm --quiet)
run "ccafe --measure --experiment chosen.mm -D FLUX=${chosen#flux=} -D PICTURE=chosen.png \$large shock.rc"
predicted=$(mastermind predict large.mm *Flux-*.mm --set "$chosen" --json |
    python3 -c 'import json, sys; print("%.3f" % (json.load(sys.stdin)["total_s"]))')
measured=$(seconds chosen.mm)
awk -v c="$chosen" -v p="$predicted" -v m="$measured" -v b="$(seconds large.mm)" 'BEGIN {
    printf "\n%s: predicted %.2f s, measured %.2f s (%+.1f %%); with EFMFlux it was %.2f s\n", c, p, m,
           100 * (m - p) / p, b }'
if [ -e "$(dirname "$(command -v mastermind)")/../share/mastermind/page.html" ]; then
    say "9. The large run as one page for a browser"
    run 'mastermind report large.mm --html large.html'
fi

say "Pictures: $dir/chosen.png (density: shock and interface), $dir/dual.svg (the dual)"
