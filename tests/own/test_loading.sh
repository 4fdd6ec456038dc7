#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Programs into which nothing can be preloaded run as they do alone, also where others start them; record gives
# one reason, and the table of samples.
. "$(dirname "$0")/../lib/lib.sh"
skip_sanitized "no sanitizer bears what stands in front of it"
export XDG_CACHE_HOME=$dir/cache

cat > four.c <<'C'
#include <stdio.h>
int main(int count, char **words) { for (int k = 0; k < count; k++) puts(words[k]); return 4; }
C
gcc -o plain four.c || exit 1
# programs: name=reason
programs="plain="
gcc -static -o static four.c 2>/dev/null && programs+=" static=statically"
ln -s "$(readelf -l plain | sed -n 's/.*program interpreter: \(.*\)\]/\1/p')" ld-musl-test.so.1
gcc -Wl,-dynamic-linker,"$dir/ld-musl-test.so.1" -o foreign four.c && programs+=" foreign=C_library"
gcc -fsanitize=address -o checked four.c 2>/dev/null && ./checked >/dev/null 2>&1
[ $? = 4 ] && programs+=" checked=address_sanitizer"
cat > small.s <<'S'
    .globl _start
_start:
    movl $1, %eax
    movl $4, %ebx
    int $0x80
S
as --32 -o small.o small.s && ld -m elf_i386 -o small small.o 2>/dev/null && ./small
[ $? = 4 ] && [ -e small ] && programs+=" small=processor"
for program in ${programs// /$'\n'}; do
    name=${program%%=*} reason=${program#*=}
    [ $name != small ] || [ "$(uname -m)" = x86_64 ] || continue
    printf '#!%s/%s\n' "$dir" "$name" > script
    chmod +x script
    for command in "./$name a b" ./script; do
        $command > alone 2> alone.err
        for options in "--functions *" "--functions main --children" "--children" "--no-report"; do
            set -f
            # shellcheck disable=SC2086
            run 4 mastermind record $options -o k.mm -- $command
            set +f
            rm -rf k.mm
            cmp -s alone out || fail "$options $command: another output"
            [ -z "$reason" ] || holds err "${reason/_/ }"
            [ -z "$reason" ] || equal "$options $command: lines" 1 "$(grep -c ^mastermind: err)"
            ! grep -q "^ERROR\|^Error\|^==" err || fail "$options $command: messages of others"
        done
        run 4 mastermind $command
        cmp -s alone out || fail "$command: another output"
        [ -z "$reason" ] || expect 3 "cannot record '${command%% *}': " mastermind record --library z -- $command
    done
done
finish
