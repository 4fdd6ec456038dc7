#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Functions whose beginning must stay where it is: each rule of refusal with a function that breaks
# it. The program does the same, recorded and not.
. "$(dirname "$0")/../lib/lib.sh"
skip_sanitized "no sanitizer bears what stands in front of it"
[ "$(uname -m)" = x86_64 ] || skip "this is no x86-64"
[ -e /usr/include/Zydis/Zydis.h ] || skip "this build is without Zydis"
export XDG_CACHE_HOME=$dir/cache

cat > rules.S <<'S'
    .text
#define BEGIN(name) .p2align 4; .globl name; .type name, @function; name: .cfi_startproc
#define END(name) .cfi_endproc; .size name, . - name
BEGIN(f_moves)         /* short jumps, addresses relative to the place */
    test %edi, %edi
    je 1f
    mov number(%rip), %eax
    ret
1:  mov $2, %eax
    ret
END(f_moves)
BEGIN(f_calls)         /* a call that ends behind the fifth byte is moved */
    push %rbx
    .cfi_adjust_cfa_offset 8
    call f_moves
    pop %rbx
    .cfi_adjust_cfa_offset -8
    add $1, %eax
    ret
END(f_calls)
BEGIN(f_short)
    mov %edi, %eax
    ret
END(f_short)
BEGIN(f_target)        /* a loop into the first five bytes */
    xor %eax, %eax
1:  inc %eax
    cmp %edi, %eax
    jl 1b
    ret
END(f_target)
BEGIN(f_address)       /* its second instruction is an address in data */
    xor %eax, %eax
f_inside:
    lea 3(%rax), %eax
    nop
    nop
    ret
END(f_address)
BEGIN(f_labels)        /* computes an address inside itself */
    mov $1, %eax
    lea 1f(%rip), %rdx
    movslq %edi, %rcx
    add %rcx, %rdx
    jmp *%rdx
1:  nop
    nop
    ret
END(f_labels)
BEGIN(f_data)          /* not decodable from end to end */
    mov $4, %eax
    jmp 1f
    .byte 0x06, 0x06
1:  ret
END(f_data)
BEGIN(f_loop)          /* has no form that goes further */
    mov %edi, %ecx
    jrcxz 1f
    nop
1:  mov $5, %eax
    ret
END(f_loop)
BEGIN(f_early)         /* calls by a register before the fifth byte */
    push %rbx
    .cfi_adjust_cfa_offset 8
    call *%rsi
    mov $6, %eax
    pop %rbx
    .cfi_adjust_cfa_offset -8
    ret
END(f_early)
    .p2align 4
    .globl f_bare
    .type f_bare, @function
f_bare:                /* no unwind information */
    mov $7, %eax
    nop
    nop
    ret
    .size f_bare, . - f_bare
BEGIN(f_part)          /* a part of a function: the stack is lower already */
    .cfi_adjust_cfa_offset 8
    mov $8, %eax
    add $8, %rsp
    .cfi_adjust_cfa_offset -8
    ret
END(f_part)
BEGIN(f_return)        /* reads its own return address */
    nop
    nop
    mov (%rsp), %rax
    shr $63, %rax
    add $9, %eax
    ret
END(f_return)
BEGIN(f_twice)         /* goes on as a function that returns twice */
    lea buffer(%rip), %rdi
    nop
    jmp _setjmp@PLT
END(f_twice)
    .data
    .globl inside
inside: .quad f_inside
number: .long 1
    .bss
    .p2align 4
buffer: .skip 512
    .section .note.GNU-stack, "", @progbits
S
cat > rules.c <<'C'
#include <stdio.h>
int f_moves(int), f_calls(int), f_short(int), f_target(int), f_address(void), f_labels(int), f_data(void),
    f_loop(int), f_early(int, void (*)(void)), f_bare(void), f_return(void), f_twice(void);
extern int (*inside)(void);
static void nothing(void) { }
__attribute__((noinline)) int f_resolved_one(int n) { return n * 3 + 1; }
static int (*resolve(void))(int) { return f_resolved_one; }
int f_resolved(int n) __attribute__((ifunc("resolve")));
int main(void)
{
    int s = 0;
    for (int k = 0; k < 100; k++)
        s += f_moves(k & 1) + f_calls(k & 1) + f_short(k) + f_target(k) + f_address() + f_labels(k & 1) + f_data() +
             f_loop(k) + f_early(k, nothing) + f_bare() + f_return() + f_twice() + f_resolved(k);
    printf("%d\n", s);
    return s & 63;
}
C
for how in "-fPIE -pie" "-fno-pie -no-pie"; do
    # shellcheck disable=SC2086
    gcc -O1 -w $how -o rules rules.c rules.S -Wl,-z,notext || exit 1
    ./rules > plain
    status=$?
    rm -rf r.mm cache
    run $status mastermind record --functions '*' --storage rows --no-report -o r.mm -- ./rules
    cmp -s plain out || fail "$how: another result"
    for rule in short target address=target labels data=unreadable loop=form early=call bare=unwind return twice; do
        name=f_${rule%=*} word=${rule#*=}
        found=$(sed -n "s/^[0-9a-f]* 0 $name //p" cache/mastermind/entries/*)
        equal "$how: $name" "$word" "$found"
    done
    equal "$how: f_part" part "$(sed -n 's/^[0-9a-f]* 0 f_part //p' cache/mastermind/entries/*)"
    equal "$how: _start" start "$(sed -n 's/^[0-9a-f]* 0 _start //p' cache/mastermind/entries/*)"
    equal "$how: the resolver" resolver "$(sed -n 's/^[0-9a-f]* 0 \(resolve\|f_resolved\) //p' cache/mastermind/entries/* | sort -u)"
    mastermind records r.mm > rows.csv
    for name in f_moves:200 f_calls:100 f_resolved_one:100; do
        equal "$how: calls of ${name%:*}" "${name#*:}" "$(grep -c ",${name%:*}," rows.csv)"
    done
done

# --- Whole files: one line, and the program runs
cat > own.c <<'C'
#include <stdlib.h>
static char memory[1 << 20];
static size_t used;
__attribute__((noinline)) void *malloc(size_t n) { void *p = memory + used; used += (n + 15) & ~15ul; return p; }
void free(void *p) { (void)p; }
int main(void) { return malloc(10) == NULL; }
C
gcc -O1 -w -fno-builtin -o own own.c || exit 1
expect 0 'it has an allocator of its own' mastermind record --functions '*' --no-report -- ./own
printf 'int main(void) { return 4; }\n' > static.c
gcc -static -o static static.c && expect 4 'it is linked statically' mastermind record --functions '*' -- ./static
cat > thrown.cc <<'C'
int main() { try { throw 1; } catch (int n) { return n + 4; } }
C
g++ -static-libgcc -static-libstdc++ -o thrown thrown.cc &&
    expect 5 'an unwinder is linked into it' mastermind record --functions '*' --no-report -- ./thrown
finish
