# SPDX-License-Identifier: BSD-3-Clause
"""inputs.py: files for the programs of the battery, alike in each run."""
import json
import math
import os
import random
import struct
import subprocess

FILES = {
    "prog.c": r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct node { struct node *left, *right; int key; };
static struct node *insert(struct node *n, int key)
{
    if (!n) { n = calloc(1, sizeof *n); n->key = key; return n; }
    if (key < n->key) n->left = insert(n->left, key); else n->right = insert(n->right, key);
    return n;
}
static int depth(const struct node *n) { if (!n) return 0; int a = depth(n->left), b = depth(n->right); return 1 + (a > b ? a : b); }
int main(void)
{
    struct node *root = NULL;
    unsigned seed = 1;
    for (int i = 0; i < 1000; i++) { seed = seed * 1103515245u + 12345u; root = insert(root, (int)(seed >> 16)); }
    printf("%d\n", depth(root));
    return 0;
}
""",
    "prog.cc": r"""
#include <algorithm>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>
template <class T> struct Box { T value; Box(T v) : value(v) {} T twice() const { return value + value; } };
int main()
{
    std::map<std::string, std::vector<int>> all;
    for (int i = 0; i < 100; i++) all[std::to_string(i % 7)].push_back(Box<int>(i).twice());
    try { all.at("none"); } catch (const std::out_of_range &) { std::cout << all.size() << "\n"; }
}
""",
    "prog.f90": """
program p
  implicit none
  real(8) :: a(50, 50), b(50, 50)
  integer :: i
  call random_seed()
  a = 1.5d0; b = 0
  do i = 1, 50
    b = matmul(a, b) / 75 + a
  end do
  print *, sum(b)
end program
""",
    "prog.asm": "section .text\nglobal _start\n_start:\n" + "  mov rax, 60\n  xor rdi, rdi\n" * 500 + "  syscall\n",
    "prog.y": "%token NUM\n%left '+' '-'\n%left '*' '/'\n%%\ne: e '+' e | e '-' e | e '*' e | e '/' e | '(' e ')' | NUM ;\n%%\n",
    "prog.l": "%%\n[0-9]+ { return 1; }\n[a-z]+ { return 2; }\n\"/*\"([^*]|[*]+[^*/])*[*]+\"/\" ;\n[ \\t\\n] ;\n. { return 3; }\n%%\n",
    "prog.lua": """
local function fib(n) if n < 2 then return n end return fib(n-1) + fib(n-2) end
print(fib(20))
local co = coroutine.wrap(function() for i = 1, 1000 do coroutine.yield(i) end end)
local s = 0 for i = 1, 999 do s = s + co() end print(s)
for i = 1, 200 do local ok, e = pcall(function() error({i}) end) s = s + e[1] end print(s)
local t = {} for i = 1, 5000 do t[i] = (i * 7919) % 5003 end table.sort(t) print(t[1], t[5000])
local text = string.rep("abc def ", 500) print(#text:gsub("%w+", string.upper))
""",
    "prog.py": """
import collections, json, re, sqlite3, zlib, itertools, decimal
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(18), zlib.crc32(b'x' * 10000))
def gen():
    for i in range(1000): yield i
print(sum(gen()))
for i in range(100):
    try: raise ValueError(i)
    except ValueError as e: pass
print(json.dumps(json.loads('[1, {"a": [2.5, null]}]')), re.sub(r'(a+)b', r'<\\1>', 'aab' * 10))
d = sqlite3.connect(':memory:'); d.execute('create table t(a)'); d.executemany('insert into t values(?)', [(i,) for i in range(1000)])
print(d.execute('select sum(a) from t').fetchall(), decimal.Decimal(2).sqrt())
""",
    "prog.pl": """
use strict; my %h; open(my $f, '<', 'words.txt') or die; while (<$f>) { chomp; $h{$_}++ for split / /; } 
my @k = sort { $h{$b} <=> $h{$a} || $a cmp $b } keys %h; print "$k[$_] $h{$k[$_]}\\n" for 0..20;
eval { die { code => 5 } }; print $@->{code}, "\\n"; my $s = 'aab' x 100; $s =~ s/(a+)b/<$1>/g; print length $s, "\\n";
sub fib { my $n = shift; $n < 2 ? $n : fib($n - 1) + fib($n - 2) } print fib(15), "\\n";
""",
    "prog.awk": "{ for (i = 1; i <= NF; i++) n[$i]++ } END { for (w in n) s += n[w] * length(w); print s, NR; printf \"%.6f\\n\", sin(s) }\n",
    "prog.tcl": "proc fib n { expr {$n < 2 ? $n : [fib [expr {$n-1}]] + [fib [expr {$n-2}]]} }\nputs [fib 15]\nfor {set i 0} {$i < 100} {incr i} { catch {error x} m }\nputs [lsort -integer {5 3 9 1}]\ncoroutine c apply {{} {for {set i 0} {$i < 100} {incr i} {yield $i}}}\nfor {set i 0} {$i < 50} {incr i} {c}\nputs [c]\n",
    "prog.rb": "def fib(n) n < 2 ? n : fib(n-1) + fib(n-2) end\nputs fib(18)\nf = Fiber.new { 100.times { |i| Fiber.yield i } }\n50.times { f.resume }\nputs f.resume\n100.times { begin; raise 'x'; rescue => e; end }\nt = Thread.new { 5 }\nputs t.value\nputs catch(:a) { throw :a, 3 }\n",
    "prog.php": "<?php function fib($n) { return $n < 2 ? $n : fib($n-1) + fib($n-2); } echo fib(18), \"\\n\"; for ($i = 0; $i < 100; $i++) try { throw new Exception('x'); } catch (Exception $e) {} function g() { for ($i = 0; $i < 100; $i++) yield $i; } echo array_sum(iterator_to_array(g())), \"\\n\"; echo preg_replace('/a+/', 'b', str_repeat('aac', 50)), md5('x'), \"\\n\";",
    "prog.scm": "(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))\n(display (fib 18))(newline)\n(display (call/cc (lambda (k) (for-each (lambda (x) (if (> x 2) (k x))) '(1 2 3 4)) 0)))(newline)\n(display (catch 'a (lambda () (throw 'a 1)) (lambda x x)))(newline)\n",
    "prog.sh": "i=0; s=0; while [ $i -lt 2000 ]; do s=$((s + i * i % 7)); i=$((i + 1)); done; echo $s; for f in *.txt; do echo \"$f\" | tr a-z A-Z; done; f() { [ $1 -gt 0 ] && f $(($1 - 1)); echo $1; }; f 20 | tail -n 1; (exit 3); echo $?; trap 'echo bye' EXIT; kill -0 $$ && echo self\n",
    "prog.sql": "create table t(a integer primary key, b text, c real);\nwith recursive n(i) as (select 1 union all select i + 1 from n where i < 5000) insert into t select i, 'word' || (i * 7919 % 5003), i * 0.5 from n;\ncreate index tb on t(b);\nselect count(*), sum(c), min(b), max(b) from t;\nselect a, b from t where b like 'word12%' order by b limit 10;\nselect c > 1000, avg(a), group_concat(substr(b, 1, 5)) from (select * from t limit 50) group by 1;\n",
    "prog.bc": "scale=60\n4*a(1)\ndefine f(n) { if (n < 2) return n; return f(n-1) + f(n-2); }\nf(15)\n2^500\n",
    "prog.dc": "50k 2v p 3 200 ^ p\n",
    "prog.gp": "set terminal svg size 400,300\nset output '/dev/null'\nplot sin(x)/x, besj0(x)\nfit_f(x) = a*x + b\na = 1; b = 1\nset fit quiet logfile '/dev/null'\nfit fit_f(x) 'numbers.txt' using 0:1 via a, b\nprint a, b\n",
    "prog.m4": "define(`rep', `ifelse($1, 0, , `$2`'rep(decr($1), `$2')')')dnl\nrep(200, `ab')\neval(2**10)\n",
    "prog.mk": "all: a b c\n%: words.txt\n\t@echo $@ $(words $(wildcard *.txt))\n.PHONY: all\n",
    "prog.pari": "print(factor(2^101-1)); print(sum(i=1,1000,1/i^2+0.)); print(polroots(x^5-x-1)); print(primes(20))\nquit\n",
    "prog.lp": "Maximize obj: 3 x + 2 y + 4 z\nSubject To c1: x + y + z <= 10\n c2: 2 x + z <= 8\n c3: y - z >= -3\nBounds x <= 4\nGeneral x y z\nEnd\n",
    "prog.smt2": "(declare-const a Int)(declare-const b Int)(assert (and (> a 2) (< b 10) (= (+ a (* 3 b)) 23)))(check-sat)(declare-const v (_ BitVec 16))(assert (= (bvmul v v) #x0031))(check-sat)\n",
    "graph.dot": "digraph g {" + "".join(f"n{i} -> n{i * 7 % 60};" for i in range(60)) + "}\n",
    "page.html": "<html><head><title>t</title></head><body>" + "<p>word <b>bold</b> <i>x</p>" * 200 + "</body></html>\n",
    "page.md": "# Title\n" + "text *bold* [link](x)\n\n" * 100,
    "man.1": ".TH X 1\n.SH NAME\nx \\- y\n" + ".PP\nSome text with \\fBbold\\fR words.\n" * 100,
    "style.xsl": '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:output method="text"/><xsl:template match="/"><xsl:for-each select="//item[@n mod 3 = 0]"><xsl:sort select="name"/><xsl:value-of select="concat(name, &quot; &quot;, @n)"/><xsl:text>&#10;</xsl:text></xsl:for-each></xsl:template></xsl:stylesheet>\n',
}


def make(folder):
    random.seed(7)
    os.chdir(folder)
    letters = [chr(97 + i) for i in range(26)]
    words = ["".join(random.choices(letters, k=random.randint(2, 9))) for _ in range(800)]
    for name, text in FILES.items():
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)
    with open("words.txt", "w", encoding="utf-8") as file:
        for _ in range(6000):
            file.write(" ".join(random.choices(words, k=8)) + "\n")
    with open("lines.txt", "w", encoding="utf-8") as file:
        file.write("\n".join(sorted(random.choices(words, k=3000))) + "\n")
    with open("numbers.txt", "w", encoding="utf-8") as file:
        file.write("\n".join(str(random.randint(0, 10**9)) for _ in range(30000)) + "\n")
    with open("table.csv", "w", encoding="utf-8") as file:
        file.write("a,b,c\n" + "".join(f"{i},{random.choice(words)},{random.random():.6f}\n" for i in range(3000)))
    with open("mixed.bin", "wb") as file:
        file.write(random.randbytes(200000) + open("words.txt", "rb").read() + bytes(300000))
    with open("data.json", "w", encoding="utf-8") as file:
        json.dump([{"n": i, "name": random.choice(words), "list": list(range(i % 9))} for i in range(3000)], file)
    with open("data.xml", "w", encoding="utf-8") as file:
        file.write("<all>" + "".join(f'<item n="{i}"><name>{random.choice(words)}</name></item>' for i in range(3000)) + "</all>\n")
    with open("image.ppm", "wb") as file:
        file.write(b"P6 120 90 255\n" + bytes((x * y // 3 + c * 40) % 256 for y in range(90) for x in range(120) for c in range(3)))
    with open("sound.wav", "wb") as file:
        sound = b"".join(struct.pack("<h", int(12000 * math.sin(i * .05) * math.sin(i * .0007))) for i in range(60000))
        file.write(b"RIFF" + struct.pack("<I", 36 + len(sound)) + b"WAVEfmt " +
                   struct.pack("<IHHIIHH", 16, 1, 1, 22050, 44100, 2, 16) + b"data" + struct.pack("<I", len(sound)) + sound)
    with open("clauses.cnf", "w", encoding="utf-8") as file:
        file.write("p cnf 120 480\n" + "".join(" ".join(str(random.choice((-1, 1)) * random.randint(1, 120)) for _ in range(3)) + " 0\n" for _ in range(480)))
    for command in ("gzip -nk words.txt", "bzip2 -k words.txt", "xz -k words.txt", "zstd -q -k words.txt", "cp words.txt words2.txt",
                    "sed -i 100,200d words2.txt", "tar --sort=name --mtime=@0 --owner=0 --group=0 -cf files.tar words.txt data.json",
                    "git init -q -b main repo", "cp words.txt prog.c repo", "git -C repo add .",
                    "git -C repo -c user.name=a -c user.email=a@b -c commit.gpgsign=false commit -q -m one --date=@0"):
        subprocess.run(command.split(), check=False, env={**os.environ, "GIT_COMMITTER_DATE": "@0 +0000", "HOME": folder},
                       stdout=subprocess.DEVNULL)
