#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Is the table of `mastermind ./prog` true? Programs built here at all levels, and 56 of Debian, beside `perf record`, which samples the same run.

    whole.py [shares | memory | cost] [PROGRAM]...

shares  (of debian: of the second list alone) for each program the largest difference, in points, of a share of 5 % or more: of functions that both name,
        else of their file. perf samples five times as often. Exit 1: one is above 4.
memory  peak memory of 20 programs: the table's, and the kernel's figure of a run without mastermind from a small parent
cost    CPU time of some programs: the total that the table prints, by turns with plain runs

Prints a table of Markdown. Needs perf, mastermind, compilers, and the right to sample (root)."""
import collections
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

C = r"""
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 400
static double u[N][N], v[N][N];
struct rec { int key; char text[28]; };
static struct rec *recs;
static unsigned *table;
__attribute__((noinline)) static void stencil(void)
{
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
            v[i][j] = .2 * (u[i][j] + u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
    memcpy(u, v, sizeof u);
}
static int cmp(const void *a, const void *b)
{
    return ((const struct rec *)a)->key - ((const struct rec *)b)->key;
}
__attribute__((noinline)) static void sort_recs(int n)
{
    for (int i = 0; i < n; i++)
        recs[i].key = (i * 7919) % 65521;
    qsort(recs, n, sizeof *recs, cmp);
}
__attribute__((noinline)) static unsigned lookup(int n)
{
    unsigned at = 1, sum = 0;
    for (int i = 0; i < n; i++) {
        at = at * 1664525u + 1013904223u;
        sum += table[at >> 10];
    }
    return sum;
}
__attribute__((noinline)) static double waves(int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += sin(i * .01) * exp(-i * 1e-6);
    return s;
}
int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 100;
    unsigned sum = 0;
    double s = 0;
    recs = calloc(20000, sizeof *recs);
    table = calloc(1 << 22, sizeof *table);
    u[N / 2][N / 2] = 1;
    for (int k = 0; k < rounds; k++) {
        for (int m = 0; m < 12; m++)
            stencil();
        sort_recs(20000);
        sum += lookup(300000);
        s += waves(60000);
    }
    printf("%u %g %g\n", sum, s, u[3][3]);
    return 0;
}
"""
WORDS = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct node { struct node *next; int count; char word[]; };
static struct node *heads[4096];
static __attribute__((noinline)) unsigned hash(const char *s)
{
    unsigned h = 5381;
    while (*s)
        h = h * 33 ^ (unsigned char)*s++;
    return h;
}
static __attribute__((noinline)) void add(const char *word)
{
    struct node **at = &heads[hash(word) % 4096];
    while (*at && strcmp((*at)->word, word))
        at = &(*at)->next;
    if (!*at) {
        *at = calloc(1, sizeof **at + strlen(word) + 1);
        strcpy((*at)->word, word);
    }
    (*at)->count++;
}
static __attribute__((noinline)) void drop(void)
{
    for (int i = 0; i < 4096; i++)
        while (heads[i]) {
            struct node *next = heads[i]->next;
            free(heads[i]);
            heads[i] = next;
        }
}
int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 20;
    for (int k = 0; k < rounds; k++) {
        for (unsigned i = 0; i < 120000; i++) {
            char word[32];
            snprintf(word, sizeof word, "w%u-%u", i * 2654435761u % 30000, i % 3);
            add(word);
        }
        drop();
    }
    return 0;
}
"""
CPP = r"""
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>
namespace space {
template <class T> struct grid {
    std::vector<T> data = std::vector<T>(300 * 300);
    __attribute__((noinline)) void sweep() { for (int i = 301; i < 300 * 300 - 301; i++) data[i] = (data[i - 1] + data[i + 1] + data[i - 300] + data[i + 300]) * T(.25); }
};
}
__attribute__((noinline)) static size_t maps(int n)
{
    std::map<std::string, int> m;
    for (int i = 0; i < n; i++)
        m[std::to_string(i * 7919 % 10007)]++;
    return m.size();
}
__attribute__((noinline)) static long sorts(int n)
{
    std::vector<long> v(n);
    for (int i = 0; i < n; i++)
        v[i] = i * 1103515245L % 65537;
    std::sort(v.begin(), v.end());
    return v[n / 2];
}
int main(int argc, char **argv)
{
    int rounds = argc > 1 ? std::atoi(argv[1]) : 100;
    long sum = 0;
    space::grid<double> g;
    for (int k = 0; k < rounds; k++) {
        for (int m = 0; m < 10; m++)
            g.sweep();
        sum += maps(8000) + sorts(40000);
    }
    std::printf("%ld\n", sum);
}
"""
FORTRAN = r"""
module work
contains
  subroutine product(a, b, c, n)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n, n), b(n, n)
    real(8), intent(inout) :: c(n, n)
    integer :: i, j, k
    do j = 1, n
      do k = 1, n
        do i = 1, n
          c(i, j) = c(i, j) + a(i, k) * b(k, j)
        end do
      end do
    end do
  end subroutine
  subroutine relax(a, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n, n)
    integer :: i, j
    do j = 2, n - 1
      do i = 2, n - 1
        a(i, j) = .25d0 * (a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1))
      end do
    end do
  end subroutine
end module
program main
  use work
  integer, parameter :: n = 120
  real(8) :: a(n, n), b(n, n), c(n, n), s
  integer :: k, rounds, m
  character(len=20) :: word
  call get_command_argument(1, word)
  read (word, *) rounds
  call random_number(a)
  call random_number(b)
  c = 0
  s = 0
  do k = 1, rounds
    call product(a, b, c, n)
    do m = 1, 30
      call relax(a, n)
    end do
    do m = 1, 20000
      s = s + sin(dble(m + k)) ** 2
    end do
  end do
  print *, c(3, 3), s
end program
"""
OPENMP = r"""
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
static double x[100000];
int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 100;
    double s = 0;
    for (int k = 0; k < rounds; k++) {
#pragma omp parallel for reduction(+ : s) schedule(dynamic, 100)
        for (int i = 0; i < 100000; i++)
            s += cos(i + k);
#pragma omp parallel for
        for (int i = 0; i < 100000; i++)
            x[i] = x[i] * .5 + i;
    }
    printf("%g\n", s);
}
"""
THREADS = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;
static int rounds;
__attribute__((noinline)) static long grind(long n)
{
    long s = 0;
    for (long i = 1; i < n; i++)
        s += n % i;
    return s;
}
__attribute__((noinline)) static long mix(long n)
{
    unsigned long s = n;
    for (long i = 0; i < n; i++)
        s = (s ^ s >> 7) * 6364136223846793005u + 1;
    return (long)s;
}
static void *work(void *number)
{
    for (int k = 0; k < rounds; k++) {
        long s = number ? grind(3000) + mix(9000) : mix(20000);
        pthread_mutex_lock(&lock);
        total += s;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}
int main(int argc, char **argv)
{
    pthread_t threads[3];
    rounds = argc > 1 ? atoi(argv[1]) : 1000;
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    printf("%ld\n", total);
}
"""
MPI = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
static double x[20000], y[20000];
__attribute__((noinline)) static void smooth(void)
{
    for (int m = 0; m < 20; m++)
        for (int i = 1; i < 19999; i++)
            x[i] = .3 * (x[i - 1] + x[i] + x[i + 1]);
}
int main(int argc, char **argv)
{
    int rank, rounds = argc > 1 ? atoi(argv[1]) : 100;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    x[5] = rank + 1;
    for (int k = 0; k < rounds; k++) {
        smooth();
        MPI_Allreduce(x, y, 20000, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    if (!rank)
        printf("%g\n", y[5]);
    MPI_Finalize();
}
"""
SMALL_PARENT = r"""
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    struct rusage usage;
    int status;
    if (fork() == 0) {
        execvp(argv[1], argv + 1);
        _exit(127);
    }
    (void)argc;
    wait4(-1, &status, 0, &usage);
    dprintf(9, "%ld %.6f\n", usage.ru_maxrss, usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + 1e-6 * (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec));
    return 0;
}
"""
PY_SUM = "s = 0\nfor i in range({}):\n    s += hash(str(i)) % 7\nprint(s)"
PY_DICT = "d = {{}}\nfor i in range({}):\n    d[i * 7919 % 50021] = d.get(i, 0) + i\nprint(sorted(d.items())[-1], '-'.join(map(str, d))[:9])"
PY_JSON = "import json\nx = [{{'a': i, 'b': [str(i)] * 3}} for i in range(2000)]\nfor k in range({}):\n    json.loads(json.dumps(x))"


def programs():
    """{name: (source, command to build it or None, command)}"""
    found = {}
    for level in ("-O0", "-O1", "-O2", "-O3"):
        found[f"C work {level}"] = ("w.c", C, f"gcc {level} -g -o w w.c -lm", "./w 160")
        found[f"C words {level}"] = ("h.c", WORDS, f"{'clang' if level > '-O1' else 'gcc'} {level} -g -o h h.c", "./h 30")
        found[f"C++ {level}"] = ("p.cc", CPP, f"g++ {level} -g -o p p.cc", f"./p {40 if level == '-O0' else 160}")
        found[f"Fortran {level}"] = ("f.f90", FORTRAN, f"gfortran {level} -g -o f f.f90", f"./f {150 if level == '-O0' else 400}")
    found["C work -O2, stripped"] = ("w.c", C, "gcc -O2 -s -o w w.c -lm", "./w 160")
    found["C work -O2, static"] = ("w.c", C, "gcc -O2 -g -static -o w w.c -lm", "./w 160")
    found["C work -O2, clang, no PIE"] = ("w.c", C, "clang -O2 -g -no-pie -o w w.c -lm", "./w 160")
    found["OpenMP -O2"] = ("o.c", OPENMP, "gcc -O2 -g -fopenmp -o o o.c -lm", "./o 1000")
    found["OpenMP -O3, clang"] = ("o.c", OPENMP, "clang -O3 -g -fopenmp -o o o.c -lm", "./o 1000")
    found["threads -O0"] = ("t.c", THREADS, "gcc -O0 -g -pthread -o t t.c", "./t 20000")
    found["threads -O2"] = ("t.c", THREADS, "gcc -O2 -g -pthread -o t t.c", "./t 25000")
    found["MPI, rank 0 of 2, Open MPI"] = ("m.c", MPI, "mpicc.openmpi -O2 -g -o m m.c", "mpi:mpirun.openmpi --allow-run-as-root --oversubscribe -n 2 ./m 2000")
    found["MPI, rank 0 of 2, MPICH"] = ("m.c", MPI, "mpicc.mpich -O2 -g -o m m.c", "mpi:mpirun.mpich -n 2 ./m 2000")
    for name, text, count in (("sum", PY_SUM, 6000000), ("dict", PY_DICT, 5000000), ("json", PY_JSON, 200)):
        found[f"python3, {name}"] = (f"py_{name}.py", text.format(count), None, f"python3 py_{name}.py")
    seq = "seq 1 1500000 >numbers; shuf --random-source=numbers numbers >mixed"
    found["sort"] = (None, None, seq, "sort -n mixed")
    found["gzip"] = (None, None, seq, "gzip -kc mixed numbers")
    found["bzip2"] = (None, None, seq, "bzip2 -kc mixed")
    found["xz"] = (None, None, seq, "xz -1kc mixed")
    found["grep"] = (None, None, seq, "grep -cE '(1[0-9]*7|9.*3).*5+$' mixed mixed mixed mixed mixed")
    found["sed"] = (None, None, seq, "sed -n s/1\\(.*\\)7/\\1-/p mixed mixed mixed")
    found["awk"] = (None, None, seq, "awk '{s[$1%1000]+=sqrt($1)} END{for(k in s)t+=s[k];print t}' mixed mixed mixed mixed")
    found["perl"] = (None, None, seq, "perl -ne '$s{$_ % 5000} .= $_; END { print length join q(), sort values %s }' mixed mixed")
    found["bash"] = (None, None, None, "bash -c 's=0; for ((i = 0; i < 300000; i++)); do s=$((s + i % 7)); done; echo $s'")
    found["sqlite3"] = (None, None, "seq 1 400000 | awk '{print $1 \",\" ($1*7919)%100003 \",word\" $1%977}' >rows.csv",
                        "sqlite3 :memory: 'create table t(a integer primary key,b integer,c text)' '.mode csv' '.import rows.csv t' 'create index i on t(b)' 'select count(distinct c),sum(b) from t'")
    found["cc -O2"] = ("p.cc", CPP, None, "g++ -O2 -c p.cc -o p.o")
    found["sha256sum, sort and uniq in sh"] = (None, None, seq, "sh -c 'sort mixed | uniq -c | sha256sum'")
    return found


def more_of_debian():
    """Programs of the distribution with inputs that are made here: {name: (None, None, command to make inputs, command)}"""
    seq = "seq 1 1500000 >numbers; shuf --random-source=numbers numbers >mixed"
    text = seq + "; awk '{printf \"%s%s\", \"word\" $1 % 9973, NR % 11 ? \" \" : \"\\n\"}' mixed >text; tr w W <text | awk 'NR % 97' >other"
    xml = "(echo '<r>'; seq 1 120000 | awk '{print \"<a n=\\\"\" $1 \"\\\"><b>\" $1 * 7919 % 9973 \"</b></a>\"}'; echo '</r>') >x.xml"
    json = "(echo '['; seq 1 250000 | awk '{print \"{\\\"a\\\":\" $1 \",\\\"b\\\":[\" $1 % 7 \",\\\"w\" $1 % 97 \"\\\"]},\"}'; echo '{}]') >x.json"
    library = "cp $(ls -S /usr/lib/x86_64-linux-gnu/libLLVM*.so* /usr/lib/x86_64-linux-gnu/lib*.so* 2>/dev/null | head -1) library"
    plot = "set term png; set output 'p.png'; set samples 20000; plot for [i=1:25] sin(i*x)*exp(-x/9.) with lines, 'mixed' every 9 with dots"
    found = {name: (None, None, build, command) for name, build, command in (
        ("zstd", seq, "zstd -q -12 -c mixed numbers"), ("zstd -d", seq + "; zstd -qf mixed", "zstd -q -d -c mixed.zst mixed.zst mixed.zst mixed.zst mixed.zst mixed.zst mixed.zst mixed.zst"),
        ("lz4 -9", seq, "lz4 -q -9 -c mixed"), ("brotli", seq, "brotli -q 7 -c mixed"), ("lzip", seq, "lzip -2 -c mixed"), ("zip", seq, "zip -q -9 out.zip mixed"),
        ("xz -d", seq + "; xz -1kf mixed", "xz -dc mixed.xz mixed.xz mixed.xz"), ("bzip2 -d", seq + "; bzip2 -1kf mixed", "bzip2 -dc mixed.bz2"), ("gzip -d", seq + "; gzip -kf mixed", "gzip -dc mixed.gz mixed.gz mixed.gz mixed.gz mixed.gz mixed.gz mixed.gz mixed.gz"),
        ("gawk", text, "gawk '{for (i = 1; i <= NF; i++) n[$i]++} END {for (w in n) if (n[w] > 160) print w, n[w]}' text"),
        ("wc", text, "wc text text text text text text"), ("sha512sum", seq, "sha512sum mixed mixed mixed mixed mixed mixed mixed mixed mixed mixed mixed mixed"), ("md5sum", seq, "md5sum mixed mixed mixed mixed mixed mixed mixed mixed mixed mixed mixed mixed mixed mixed mixed"),
        ("b2sum", seq, "b2sum mixed mixed mixed mixed mixed mixed mixed mixed mixed mixed mixed mixed"), ("od", seq, "od -A x -t x1z mixed"), ("fmt", text, "fmt -w 50 text text text text text text text text"), ("ptx", "seq 1 900000 | awk '{printf \"w%s%s\", $1 * 7919 % 997, NR % 9 ? \" \" : \"\\n\"}' >few", "ptx few"),
        ("factor", None, "sh -c 'seq 1000000000000000 1000000000120000 | factor'"), ("diff", text, "diff text other"),
        ("xmllint", xml, "xmllint --xpath 'sum(//a[@n mod 3 = 1]/b)' x.xml"), ("jq", json, "jq '[.[].a // 0] | add' x.json"), ("openssl", seq, "openssl enc -aes-256-ctr -pbkdf2 -iter 1500000 -k x -in mixed"),
        ("m4", "cat >f.m4 <<'E'\ndefine(`f',`ifelse(eval($1<2),1,$1,`eval(f(eval($1-1))+f(eval($1-2)))')')f(26)\nE", "m4 f.m4"), ("bc", None, "sh -c 'echo \"scale=1500; 4*a(1)\" | bc -l'"),
        ("lua", None, "lua5.4 -e 'local t = {} for i = 1, 3000000 do t[i % 5000 + 1] = (t[i % 5000 + 1] or 0) + #tostring(i) end print(t[7])'"), ("ruby", None, "ruby -e 'h = Hash.new(0); 1500000.times { |i| h[(i * 7919 % 5003).to_s] += i }; puts h.size'"),
        ("tclsh", "echo 'proc f n {expr {$n < 2 ? $n : [f [expr {$n-1}]] + [f [expr {$n-2}]]}}; puts [f 29]' >f.tcl", "tclsh f.tcl"), ("php", None, "php -r '$s = []; for ($i = 0; $i < 9000000; $i++) $s[$i % 5003] = $i . \"x\"; echo count($s);'"),
        ("gnuplot", seq, f'gnuplot -e "{plot}"'), ("dot", "(echo 'digraph g {'; seq 1 260 | awk '{print $1 \" -> \" $1 * 7 % 131 \"; \" $1 \" -> \" $1 * 11 % 97}'; echo '}') >g.dot", "dot -Tsvg g.dot"),
        ("git", seq, "git hash-object mixed numbers mixed numbers mixed numbers mixed numbers mixed numbers mixed numbers"), ("objdump", library, "objdump -d --stop-address=0x4000000 library"), ("strings", library, "strings -n 6 library"), ("nm", library, "sh -c 'nm -D --size-sort library library library library library library library library library'"),
        ("convert", None, "convert -seed 7 -size 900x900 plasma: -blur 0x4 -rotate 31 p.png"), ("tar -z", seq, "tar -czf out.tar.gz mixed numbers"), ("busybox sort", seq, "busybox sort mixed"))}
    found["gfortran -O3"] = ("m.f90", FORTRAN + "".join(FORTRAN.replace("module work", f"module w{i}").replace("use work", f"use w{i}").split("program main")[0] for i in range(40)), None, "gfortran -O3 -c m.f90 -o m.o")
    found["clang -O2"] = ("p.cc", CPP, None, "clang++ -O2 -c p.cc -o p.o")
    return found


def words_of(command):
    import shlex
    return shlex.split(command)


def make(program):
    file, text, build, command = program
    if file:
        with open(file, "w", encoding="utf-8") as out:
            out.write(text)
    if build:
        subprocess.run(build, shell=True, check=True)
    return command


def plain_name(name):
    """A name of perf or of mastermind without what only one of them has."""
    name = re.sub(r"(\.constprop|\.isra|\.part|\.cold|\.lto_priv|\._omp_fn|@).*", "", name.strip())
    module = re.match(r"__\w+_MOD_(\w+)$", name)
    if module:
        return module[1]
    depth, at = 0, 0
    for at, letter in enumerate(name):
        depth += (letter == "<") - (letter == ">")
        if letter == "(" and depth == 0 and at and not name.startswith("(anonymous", at) and not name.endswith("operator", 0, at):
            name = name[:at]
            break
    return re.sub(r"^(void|long|int|double|std::\w+<.*?>&?|unsigned long|bool) (?=[\w:]+(<|::|$))", "", name).strip("_")


def table_of(text):
    """{(file, function or ''): share}, CPU ms, samples of a table of mastermind."""
    shares, file, total, head = {}, None, 0., ""
    for line in text.splitlines():
        if line.lstrip().startswith("%CPU"):
            head = line
        at = head.find("where")
        found = re.match(r"(  )?(.*?)(?:  +\S+)?$", line[at:])
        numbers = line[:head.find("CPU ms") + len("CPU ms")].split()
        if not head or len(numbers) < 2 or not all(re.fullmatch(r"[\d.,]+", n) for n in numbers):
            continue
        share, ms, inner, name = float(numbers[0]), float(numbers[-1].replace(",", "")), found[1], found[2]
        if name == "in all":
            total = ms
            break
        if not inner:
            alone = re.match(r"(?:MPI, |OpenMP, )?([^:]+?)(?:: (.*))?$", name)
            file = "kernel" if name.startswith("kernel: ") else alone[1]
            shares[file, ""] = share
            if alone[2] and file != "kernel" and " first" not in alone[2] and "functions" not in alone[2]:
                shares[file, plain_name(alone[2])] = share
        elif not name.startswith("("):
            shares[file, plain_name(name)] = share
    return shares, total


def perf_shares(data, names):
    """The same from a recording of perf, of processes with these names."""
    text = subprocess.run(["perf", "script", "-i", data, "-F", "comm,ip,sym,dso", "--full-source-path"], capture_output=True, text=True, check=True).stdout
    counts, all_of_them = collections.Counter(), 0
    for line in text.splitlines():
        found = re.match(r"^ *(.*?) +([0-9a-f]+) (.*) \((.*)\)$", line)
        if not found or not (names is None or found[1].strip()[:15] in names) or found[1].strip() in ("mastermind", "launcher", "addr2line"):
            continue
        all_of_them += 1
        file = os.path.basename(found[4])
        if int(found[2], 16) >> 63:
            file = "kernel"
        counts[file, ""] += 1
        if file != "kernel":
            counts[file, plain_name(found[3])] += 1
    return {key: 100 * count / all_of_them for key, count in counts.items()}, all_of_them


def compare(name, program):
    """(shares of 5 % and more, the largest difference, where, samples of mastermind)"""
    command = make(program)
    perf = ["perf", "record", "-q", "-e", "task-clock", "-c", "211003", "-o", "data", "--"]
    if command.startswith("mpi:"):
        words = words_of(command[4:])
        n = words.index("-n") + 2
        words = words[:n] + ["sh", "-c", "if [ ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} = 0 ]; then exec " + " ".join(perf + ["mastermind"]) +
                             ' "$@"; else exec mastermind record --no-report -- "$@"; fi', "sh"] + words[n:]
    else:
        words = perf + ["mastermind", "record", "--"] + words_of(command)  # diff is a verb, too
    with open("out", "w", encoding="utf-8") as out:  # grep ends early where its output is /dev/null
        err = subprocess.run(words, stdout=out, stderr=subprocess.PIPE, text=True, check=False).stderr  # diff ends with 1
    ours, total_ms = table_of(err)
    if not ours:
        raise ValueError(f"{name}: no table: {err}")
    theirs, _ = perf_shares("data", None)
    own = {key: share for key, share in ours.items()}
    worst, where, seen = 0., "", 0
    for key in sorted({key for key, share in list(theirs.items()) + list(own.items()) if share >= 5}, key=str):
        file, function = key
        if file == "measuring" or function and (key not in own or key not in theirs):
            continue  # another name for it: its file is compared
        if file.startswith(("libmm_", "libmeas_")):
            continue
        seen += 1
        difference = own.get(key, 0.) - theirs.get(key, 0.)
        if abs(difference) > abs(worst):
            worst, where = difference, f"{file} {function}".strip()
    return seen, worst, where, total_ms


def shares(chosen):
    print("| program | CPU s | shares of 5 % and more | largest difference, points | of |\n|---|---|---|---|---|", flush=True)
    bad = count = 0
    more = more_of_debian()
    for name, program in {**programs(), **more}.items():
        if program[3].split()[0] in ("lzip", "zip", "brotli", "jq", "lua5.4", "ruby", "tclsh", "php", "gnuplot", "dot", "convert", "busybox") and not shutil.which(program[3].split()[0]):
            continue
        if chosen == ["debian"] and name not in more:
            continue
        if chosen and chosen != ["debian"] and not any(word in name for word in chosen):
            continue
        seen, worst, where, ms = compare(name, program)
        bad += abs(worst) > 4
        count += 1
        print(f"| {name} | {ms / 1000:.1f} | {seen} | {worst:+.1f} | {where} |", flush=True)
    print(f"\n{count} programs, {bad} with a share that differs by more than 4 points")
    return bad != 0


def measured(words, parent):
    """Peak in KiB and CPU seconds of a run from a small parent."""
    read, write = os.pipe()
    os.set_inheritable(write, True)
    with open(os.devnull, "w", encoding="utf-8") as null:
        child = subprocess.Popen(["sh", "-c", f'exec 9>&{write}; exec "$@"', "sh", parent] + words, stdout=null, stderr=null, close_fds=False)
    os.close(write)
    text = os.fdopen(read).read()
    child.wait()
    return float(text.split()[0]), float(text.split()[1])


def build_parent():
    with open("parent.c", "w", encoding="utf-8") as out:
        out.write(SMALL_PARENT)
    subprocess.run(["gcc", "-O2", "-o", "parent", "parent.c"], check=True)
    return os.path.realpath("parent")


def peak_of(err):
    found = re.search(r"peak memory ([\d.,]+) (\w+)", err)
    return float(found[1].replace(",", "")) * {"KiB": 1, "MiB": 1024, "GiB": 1 << 20}[found[2]]


def memory(chosen):
    parent = build_parent()
    print("| program | kernel, KiB | its runs differ by, % | table, KiB | difference, % |\n|---|---|---|---|---|", flush=True)
    bad = count = 0
    names = ["C work -O0", "C work -O2, static", "C work -O2", "C words -O3", "C++ -O2", "Fortran -O3", "OpenMP -O2", "threads -O2",
             "python3, dict", "python3, json", "sort", "gzip", "bzip2", "xz", "grep", "awk", "perl", "bash", "sqlite3", "cc -O2"]
    shorter = (("./w 160", "./w 5"), ("./p 160", "./p 10"), ("./f 400", "./f 10"), ("./o 1000", "./o 20"), ("./t 25000", "./t 300"), ("./h 30", "./h 3"),
               ("1500000", "100000"), ("400000", "30000"))
    for name in names:
        if chosen and not any(word in name for word in chosen):
            continue
        file, text, build, command = programs()[name]
        for long, short in shorter:
            build, command = build and build.replace(long, short), command.replace(long, short)
        command = make((file, text and text.replace("5000000", "200000").replace("range(200)", "range(5)"), build, command))
        words = words_of(command)
        kernel, table = [], []
        for _ in range(5):
            kernel.append(measured(words, parent)[0])
            table.append(peak_of(subprocess.run(["mastermind"] + words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False).stderr))
        true, ours = statistics.median(kernel), statistics.median(table)
        difference = 100 * (ours - true) / true
        bad += abs(difference) > 1 and not min(kernel) <= ours <= max(kernel)
        count += 1
        print(f"| {name} | {true:.0f} | {100 * (max(kernel) - min(kernel)) / true:.1f} | {ours:.0f} | {difference:+.2f} |", flush=True)
    print(f"\n{count} programs, {bad} differ by more than 1 % and are outside of the kernel's own range")
    return bad != 0


def cost(chosen):
    parent = build_parent()
    subprocess.run("seq 1 60000 | awk '{print $1 \",\" ($1*7919)%100003 \",word\" $1%977}' >import.csv", shell=True, check=True)
    found = {"sqlite3, import of 60,000 rows": ["sqlite3", ":memory:", "create table t(a,b,c)", ".mode csv", ".import import.csv t"]}
    for name in ("C work -O2", "C++ -O2", "python3, sum", "threads -O2", "gzip"):
        found[name] = words_of(make(programs()[name]))
    print("| program | plain CPU s, the fastest | under mastermind: fastest / fastest | median / median |\n|---|---|---|---|", flush=True)
    for name, words in found.items():
        if chosen and not any(word in name for word in chosen):
            continue
        plain, under = [], []
        for _ in range(15 if "sqlite3" in name else 7):
            plain.append(measured(words, parent)[1])
            err = subprocess.run(["mastermind"] + words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True).stderr
            amount, unit = re.search(r": ([\d.,]+) (\w+) of CPU time", err).groups()
            under.append(float(amount.replace(",", "")) * {"us": 1e-6, "ms": 1e-3, "s": 1}[unit])
        print(f"| {name} | {min(plain):.3f} | {min(under) / min(plain):.3f} | {statistics.median(under) / statistics.median(plain):.3f} |", flush=True)
    return 0


def main():
    what = sys.argv[1] if len(sys.argv) > 1 else "shares"
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        sys.exit({"shares": shares, "memory": memory, "cost": cost}[what](sys.argv[2:]))


main()
