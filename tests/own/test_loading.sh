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

# --- Programs that a recorded one starts, in each way; the variable of others stays
cat > other.c <<'C'
int other(void) { return 1; }
C
gcc -shared -fPIC -o libother.so other.c || exit 1
cat > starts.c <<'C'
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
static volatile long x;
__attribute__((noinline)) int work(int n) { x += n; return n; }
int main(int count, char **words)
{
    char *const *command = words + 1;
    (void)count;
    for (int way = 0; way < 12; way++) {
        pid_t child = 0;
        int status;
        work(way);
        fflush(stdout);
        if (way == 0) posix_spawn(&child, words[1], NULL, NULL, command, environ);
        else if (way == 1) posix_spawnp(&child, words[1], NULL, NULL, command, environ);
        else if (way == 2) child = vfork();
        else child = fork();
        if (!child) {
            if (way == 2 || way == 3) execve(words[1], command, environ);
            if (way == 4) execv(words[1], command);
            if (way == 5) execvp(words[1], command);
            if (way == 6) execvpe(words[1], command, environ);
            if (way == 7) execl(words[1], words[1], "one", "two", (char *)NULL);
            if (way == 8) execlp(words[1], words[1], "one", (char *)NULL);
            if (way == 9) execle(words[1], words[1], "one", "two", "three", "four", "five", "six", (char *)NULL, environ);
            if (way == 10) exit(system(words[1]) >> 8);
            if (way == 11) { setenv("LD_TRACE_LOADED_OBJECTS", "1", 1); unsetenv("LD_PRELOAD_SHOWN"); execv("./plain", words + 1); }
            _exit(99);
        }
        waitpid(child, &status, 0);
        printf("%d %x\n", way, (unsigned)status);
    }
    execv("./missing", command);
    perror("missing");
    return 3;
}
C
gcc -O1 -g -o starts starts.c || exit 1
plainly() { sed 's/ (0x[0-9a-f]*)//' "$1"; }
for program in ${programs// /$'\n'}; do
    name=${program%%=*}
    for before in "" "$dir/libother.so"; do
        # no library of others in programs that would complain alone
        [ -z "$before" ] || [ $name = plain ] || continue
        env ${before:+LD_PRELOAD=$before} ./starts "./$name" > alone 2> alone.err
        status=$?
        for options in "--functions work" "--functions work --children"; do
            # shellcheck disable=SC2086
            run $status env ${before:+LD_PRELOAD=$before} mastermind record $options --no-report -o k.mm -- ./starts "./$name"
            [ "$(plainly alone)" = "$(plainly out)" ] || fail "$options, it starts $name: $(plainly alone | diff - out)"
            equal "$options, it starts $name: standard error" "$(cat alone.err)" "$(grep -v '^mastermind: \|^experiment ' err)"
            rm -rf ./*.mm
        done
    done
done
finish
