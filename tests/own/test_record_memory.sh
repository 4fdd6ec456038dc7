#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# record --memory: bytes that calls allocate are those that the program requests, peaks of
# outermost calls are those that the program finds in /proc itself, and the program does
# what it does alone.
. "$(dirname "$0")/../lib/lib.sh"
skip_sanitized "a sanitizer has an allocator of its own"
[ -w /proc/self/clear_refs ] || skip "the kernel does not let a process reset its peak"
export XDG_CACHE_HOME=$dir/cache

# record_it EXPERIMENT WORDS...: record the functions, and print the program's output alone
record_it() {
    local experiment=$1
    shift
    rm -rf "$experiment"
    mastermind record --memory --functions "$list" --no-report -o "$experiment" -- "$@" 2>err
}

# --- every allocation function of the C library, in a known amount
cat > sizes.c <<'C'
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define CALLS(name, code) __attribute__((noinline)) void name(void) { void *p = NULL; code; __asm__ volatile("" : : "r"(p) : "memory"); free(p); }
static void *early;
__attribute__((constructor)) static void begin(void) { early = malloc(77); }
CALLS(of_malloc, p = malloc(1000))
CALLS(of_calloc, p = calloc(10, 300))
CALLS(of_realloc, p = realloc(malloc(10), 5000))
CALLS(of_reallocarray, p = reallocarray(NULL, 7, 1000))
CALLS(of_aligned, p = aligned_alloc(64, 6400))
CALLS(of_posix, if (posix_memalign(&p, 4096, 8192)) abort())
CALLS(of_memalign, p = memalign(128, 12800))
CALLS(of_valloc, p = valloc(100))
CALLS(of_pvalloc, p = pvalloc(100))
CALLS(of_strdup, p = strdup("twelve chars"))
CALLS(of_getline, char *line = NULL; size_t n = 0; FILE *f = fmemopen("a\n", 2, "r"); setvbuf(f, NULL, _IONBF, 0); getline(&line, &n, f); fclose(f); p = line)
CALLS(of_nothing, )
CALLS(of_failure, errno = 0; p = malloc(PTRDIFF_MAX); printf("%d ", errno))
CALLS(of_many, for (int i = 0; i < 1000; i++) { free(p); p = malloc((size_t)i); })
int main(void)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    mallopt(M_MMAP_THRESHOLD, 1 << 16);
    of_malloc(), of_calloc(), of_realloc(), of_reallocarray(), of_aligned(), of_posix(), of_memalign(), of_valloc(),
        of_pvalloc(), of_strdup(), of_getline(), of_nothing(), of_failure(), of_many();
    printf("%d\n", malloc_usable_size(early) >= 77);
    return 3;
}
C
gcc -O1 -g -w -o sizes sizes.c || exit 1
list='of_*'
./sizes > plain
record_it sizes.mm ./sizes > out
[ $? = 3 ] && cmp -s plain out || fail "the program's output or status"
mastermind records sizes.mm > rows || fail "no rows"
python3 - <<'P' || fail "allocated bytes"
import csv
rows = {r["method"]: (int(r["c.ALLOCATED_BYTES"]), int(r["c.ALLOCATIONS"])) for r in csv.DictReader(open("rows"))}
truth = dict(of_malloc=(1000, 1), of_calloc=(3000, 1), of_realloc=(5010, 2), of_reallocarray=(7000, 1), of_aligned=(6400, 1),
             of_posix=(8192, 1), of_memalign=(12800, 1), of_valloc=(100, 1), of_pvalloc=(100, 1), of_strdup=(13, 1),
             of_nothing=(0, 0), of_failure=(0, 0), of_many=(499500, 1000))
for name, known in truth.items():
    assert rows[name] == known, (name, rows[name], known)
assert rows["of_getline"][1] >= 2 and rows["of_getline"][0] >= 120, rows["of_getline"] # the stream and the line
P

# --- peaks: those that the program finds itself, and threads whose calls overlap
cat > peaks.c <<'C'
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int own; /* 1: find the peaks here */
static long peak(void)
{
    char text[4096] = "", *at;
    int f = open("/proc/self/status", O_RDONLY);
    long n = read(f, text, sizeof text - 1);
    close(f);
    at = n > 0 ? strstr(text, "VmHWM:") : NULL;
    return at ? atol(at + 6) * 1024 : 0;
}
static void reset(void) { int f = open("/proc/self/clear_refs", O_WRONLY); if (write(f, "5", 1) != 1) abort(); close(f); }
static void use(size_t bytes) { char *p = malloc(bytes); memset(p, 1, bytes); __asm__ volatile("" : : "r"(p) : "memory"); free(p); }
__attribute__((noinline)) void nothing(long n) { use((size_t)n + 1); }
__attribute__((noinline)) void inner(long n) { use((size_t)n); }
__attribute__((noinline)) void solve(long n) { use((size_t)n); inner(n / 2); use((size_t)n / 4); }
static pthread_barrier_t line;
__attribute__((noinline)) void early(long n)
{
    use((size_t)n);
    pthread_barrier_wait(&line); /* the other call begins: the kernel's peak is reset */
    pthread_barrier_wait(&line); /* it has ended */
}
__attribute__((noinline)) void late(long n) { use((size_t)n); }
static void *other(void *unused)
{
    pthread_barrier_wait(&line);
    late(10000000);
    pthread_barrier_wait(&line);
    return unused;
}
static void solved(void (*f)(long), long n)
{
    if (own) reset();
    f(n);
    if (own) printf("%ld %ld\n", n, peak());
}
int main(int count, char **words)
{
    pthread_t thread;
    own = count > 1 && words[1][0] == 'o';
    solved(nothing, 0);
    for (long n = 64 << 20; n >= 4 << 20; n /= 2)
        solved(solve, n);
    pthread_barrier_init(&line, NULL, 2);
    pthread_create(&thread, NULL, other, NULL);
    early(60000000);
    pthread_join(thread, NULL);
    return 0;
}
C
gcc -O1 -g -pthread -o peaks peaks.c || exit 1
for list in 'nothing,inner,solve,early,late' 'nothing,inner,solve,early,late,main'; do # those of main are outermost, too
    MALLOC_MMAP_THRESHOLD_=100000 ./peaks own > own.txt
    MALLOC_MMAP_THRESHOLD_=100000 record_it peaks.mm ./peaks >out || fail "peaks with $list"
    mastermind records peaks.mm > rows || fail "no rows"
    python3 - <<'P' || fail "peaks with $list"
import csv
rows = [r for r in csv.DictReader(open("rows"))]
of = lambda name: [int(r["c.PEAK_BYTES"]) if r["c.PEAK_BYTES"] else None for r in rows if r["method"] == name]
own = dict(tuple(map(int, line.split())) for line in open("own.txt"))
# the kernel's peak is exact to 64 pages a core or so
base, recorder = own.pop(0), of("nothing")[0]
assert abs(recorder - base) < 1.5e6, (recorder, base) # the recorder's own memory is subtracted
for row in rows:
    if row["method"] == "solve":
        n, peak = int(row["p.n"]), int(row["c.PEAK_BYTES"])
        assert abs((peak - recorder) - (own[n] - base)) < 1e6 and peak - recorder > .98 * n - 1e6, (n, peak, recorder, own[n], base)
assert of("inner") == [None] * 5, of("inner") # a call inside another has none
early, late = of("early")[0] - recorder, of("late")[0] - recorder
assert abs(early - 60e6) < 1e6 and abs(late - 10e6) < 1e6, (early, late)
for row in rows:
    if row["method"] == "main":
        assert int(row["c.PEAK_BYTES"]) >= max(of("solve")), row
P
    mastermind report peaks.mm --json > r.json && ./peaks own > /dev/null
    python3 - <<'P' || fail "the peak of the run"
import csv, json
peak = json.load(open("r.json"))["time"]["peak_bytes"]
most = max(int(r["c.PEAK_BYTES"]) for r in csv.DictReader(open("rows")) if r["c.PEAK_BYTES"])
assert most <= peak < most + 2e6, (peak, most)
P
done
run 0 mastermind model peaks.mm --metric PEAK_BYTES --json
run 0 mastermind report peaks.mm --metric PEAK_BYTES
grep -q 'calls inside others have none of their own' out || fail "the report does not name the calls without a peak"
python3 - <<'P' || fail "totals of peaks"
import json, subprocess
text = subprocess.run(["mastermind", "report", "peaks.mm", "--metric", "PEAK_BYTES", "--json"], capture_output=True, text=True, check=True).stdout
report = json.loads(text)
assert report["unit"] == "bytes", report
of = {m["name"].split(".")[-1]: m for m in report["methods"]}
assert of["solve"]["inclusive"] == of["solve"]["exclusive"] == of["solve"]["max"], of["solve"]
assert "inclusive" not in of["inner"] and of["inner"]["missing"] == 5, of["inner"]
assert of["main"]["inclusive"] >= of["solve"]["inclusive"] > 64 << 20, of # the largest, not a sum
assert of["main"]["inclusive"] < 2 * of["solve"]["inclusive"], of
P

# --- laws: allocated bytes and peaks as functions of the size
cat > law.c <<'C'
#include <stdlib.h>
#include <string.h>
#define USE(p, n) memset(p, 1, n); __asm__ volatile("" : : "r"(p) : "memory"); free(p)
__attribute__((noinline)) void square(long n) { char *p = malloc((size_t)(n * n)); USE(p, (size_t)(n * n)); }
int main(void) { for (int i = 0; i < 3; i++) for (long n = 1000; n <= 7000; n += 750) square(n); return 0; }
C
gcc -O1 -g -o law law.c || exit 1
list=square
MALLOC_MMAP_THRESHOLD_=100000 record_it law.mm ./law || fail "law"
for metric in ALLOCATED_BYTES PEAK_BYTES; do
    run 0 mastermind model law.mm --metric $metric
    grep -Eq '1 \* n\^2|n\^2' out || fail "$metric does not grow like n^2"
done

# --- a difference and a forecast of peaks: the largest, whatever the number of calls
cat > block.c <<'C'
#include <stdlib.h>
#include <string.h>
#define FILL(name) __attribute__((noinline)) void name(long n) { char *p = malloc((size_t)(n * n)); memset(p, 1, (size_t)(n * n)); __asm__ volatile("" : : "r"(p) : "memory"); free(p); }
FILL(small)
FILL(large)
int main(int count, char **words) { long n = atol(words[1]); (void)count; for (int i = 0; i < 5; i++) { small(n / 4); large(n); } return 0; }
C
gcc -O1 -g -o block block.c || exit 1
list=small,large
for n in 3000 6000; do
    MALLOC_MMAP_THRESHOLD_=100000 record_it block-$n.mm ./block $n || fail "block $n"
done
run 0 mastermind diff --metric PEAK_BYTES --json block-3000.mm -- block-6000.mm
cp out diff.json
run 0 mastermind predict --metric PEAK_BYTES --json block-6000.mm
python3 - <<'P' || fail "a difference and a forecast of peaks"
import json
text = open("diff.json").read()
large = [m for m in json.loads(text)["methods"] if "large" in m["name"]]
parts = large[0]["parts"]
assert abs(parts["all"]["change"] - 27e6) < 2e6 and abs(parts["sizes"]["change"] - 27e6) < 2e6, parts
total = json.load(open("out"))
assert 36e6 < total["total"] < 36e6 + 4e6, total["total"] # not five times as much, and not with small's
P

# --- what must not change: fork among threads that allocate, other allocators, limits, signals
cat > storm.c <<'C'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int stop;
__attribute__((noinline)) void work(int n) { for (int i = 1; i < n; i++) { char *p = malloc((size_t)i); p[0] = 1; __asm__ volatile("" : : "r"(p) : "memory"); free(p); } }
static void *many(void *unused) { while (!stop) work(200); return unused; }
static void tick(int n) { (void)n; }
int main(void)
{
    pthread_t threads[3];
    int sum = 0;
    signal(SIGALRM, tick);
    ualarm(500, 500);
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, many, NULL);
    for (int i = 0; i < 100; i++) {
        int status;
        pid_t child = fork();
        if (!child) { work(100); free(strdup("child")); _exit(i % 7); }
        while (waitpid(child, &status, 0) < 0) continue;
        sum += WEXITSTATUS(status);
    }
    stop = 1;
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    printf("%d\n", sum);
    return 0;
}
C
gcc -O1 -g -pthread -o storm storm.c || exit 1
list=work
./storm > plain
timeout 120 mastermind record --memory --functions work --storage auto:100 --no-report -o storm.mm -- ./storm > out 2> err || fail "storm"
cmp -s plain out || fail "storm's output"

cat > bump.c <<'C' # an allocator that never frees; it counts how often it is called
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static char *at, *end;
static long calls;
void *malloc(size_t n)
{
    size_t *p;
    n = (n + 31) / 16 * 16;
    calls++;
    if (end - at < (ptrdiff_t)n) {
        size_t more = n > 1 << 24 ? n : 1 << 24;
        at = mmap(NULL, more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (at == MAP_FAILED) { at = end = NULL; errno = ENOMEM; return NULL; }
        end = at + more;
    }
    p = (size_t *)at;
    *p = n - 16;
    at += n;
    return p + 2;
}
void free(void *p) { (void)p; }
void *calloc(size_t m, size_t n) { return malloc(m * n); }
void *realloc(void *p, size_t n) { void *q = malloc(n); if (p) memcpy(q, p, ((size_t *)p)[-2] < n ? ((size_t *)p)[-2] : n); return q; }
__attribute__((destructor)) static void end_of_it(void) { if (calls > 50) write(1, "bump\n", 5); }
C
cat > user.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
__attribute__((noinline)) void work(int n) { for (int i = 0; i < n; i++) { char *p = calloc(1, 100); p = realloc(p, 200); p[0] = 1; __asm__ volatile("" : : "r"(p) : "memory"); free(p); } }
int main(void) { work(100); char *s = strdup("done"); puts(s); free(s); return 0; }
C
gcc -O1 -g -w -shared -fPIC -o libbump.so bump.c && gcc -O1 -g -o user user.c && gcc -O1 -g -w -o static_user user.c bump.c || exit 1
list=work
LD_PRELOAD=$dir/libbump.so ./user > plain
LD_PRELOAD=$dir/libbump.so mastermind record --memory --functions work --no-report -o other.mm -- ./user > out 2> err || fail "another allocator"
grep -qx bump plain && grep -qx done out && grep -qx bump out || fail "the other allocator is not used"
mastermind records other.mm > rows
python3 - <<'P' || fail "bytes of another allocator"
import csv
row = next(csv.DictReader(open("rows")))
assert (row["c.ALLOCATED_BYTES"], row["c.ALLOCATIONS"]) == ("30000", "200"), row
P
./static_user > plain
record_it static.mm ./static_user > out || fail "an allocator in the program"
cmp -s plain out || fail "output of a program with an allocator of its own"
if mastermind records static.mm > rows 2>/dev/null; then
    python3 - <<'P' || fail "bytes of an allocator in the program"
import csv
for row in csv.DictReader(open("rows")):
    assert row["c.ALLOCATED_BYTES"] == "", row # not 0: they are not seen
P
fi

cat > limit.c <<'C'
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) int work(long n) { void *p = malloc((size_t)n); int got = p != NULL; __asm__ volatile("" : : "r"(p) : "memory"); free(p); return got; }
int main(void) { printf("%d %d\n", work(1000), work(1L << 31)); return 0; }
C
gcc -O1 -g -o limit limit.c || exit 1
(ulimit -v 1500000 && ./limit) > plain
(ulimit -v 1500000 && record_it limit.mm ./limit) > out || fail "under ulimit -v"
cmp -s plain out && grep -qx '1 0' out || fail "output under ulimit -v"

# --- programs of the system: the same output and status
seq 1 20000 | shuf --random-source=<(yes) > numbers
for command in "sort -n numbers" "gzip -c numbers" "awk {s+=\$1}END{print(s)} numbers" "python3 -c print(sum(map(int,open('numbers'))))" "grep -c 7 numbers" "ls /nonexistent"; do
    # shellcheck disable=SC2086
    $command > plain 2>/dev/null
    want=$?
    rm -rf s.mm
    # shellcheck disable=SC2086
    mastermind record --memory --functions '*' --no-report -o s.mm -- $command > out 2>/dev/null
    [ $? = $want ] && cmp -s plain out || fail "$command: output or status"
done
finish
