# SPDX-License-Identifier: BSD-3-Clause
# make.sh: compiles the classes of this folder into the current one; sourced after lib.sh.
swap_data=$root/tests/data/swap
case $BUILD in
asan) swap_sanitize="-fsanitize=address,undefined" ;;
tsan) swap_sanitize="-fsanitize=thread" ;;
*) swap_sanitize= ;;
esac
swap_class() { # swap_class OUT SOURCE FLAG...
    local out=$1 source=$2
    shift 2
    # shellcheck disable=SC2086,SC2046
    "$CC" -std=gnu11 -D_GNU_SOURCE -O1 -g -fPIC -shared -fvisibility=hidden -pthread $swap_sanitize -I"$swap_data" \
        $(ccafe cflags) "$@" "$source" -o "$out.so" || fail "$out does not compile"
}
proxygen -I "$root" -o . "$swap_data/tally_port.h" || fail 'no proxy'
swap_class tally_port_proxy tally_port_proxy.c
swap_class Loader "$swap_data/loader.c"
tallies() { # tallies NAME[:FLAG...]...
    local one name
    for one; do
        name=${one%%:*}
        # shellcheck disable=SC2046
        swap_class "$name" "$swap_data/tally.c" "-DCLASS=\"$name\"" $(sed 's/^[^:]*//; s/:/ -D/g' <<<"$one")
    done
}
script() { # script [LINE...]: the assembly, then these lines
    printf '%s\n' 'path prepend .' 'instantiate TallyA tally' 'instantiate Loader loader' \
        'connect loader tally tally tally' "$@" >swap.rc
}
