# SPDX-License-Identifier: BSD-3-Clause
# headers.sh: lib.sh, and what the tests of public headers share. `optimize=yes` before it: as compilers are asked to.
. "$(dirname "${BASH_SOURCE[0]}")/../lib/lib.sh"
here=$root/tests/headers
[ -n "${optimize-}" ] || compile_quickly

# functions_of NAME: those of its sidecar.
functions_of() {
    awk '$1 == "function" { printf "%s%s", comma, $2; comma = "," }' "$here/$1.perf"
}

# library NAME HEADER FUNCTIONS LIBS [FLAGS...]: the functions of the header (empty: those of
# the sidecar) are interposed with
# tests/headers/NAME.perf, the program NAME.c runs without and with it, says the same, and what it
# says that it called is what was recorded. Its argument is a file that it may write.
library() {
    local name=$1 header=$2 functions=${3:-$(functions_of "$1")} libs=$4
    shift 4
    # shellcheck disable=SC2086
    $CC -std=gnu11 -O1 -fno-builtin -Wall -Wextra -I"$here" "$@" -o "$name" "$here/$name.c" $libs -lm ||
        { fail "$name: no program"; return; }
    timeout 60 proxygen --interpose "$header" --functions "$functions" "$@" \
        --sidecar "$here/$name.perf" -o "$name.proxy" 2> said || { fail "$name: $(cat said)"; return; }
    [ -s said ] && fail "$name: words about a header that is fine: $(cat said)"
    "$CC" -std=gnu11 -O1 -Wall -Wextra -Werror -fPIC -I"$root" "$@" -c -o object.o \
        "$name.proxy"/*_interpose.c || fail "$name: warnings"
    compare "$name" --proxy "$name.proxy"
}

# tables NAME HEADER TABLE,TABLE... LIBS [FLAGS...]: the same for tables of functions. The program
# includes the header that is made, and is linked with the code.
tables() {
    local name=$1 header=$2 list=$3 libs=$4
    shift 4
    timeout 60 proxygen --table "$list" "$header" "$@" --sidecar "$here/$name.perf" 2> said ||
        { fail "$name: $(cat said)"; return; }
    [ -s said ] && fail "$name: words about a header that is fine: $(cat said)"
    # shellcheck disable=SC2086
    $CC -std=gnu11 -D_GNU_SOURCE -O1 -Wall -Wextra -Werror -fexceptions -I"$root" -I"$here" -I. "$@" -o "$name" \
        "$here/$name.c" "$(basename "$header" .h)_tables.c" $libs -lm || { fail "$name: no program"; return; }
    compare "$name"
}

# compare NAME [OPTION...]: the program says the same without and with recording it, and what it
# says that it called is what was recorded.
compare() {
    local name=$1
    shift
    timeout 60 "./$name" file > plain || fail "$name: status $? of the program itself"
    timeout 60 mastermind record "$@" -o "$name.mm" -- "./$name" file > told 2> said ||
        fail "$name: $(cat said)"
    cmp plain told || fail "$name: another output when measured"
    grep -q ' 0 dropped' said || fail "$name: $(cat said)"
    mastermind records "$name.mm" > rows.csv || fail "$name: records"
    python3 "$here/compare.py" told rows.csv > said || fail "$name: $(cat said)"
    echo "$name: $(cat said)"
}
