/* SPDX-License-Identifier: BSD-3-Clause */
/* code.h: the functions of an ELF file (x86-64) whose beginning can be moved elsewhere,
 * so that a jump has room there.
 *
 * Nothing is run and nothing is written. A function is refused where there is a doubt:
 * the program must do the same with and without the jump. */
#ifndef MASTERMIND_DECODE_CODE_H
#define MASTERMIND_DECODE_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "ports/cca_error.h"

enum {
    MM_CODE_JUMP = 5,      /* bytes of the jump that is to be written */
    MM_CODE_ORIGINAL = 24, /* most bytes that are moved */
    MM_CODE_MOVED = 96,    /* most bytes that they become */
    MM_CODE_FIXES = 8
};

/* Reasons for which a function is not moved. */
enum mm_code_refusal {
    MM_CODE_MOVABLE,
    MM_CODE_SHORT,      /* fewer bytes than the jump takes */
    MM_CODE_TARGET,     /* some code or data refers to the bytes behind the first */
    MM_CODE_LABELS,     /* it computes addresses inside itself and jumps there */
    MM_CODE_UNREADABLE, /* not decodable from end to end */
    MM_CODE_OVERLAP,    /* another function lies in it */
    MM_CODE_FORM,       /* an instruction at its beginning has no longer form */
    MM_CODE_CALL,       /* a call at its beginning ends too early */
    MM_CODE_UNWIND,     /* no unwind information begins with it */
    MM_CODE_PART,       /* a part of another function */
    MM_CODE_UNCALLED,   /* without symbols: neither called nor its address taken */
    MM_CODE_START,      /* the program's or library's start */
    MM_CODE_RETURN,     /* it reads or changes its own return address */
    MM_CODE_TWICE,      /* it goes on as a function that asks who called it, or that
                           returns twice */
    MM_CODE_RESOLVER,   /* it chooses among implementations as the program is linked */
    MM_CODE_REFUSALS
};

/* A word for each, without blanks, and a clause behind "it is not recorded: ". */
extern const char *const mm_code_words[MM_CODE_REFUSALS];
extern const char *const mm_code_reasons[MM_CODE_REFUSALS];

/* A number in the moved bytes that depends on where they are. */
struct mm_code_fix {
    unsigned char at; /* offset of its first byte */
    unsigned char
        size; /* 4: distance of `target` from offset `end`; 8: `target` itself */
    unsigned char end;
    uint64_t target; /* address of the file */
};

struct mm_code_function {
    uint64_t address, size;
    uint64_t site;    /* of the jump: the address, or behind its endbr64 */
    const char *name; /* of the symbol table, borrowed from the code; NULL: none */
    enum mm_code_refusal refusal;
    unsigned char length; /* bytes at `site` that are moved */
    unsigned char moved_length, fix_count;
    unsigned char original[MM_CODE_ORIGINAL];
    unsigned char moved[MM_CODE_MOVED]; /* ends with a jump behind those bytes */
    struct mm_code_fix fixes[MM_CODE_FIXES];
};

struct mm_code {
    struct mm_code_function *functions; /* [count], ascending by address */
    size_t count;
    int has_symbols; /* false: functions are ranges of unwind information */
    struct code_file *file;
};

/* Read the functions of a file.
 *
 *   path  in   a program or a shared library
 *   code  out  done with mm_code_done, also after a failure
 *
 * 0, or a negative errno with `err`: -ENOEXEC no ELF file of this kind; -EBADMSG damaged;
 * -ENOTSUP nothing of it may be moved, with the reason, or this build is without Zydis;
 * -EIO; -ENOMEM. */
int mm_code_read(struct mm_code *code, const char *path, struct cca_error *err);
void mm_code_done(struct mm_code *code);

#endif
