#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Libraries that know nothing of components: interposed from their headers, recorded in programs,
# and compared with what the programs themselves say they called.
. "$(dirname "$0")/../lib/lib.sh"
skip_sanitized "no sanitizer bears interposed malloc or RTLD_DEEPBIND"
zlib=/usr/include/zlib.h
$CC -O1 -pthread -o zlib_calls "$root/tests/data/zlib_calls.c" -lz || exit 1
$CC -O1 -o json_calls "$root/tests/data/json_calls.c" -ljansson || exit 1

# --- Marks proposed, and marks given
expect 0 "param sourceLen                    # an integer with the name of a length" \
    proxygen --interpose $zlib --functions compress2 --suggest
expect 0 "mode  level                        # an integer with the name of a level" \
    proxygen --interpose $zlib --functions compress2,uncompress -o zproxy
printf '%s\n' 'header zlib.h' 'function compress2' '  param n = sourceLen' '  mode level { 1: fast, 6: usual }' \
    '  out made = *destLen' '  out result = return' > z.perf
expect 0 "" proxygen --interpose $zlib --functions compress2,uncompress --sidecar z.perf -o marked
[ "$(ls -A zproxy | tr '\n' ' ')" = "zlib_interpose.c zlib_interpose.so " ] || fail "files: $(ls -A zproxy)"
for compiler in gcc "clang -fsyntax-only"; do
    for standard in c11 gnu11 gnu17; do
        $compiler -std=$standard -Wall -Wextra -Werror -fPIC -I"$root" -c -o object.o marked/zlib_interpose.c ||
            fail "$compiler -std=$standard"
    done
done

proxygen --interpose $zlib --functions compress2 --sidecar z.perf --describe | python3 -c 'import json, sys
d = json.load(sys.stdin)
assert d["type"] == "zlib.h" and [m["name"] for m in d["methods"]] == ["compress2"], d
assert [v["name"] for v in d["methods"][0]["values"]] == ["n", "level", "made", "result"], d' || fail "--describe of functions"
proxygen --table sqlite3_io_methods --describe /usr/include/sqlite3.h 2> /dev/null | python3 -c 'import json, sys
d = json.load(sys.stdin)
assert d["size"] == 8 * 19 and d["methods"][1]["name"] == "xRead" and d["methods"][1]["offset"] == 16, d' || fail "--describe of a table"
expect 2 "--describe takes one table" proxygen --table a,b --describe /usr/include/sqlite3.h

# --- Read without running it, and when it is damaged
expect 0 "function  compress2(n = sourceLen, level mode, made out, result out)" ccafe inspect marked/zlib_interpose.so
ccafe inspect --json marked/zlib_interpose.so | python3 -c 'import json, sys
d = json.load(sys.stdin)
assert d["header"] == "zlib.h" and [m["name"] for m in d["methods"]] == ["compress2", "uncompress"], d
assert [v["kind"] for v in d["methods"][0]["values"]] == ["param", "mode", "out", "out"], d' || fail "inspect --json"
python3 - marked/zlib_interpose.so "${SOAK:-}" << 'END' || fail "a damaged library"
import random, subprocess, sys
whole, random.seed = open(sys.argv[1], "rb").read(), random.seed(7)
tries = 4000 if sys.argv[2] else 120
for i in range(tries):
    data = bytearray(whole)
    if i % 2:
        del data[random.randrange(len(data)):]
    for _ in range(random.randrange(1, 12) if i % 4 else 0):
        if data:
            data[random.randrange(min(len(data), random.choice((64, 4096, len(whole)))))] ^= 1 << random.randrange(8)
    open("damaged.so", "wb").write(data)
    run = subprocess.run(["ccafe", "inspect", "./damaged.so"], capture_output=True, timeout=20)
    assert run.returncode in (0, 3, 5), (i, run.returncode, run.stderr)
    assert run.returncode == 0 or run.stderr.count(b"\n") == 1, (i, run.stderr)
END

# --- Each call has its row, in two threads, and the program is what it was
timeout 60 mastermind record --proxy marked -o truth.mm -- ./zlib_calls 500 > called 2> said
[ $? = 7 ] || fail "the program's status"
grep -q '1 method, 1,000 rows, 0 dropped' said || fail "said $(cat said)"
grep -q '0 calls of uncompress seen: no object imports it from libz.so.1' said || fail "said $(cat said)"
mastermind records truth.mm > rows.csv || fail "records"
python3 - called rows.csv << 'END' || fail "rows are not the calls"
import csv, sys
truth = sorted(tuple(line.strip().split(",")) for line in open(sys.argv[1]))
rows = list(csv.DictReader(open(sys.argv[2])))
found = sorted((r["p.n"], r["p.level"], r["o.made"], r["o.result"]) for r in rows)
labels = {"fast": "1", "usual": "6"}
found = sorted((a, labels.get(b, b), c, d) for a, b, c, d in found)
assert len(truth) == 1000 and found == truth, (len(truth), len(found), truth[:3], found[:3])
assert all((r["instance"], r["port"], r["method"], r["class"], r["status"]) ==
           ("libz", "c", "compress2", "libz.so.1", "done") for r in rows), rows[0]
assert any(r["o.result"] == "-5" for r in rows) and {r["thread"] for r in rows} >= {"0", "1"}
END
expect 0 "libz.c.compress2" mastermind report truth.mm
expect 0 "libz.c.compress2" mastermind model truth.mm
expect 0 "libz" mastermind graph truth.mm

# --- Programs that end otherwise
timeout 60 mastermind record --proxy zproxy -- ./zlib_calls 100 kill > called 2> said
[ $? = 137 ] || fail "a program that was killed"
[ "$(mastermind records zlib_calls-1.mm | grep -c compress2)" = 200 ] || fail "rows of a killed program"
expect 7 "experiment zlib_calls-2.mm: 1 method, 20 rows" \
    mastermind record --proxy zproxy -- sh -c 'cd / && exec "$0" 10' "$dir/zlib_calls"
expect 0 "0 calls of compress2 and uncompress seen: no shared library of this process has them" \
    mastermind record --proxy zproxy -o none.mm -- /bin/true
[ -e none.mm ] && fail "an experiment of no calls"
# A shell starts two: the shell's own process makes no call, and its children are others.
expect 0 "" mastermind record --proxy zproxy -o own.mm -- sh -c './zlib_calls 5; ./zlib_calls 5; true'
[ -e own.mm ] && fail "children were recorded unasked"
timeout 60 mastermind record --children --proxy zproxy -- sh -c './zlib_calls 5; ./zlib_calls 6; true' > /dev/null 2>&1
[ "$(ls -d zlib_calls-*.mm | wc -l)" = 4 ] || fail "children: $(ls)"
expect 7 "1,000 rows" mastermind record --proxy zproxy --storage rows -o rows.mm -- ./zlib_calls 500
expect 7 "experiment few.mm: 1 method" mastermind record --proxy zproxy --storage aggregates -o few.mm -- ./zlib_calls 500
expect 0 "1,000" mastermind report few.mm
# Without the runtime an interposition library only forwards.
LD_PRELOAD=$dir/zproxy/zlib_interpose.so ./zlib_calls 5 > called
[ $? = 7 ] && [ "$(wc -l < called)" = 10 ] || fail "without a runtime"

# --- A library that the recorder uses itself, and the C library below it
expect 0 "function json_dumps" proxygen --interpose /usr/include/jansson.h \
    --functions json_dumps,json_array_append_new,json_array -o jproxy
timeout 60 mastermind record --proxy jproxy -o json.mm -- ./json_calls 2> said || fail "json: $(cat said)"
for want in json_dumps:20 json_array:20 json_array_append_new:190; do
    [ "$(mastermind records json.mm | grep -c ",${want%:*},")" = "${want#*:}" ] || fail "$want"
done
expect 0 "" proxygen --interpose /usr/include/stdlib.h --functions malloc,calloc,realloc,free -o cproxy
expect 0 "" proxygen --interpose /usr/include/unistd.h --functions write,pwrite,close,ftruncate -o cproxy
timeout 60 mastermind record --proxy cproxy --proxy zproxy -o libc.mm -- ./json_calls 2> said || fail "libc: $(cat said)"
[ "$(mastermind records libc.mm | grep -c ',free,')" -ge 20 ] || fail "free: $(cat said)"

# --- Variadic functions, and types that other compilers name otherwise
cat > words.c << 'END'
#include <complex.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(void)
{
    char text[60], word[20];
    double x = 0;
    int n = 0, file = open("words.txt", O_CREAT | O_RDWR, 0640);

    snprintf(text, sizeof text, "%s %d %g", "seven", 7, 2.5);
    if (sscanf(text, "%19s %d %lf", word, &n, &x) != 3 || strcmp(word, "seven") || n != 7 || x != 2.5)
        return 1;
    if (write(file, text, strlen(text)) != 11 || close(file) || open("words.txt", O_RDONLY) < 0)
        return 2;
    fflush(NULL);
    volatile float _Complex z = 3 + 4 * I;
    if (printf("%s %.1Lf %d\n", "printed", 1.5L, 3) != 14 || cabsf32(z) != 5)
        return 3;
    return 0;
}
END
$CC -D_GNU_SOURCE -O0 -fno-builtin -o words words.c -lm || fail words.c
printf '%s\n' 'header fcntl.h' 'function open' '  rest mode_t' '  mode __oflag' '  param create = __oflag & 64' \
    '  out result = return' > open.perf
printf '%s\n' 'header stdio.h' 'function snprintf' '  param __maxlen' '  forward vsnprintf' '  out length = return' > words.perf
expect 0 "" proxygen --interpose /usr/include/stdio.h --functions printf,snprintf,sscanf,vsscanf --sidecar words.perf -o wproxy
expect 0 "" proxygen --interpose /usr/include/fcntl.h --functions open --sidecar open.perf -o wproxy
expect 0 "" proxygen --interpose /usr/include/complex.h --functions cabsf32,ctanhf64x,cpow -o wproxy
expect 0 "printed 1.5 3" mastermind record --proxy wproxy -o words.mm -- ./words
[ "$(stat -c %a words.txt)" = 640 ] || fail "the mode of a file: $(stat -c %a words.txt)"
for want in printf:1 snprintf:1 sscanf:1 open:2 cabsf32:1; do
    [ "$(mastermind records words.mm | grep -c ",${want%:*},")" = "${want#*:}" ] || fail "$want: $(mastermind records words.mm)"
done
expect 0 "  no parameter is marked: one cost for all calls" mastermind model words.mm
mastermind records words.mm | grep ',snprintf,' | grep -q ',60,11' || fail "snprintf: $(mastermind records words.mm)"
printf 'header stdio.h\nfunction snprintf\n  forward vprintf\n' > bad.perf
expect 3 "bad.perf:3:11: error: 'vprintf' is no function that takes the arguments of 'snprintf'" \
    proxygen --interpose /usr/include/stdio.h --functions snprintf --sidecar bad.perf -o refused
printf 'header stdio.h\nfunction puts\n  forward vprintf\n' > bad.perf
expect 3 "'forward' comes after 'function' and a requested variadic one" \
    proxygen --interpose /usr/include/stdio.h --functions puts --sidecar bad.perf -o refused
printf 'header fcntl.h\nfunction fcntl\n  rest double\n' > bad.perf
expect 3 "bad.perf:3:8: error: found 'double', expected int," \
    proxygen --interpose /usr/include/fcntl.h --functions fcntl --sidecar bad.perf -o refused
for compiler in gcc "clang -fsyntax-only"; do
    for file in wproxy/stdio wproxy/fcntl cproxy/stdlib zproxy/zlib; do
        $compiler -std=gnu11 -O2 -Wall -Wextra -Werror -fPIC -I"$root" -c -o object.o ${file}_interpose.c || fail "$compiler $file"
    done
done

# --- A variadic function and the one it calls: both counted as each alone is
mkdir both && cd both || exit 1
cat > note.h << 'END'
#include <stdarg.h>
int note(int level, const char *format, ...);
int vnote(int level, const char *format, va_list list);
END
cat > note.c << 'END'
#include <stdio.h>
#include "note.h"
static int inner(int level, const char *format, va_list list)
{
    char text[60];
    return vsnprintf(text, sizeof text, format, list) + level;
}
int vnote(int level, const char *format, va_list list)
{
    return inner(level, format, list);
}
int (*const table)(int, const char *, va_list) = vnote;
int note(int level, const char *format, ...)
{
    va_list list;
    int n;
    va_start(list, format);
    n = CALL(level, format, list);
    va_end(list);
    return n;
}
END
cat > main.c << 'END'
#include "note.h"
static int direct(const char *format, ...)
{
    va_list list;
    int n;
    va_start(list, format);
    n = vnote(7, format, list);
    va_end(list);
    return n;
}
int main(void)
{
    for (int i = 0; i < 5; i++)
        if (note(i, "%d %g %s", 1, 2.5, "x") != i + 7)
            return 1;
    return direct("%d", 12) != 9 || direct("%g", .5) != 10;
}
END
proxygen --interpose note.h --functions vnote -o alone > /dev/null 2>&1 || fail "vnote alone"
proxygen --interpose note.h --functions note,vnote -o note > /dev/null 2>&1 || fail "note and vnote"
proxygen --interpose note.h --functions vnote,note -o vnote > /dev/null 2>&1 || fail "vnote and note"
for library in "7 -DCALL=vnote" "7 -DCALL=vnote -fno-plt -Wl,-z,now" "2 -DCALL=vnote -Wl,-Bsymbolic" "2 -DCALL=inner"; do
    calls=${library%% *}
    ${CC:-cc} -fPIC -shared -O1 ${library#* } -o libnote.so note.c && ${CC:-cc} -o main main.c -L. -lnote -Wl,-rpath,. || fail "$library"
    for proxy in alone note vnote; do
        rm -rf seen.mm
        expect 0 "" mastermind record --proxy $proxy -o seen.mm -- ./main
        [ "$(mastermind records seen.mm | grep -c ',vnote,')" = "$calls" ] || fail "$library, $proxy: calls of vnote are not $calls"
        [ $proxy = alone ] || [ "$(mastermind records seen.mm | grep -c ',note,')" = 5 ] || fail "$library, $proxy: calls of note"
    done
done
cd .. || exit 1

# --- What passes by: calls bound when the library was linked, and by RTLD_DEEPBIND
mkdir blind && cd blind || exit 1
printf 'int inner(int n);\nint outer(int n);\n' > blind.h
printf '#include "blind.h"\nint inner(int n) { return n + 1; }\nint outer(int n) { return inner(n) + inner(n); }\n' > blind.c
printf '#include "blind.h"\nint plugged(int n);\nint plugged(int n) { return inner(n); }\n' > plug.c
cat > main.c << 'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include "blind.h"
int main(void)
{
    void *plug = dlopen("./plug.so", RTLD_NOW | RTLD_DEEPBIND);
    int (*plugged)(int) = (int (*)(int))dlsym(plug, "plugged");
    return plugged && plugged(1) == 2 && outer(3) == 8 && inner(5) == 6 ? 0 : 1;
}
END
expect 0 "" proxygen --interpose blind.h --functions inner,outer -o proxy
build() { # FLAGS: the library
    $CC -fPIC -shared -O0 $1 -o libblind.so blind.c && $CC -fPIC -shared -o plug.so plug.c -L. -lblind -Wl,-rpath,. &&
        $CC -o main main.c -L. -lblind -Wl,-rpath,. || fail "blind $1"
}
build ""
expect 0 "calls of inner by plug.so are not seen: it was bound to libblind.so directly" \
    mastermind record --proxy proxy -o seen.mm -- ./main
[ "$(mastermind records seen.mm | grep -c ',inner,')" = 3 ] || fail "calls through the linker"
mastermind report seen.mm | grep -q 'calls of outer from inside libblind.so, if any' || fail "$(mastermind report seen.mm)"
mastermind report seen.mm | grep -q 'calls of inner from inside' && fail "what is seen is said not to be"
mastermind report seen.mm | awk 'length > 100' | grep . && fail "lines beyond 100 columns"
build -Wl,-Bsymbolic
expect 0 "calls of inner and outer from inside libblind.so are not seen: it was linked with -Bsymbolic" \
    mastermind record --proxy proxy -o symbolic.mm -- ./main
[ "$(mastermind records symbolic.mm | grep -c ',inner,')" = 1 ] || fail "calls that pass by"
build -Wl,-Bsymbolic-functions
expect 0 "calls of inner and outer from inside libblind.so, if any, are not seen" \
    mastermind record --proxy proxy -o functions.mm -- ./main
cd .. || exit 1

# --- What a call leaves behind is what the function has left, whatever is computed beside it
mkdir flags && cd flags || exit 1
printf 'int leave(int n, double x);\n' > leave.h
cat > leave.c << 'END'
#include <errno.h>
#include <fenv.h>
#include "leave.h"
int leave(int n, double x)
{
    if (fegetround() != FE_DOWNWARD)
        return -1;
    feraiseexcept(FE_OVERFLOW);
    errno = n;
    return (int)x;
}
END
cat > main.c << 'END'
#include <errno.h>
#include <fenv.h>
#include <stdio.h>
#include "leave.h"
int main(void)
{
    for (int i = 1; i <= 20000; i++) {
        volatile double x = i % 100;
        fesetround(FE_DOWNWARD);
        feclearexcept(FE_ALL_EXCEPT);
        errno = 0;
        if (leave(i, x) != i % 100 || errno != i || fetestexcept(FE_ALL_EXCEPT) != FE_OVERFLOW || fegetround() != FE_DOWNWARD)
            return printf("call %d\n", i), 1;
    }
    return 0;
}
END
printf '%s\n' 'header leave.h' 'function leave' '  param q = x / 3.0 + n * 0.1' '  param z = n / x' '  out r = return * 0.7' > leave.perf
$CC -frounding-math -fPIC -shared -o libleave.so leave.c -lm && $CC -frounding-math -o main main.c -L. -lleave -lm -Wl,-rpath,. ||
    fail "flags"
expect 0 "" proxygen --interpose leave.h --functions leave --sidecar leave.perf -o proxy
for storage in rows auto:100 sample:7 reservoir:50 aggregates; do
    rm -rf flags.mm
    expect 0 "" mastermind record --storage $storage --proxy proxy -o flags.mm -- ./main
done
cd .. || exit 1

# --- What cannot be
refuse() { expect 3 "$2" proxygen --interpose "$1" --functions "$3" -o refused; }
refuse $zlib "did you mean 'compress2'?" compres2
refuse /usr/include/fcntl.h "'fcntl' is variadic and cannot be forwarded: no function takes its arguments as a va_list" fcntl
refuse $zlib "no call of it can be seen; it expands to a call of 'deflateInit_'" deflateInit
refuse $zlib "'Bytef' is no function" Bytef
refuse $zlib "function 'compress2' is requested twice" compress2,compress2
refuse /usr/include/stdlib.h "'abort' cannot be interposed: it ends the process by a signal" abort
refuse /usr/include/unistd.h "'vfork' cannot be interposed: it may return twice" vfork
refuse /usr/include/string.h "'memcpy' cannot be interposed: compilers put calls of it into any code" memcpy
refuse /usr/include/dlfcn.h "'dlsym' cannot be interposed: interposing needs it itself" dlsym
refuse /usr/include/dlfcn.h "'dlopen' cannot be interposed: where it looks for a library depends on who calls it" dlopen
for name in '' ',' 'int' 'a b' '"; system("x"); "' '$(id)' '../x' "$(head -c 5000 /dev/zero | tr '\0' a)"; do
    refuse $zlib "cannot be the name of a function" "$name"
done
printf 'static inline int f(int n) { return n; }\nint g(int (*f)(void), int n, double d[3]);\nint h();\n' > own.h
refuse own.h "'f' is static" f
refuse own.h "'h' does not declare its arguments" h
[ -e refused ] && fail "something was left behind"
expect 0 "param n" proxygen --interpose own.h --functions g -o own
mkdir -p needy && printf 'needed_t needy(needed_t n);\n' > needy/needy.h && printf 'typedef long needed_t;\n' > needy/first.h
expect 3 "unknown type name 'needed_t'" proxygen --interpose needy/needy.h --functions needy -o refused
expect 0 "param n" proxygen --interpose needy/needy.h --functions needy -include "$PWD/needy/first.h" -pthread -Wall \
    -O2 -lm -L/nowhere -isystem /usr/include -U_GNU_SOURCE -o own
expect 2 "'-include' needs a value" proxygen --interpose needy/needy.h --functions needy -include
expect 0 "" proxygen --interpose /usr/include/stdlib.h --functions nrand48,ecvt_r,posix_memalign -o own
for compiler in gcc "clang -fsyntax-only"; do
    $compiler -std=gnu11 -O2 -Wall -Wextra -Werror -fPIC -I"$root" -c -o object.o own/stdlib_interpose.c || fail "$compiler"
done
printf 'header zlib.h\nfunction compress2\n  param n = sourceLenn\n' > bad.perf
expect 3 "bad.perf:3:13: error: 'sourceLenn' is no argument of 'compress2'; did you mean 'sourceLen'?" \
    proxygen --interpose $zlib --functions compress2 --sidecar bad.perf -o refused
printf 'header zlib.h\nfunction compress2\n  param n = return\n' > bad.perf
expect 3 "bad.perf:3:9: error: 'n' is known before the call, 'return' after it" \
    proxygen --interpose $zlib --functions compress2 --sidecar bad.perf -o refused
expect 2 "--interpose takes --functions" proxygen --interpose $zlib
expect 5 "no C compiler" env CC=/nowhere/cc proxygen --interpose $zlib --functions compress2 -o without
expect 2 "found 'PAPI_TOT_CYC', expected TIME, CPU_TIME, MPI_TIME, MPI_SPLIT, OPENMP" mastermind record --metrics CPU_TIME,PAPI_TOT_CYC -- ./zlib_calls
expect 2 "--experiment needs a directory" mastermind record --experiment '' -- ./zlib_calls
expect 7 "experiment long.mm: " mastermind record --proxy zproxy --experiment long.mm --metrics TIME,CPU_TIME -- ./zlib_calls 5
grep -q '"cpu_time": *true' long.mm/experiment.json || fail "--metrics CPU_TIME"
expect 2 "storage: found 'row', expected rows, auto" mastermind record --proxy zproxy --storage row -- ./zlib_calls
expect 2 "found 'sample:0', expected a number from 1" mastermind record --proxy zproxy --storage sample:0 -- ./zlib_calls
expect 2 "size limit: found '1T', expected bytes" mastermind record --proxy zproxy --size-limit 1T -- ./zlib_calls
expect 2 "found no program; expected record" mastermind record --proxy zproxy
expect 7 "nothing of zlib_calls was recorded: neither --library nor --proxy nor --functions was" mastermind record --no-report -- ./zlib_calls 5
expect 3 "cannot open 'nowhere'" mastermind record --proxy nowhere -- ./zlib_calls
mkdir empty
expect 3 "no *_interpose.so in 'empty'" mastermind record --proxy empty -- ./zlib_calls
expect 2 "MM_CLOCK: found 'sun', expected auto or monotonic" env MM_CLOCK=sun mastermind record --proxy zproxy -- ./zlib_calls
printf 'print("no library")\n' > script.py
expect 3 "'script.py' is no shared library" mastermind record --proxy script.py -- ./zlib_calls
expect 127 "cannot run './nothing'" mastermind record --proxy zproxy -- ./nothing
expect 2 "it exists and is not an empty directory" mastermind record --proxy zproxy -o truth.mm -- ./zlib_calls
printf 'int main(void) { return 0; }\n' > static.c && $CC -static -o static static.c 2> /dev/null &&
    expect 3 "it is linked statically" mastermind record --proxy zproxy -- ./static

finish
