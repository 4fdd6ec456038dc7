#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# C++ names as people write them, in record, the table of a whole run and lists; --only and --except
# for functions, libraries and regions; each piece of advice that record prints can be run.
. "$(dirname "$0")/../lib/lib.sh"
skip_sanitized "no sanitizer bears what stands in front of it"
[ "$(uname -m)" = x86_64 ] || skip "this is no x86-64"
[ -e /usr/include/Zydis/Zydis.h ] || skip "this build is without Zydis"
export XDG_CACHE_HOME=$dir/cache

# methods EXPERIMENT: the names of its methods, sorted, one a line
methods() {
    mastermind report "$1" --json | python3 -c 'import json, sys
print("\n".join(sorted(m["method"] for m in json.load(sys.stdin)["methods"])))'
}
# has NAME..., lacks NAME...: methods.txt
has() { for name in "$@"; do grep -qxF -- "$name" methods.txt || fail "no method $name: $(cat methods.txt)"; done; }
lacks() { for name in "$@"; do ! grep -qxF -- "$name" methods.txt || fail "there is a method $name"; done; }

# --- Rules, on demangled names
cat > plain.c <<'C'
#include <stdio.h>
#include "common/cxx_name.h"
int main(void)
{
    char line[4096];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        cca_cxx_plain(line);
        puts(line);
    }
    return 0;
}
C
gcc -Wall -Wextra -Werror -I"$root" -o plain plain.c || exit 1
while IFS='|' read -r name wanted; do
    equal "$name" "$wanted" "$(printf '%s\n' "$name" | ./plain)"
done <<'L'
plain|plain
space::grid<double, 8>::sweep(int)|space::grid<double, 8>::sweep
(anonymous namespace)::hidden(int)|hidden
foo::bar[abi:cxx11](int) const|foo::bar
auto apply<main::{lambda(int)#1}>(main::{lambda(int)#1}, int)|apply<main::{lambda(int)#1}>
decltype (f(1)) call<int>(int)|call<int>
a::b::operator()(int) const|a::b::operator()
a::operator unsigned long() const|a::operator unsigned long
void a::operator delete(void*)|a::operator delete
x::operator->() const|x::operator->
bool operator< <int>(X<int> const&, X<int> const&)|operator< <int>
T<&(f(int))>::go()|T<&(f(int))>::go
non-virtual thunk to derived::go(int)|derived::go
void std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::_M_construct<char*>(char*, char*, std::forward_iterator_tag)|std::string::_M_construct<char*>
std::__cxx11::basic_string<wchar_t, std::char_traits<wchar_t>, std::allocator<wchar_t> >::append(wchar_t const*)|std::wstring::append
std::vector<std::vector<double, std::allocator<double> >, std::allocator<std::vector<double, std::allocator<double> > > >::push_back(std::vector<double, std::allocator<double> > const&)|std::vector<std::vector<double>>::push_back
std::unordered_map<int, foo, std::hash<int>, std::equal_to<int>, std::allocator<std::pair<int const, foo> > >::find(int const&)|std::unordered_map<int, foo>::find
std::map<int, foo, std::greater<int>, std::allocator<std::pair<int const, foo> > >::find(int const&)|std::map<int, foo, std::greater<int>>::find
std::vector<int, pool::allocator<int> >::clear()|std::vector<int, pool::allocator<int>>::clear
L

# --- In a program
cat > mesh.cc <<'C'
#include <cstdio>
#include <string>
#include <vector>
#define OWN __attribute__((noinline))
namespace space {
template <class T, int N> struct grid {
    std::vector<T> v = std::vector<T>(N);
    OWN T sweep(int n) { T s{}; for (int i = 0; i < n * 100; i++) s = s + v[i % N] + T(1); return s; }
    OWN bool operator<(const grid &o) const { return v.size() + v.capacity() < o.v.size(); }
};
}
static volatile int sink;
OWN void part(int n) { for (int i = 0; i < n; i++) sink = sink + i; }
OWN void part(long n) { for (long i = 0; i < n; i++) sink = sink - 1; }
OWN std::string join(const std::vector<std::string> &v) { std::string r; for (auto &x : v) r += x; return r; }
int main()
{
    space::grid<double, 8> g;
    double sum = 0;
    for (int i = 1; i < 20; i++) {
        sum += g.sweep(i) + (g < g) + (double)join({"a", "bc"}).size();
        part(i);
        part((long)i);
    }
    printf("%g\n", sum);
    return 0;
}
C
g++ -O1 -g -o mesh mesh.cc || exit 1
record() {
    rm -rf m.mm
    run 0 mastermind record "$@" --storage rows --no-report -o m.mm -- ./mesh
    methods m.mm > methods.txt
}
record --functions '*'
has 'space::grid<double, 8>::sweep' 'space::grid<double, 8>::operator<' join part 'part#2' main
record --functions 'space::grid<double, 8>::sweep,join,space::grid<double, 8>::operator<'
equal "names in a list" 3 "$(wc -l < methods.txt)"
has 'space::grid<double, 8>::sweep' 'space::grid<double, 8>::operator<' join
record --functions '*' --only 'space::*,part' --except 'space::grid<double, 8>::operator<'
has 'space::grid<double, 8>::sweep' part 'part#2'
lacks 'space::grid<double, 8>::operator<' main join
record --functions '*' --except 'part#2' --except join
has part main
lacks 'part#2' join

# --- Regions, instrumented functions and libraries
cat > parts.c <<'C'
#include <stdlib.h>
#include <zlib.h>
#include "mm_region.h"
__attribute__((noinline)) unsigned long sum(const unsigned char *b, int n) { unsigned long s = 0; for (int i = 0; i < n; i++) s += b[i]; return s; }
__attribute__((noinline)) unsigned long twice(const unsigned char *b, int n) { return sum(b, n) + sum(b, n / 2); }
int main(void)
{
    static unsigned char bytes[10000];
    unsigned long all = 0;
    for (int n = 100; n < 10000; n += 100) {
        mm_region_begin("outer", mm_param(n));
        mm_region_begin("inner", mm_param(n));
        all += twice(bytes, n) + crc32(0, bytes, n) + adler32(0, bytes, n);
        mm_region_end();
        mm_region_end();
    }
    return all == 0;
}
C
gcc -O1 -g -I"$root/mastermind/preload" -o parts parts.c -lz || exit 1
gcc -O1 -g -finstrument-functions -I"$root/mastermind/preload" -o hooked parts.c -lz || exit 1
for program in parts hooked; do
    rm -rf p.mm
    run 0 mastermind record --functions '*' --except 'inner,twice' --no-report -o p.mm -- ./$program
    methods p.mm > methods.txt
    has outer sum
    lacks inner twice
done
run 0 mastermind record --only outer --no-report -o o.mm -- ./parts
methods o.mm > methods.txt
equal "one region" outer "$(cat methods.txt)"
if [ -e /usr/include/zlib.h ]; then
    run 0 mastermind record --library z --functions 'sum,twice' --except 'adler32,twice,inner' --no-report -o z.mm -- ./parts
    methods z.mm > methods.txt
    has crc32 sum outer
    lacks adler32 twice inner
fi

# --- Advice: commands that the program prints are run as printed
cat > short.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) int cmp(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
__attribute__((noinline)) void sort(int *list, int n) { for (int i = 0; i < n; i++) list[i] = i * 7919 % 10007; qsort(list, n, sizeof *list, cmp); }
int main(int count, char **words)
{
    static int list[10000];
    long sum = 0;
    for (int i = 0; i < 60; i++) { sort(list, 5000); sum += list[i]; }
    if (count > 1) { if (!fork()) { execl(words[0], words[0], (char *)NULL); _exit(1); } wait(NULL); }
    printf("%ld\n", sum);
    return 0;
}
C
gcc -O1 -g -o short short.c || exit 1
# report: measuring is much of the run, for short calls
run 0 mastermind record --functions '*' --storage rows -o s.mm -- ./short
advice=$(grep -o -- "record without them: --except '.*'" err | sed 's/record without them: //')
[ -n "$advice" ] || advice="--except cmp" # the host took so much that measuring is little of the run
run 0 bash -c "mastermind record --functions '*' --storage rows $advice --no-report -o t.mm -- ./short"
methods t.mm > methods.txt
has sort
lacks cmp
# the table of a whole run: the next command
run 0 mastermind ./short
advice=$(sed -n 's/^next: //p' err)
if [ -n "$advice" ]; then # without samples there is none
    run 0 bash -c "$advice"
    grep -q "^experiment short-1.mm: 1 method" err || fail "advice of the whole run: $advice"
fi
# processes that were not recorded
rm -rf ./*.mm
run 0 mastermind record --functions sort -o u.mm -- ./short x
grep -q "not recorded: short; --children records it" err || fail "no advice beside children"
run 0 mastermind record --functions sort --children -o v.mm -- ./short x
grep -q "1 process that it started is recorded: short-1.mm" err || fail "--children does not record it"

# --- Options that messages name exist
mastermind help --reference > reference
python3 - "$root" <<'P' || fail "messages name options that do not exist"
import pathlib, re, sys
known = set(re.findall(r"--[a-z][a-z-]*", open("reference").read())) | {"--help", "--version", "--reference", "--schema",
                                                                       "--completion", "--man"}
known |= {"--interpose", "--functions", "--table", "--sidecar", "--describe", "--available", "--suggest", "--signature",
          "--array", "--cflags-only-", "--format", "--job-name", "--jobs", "--noheader", "--parsable", "--mem", "--ntasks", "--open-mode", "--output", "--requeue", "--tau-profiles"}  # of proxygen, pkg-config, sbatch, sacct, ccafe
unknown = {}
for path in list(pathlib.Path(sys.argv[1], "mastermind").rglob("*.c")):
    text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
    for literal in re.findall(r'"(?:[^"\\\n]|\\.)*"', text):
        for option in re.findall(r"(?<![\w-])--[a-z][a-z-]+", literal):
            if option not in known and literal.strip('"') != option:
                unknown.setdefault(option, path)
print(unknown)
sys.exit(bool(unknown))
P
finish
