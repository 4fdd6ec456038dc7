/* SPDX-License-Identifier: BSD-3-Clause */
/* code.h: find the functions of an ELF file (x86-64) whose first instructions can be
 * moved elsewhere, so that a jump to the recorder fits in their place. The file is only
 * read, not run. A function is refused unless it certainly behaves alike with and without
 * the jump. */
#ifndef MASTERMIND_DECODE_CODE_H
#define MASTERMIND_DECODE_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "ports/cca_error.h"

enum {
    MM_CODE_JUMP = 5,      /* length in bytes of the jump that the recorder will write */
    MM_CODE_ORIGINAL = 24, /* largest number of bytes that are moved */
    MM_CODE_MOVED = 96,    /* largest length of the moved code, in bytes */
    MM_CODE_FIXES = 8
};

/* Reasons for not moving the beginning of a function. */
enum mm_code_refusal {
    MM_CODE_MOVABLE,
    MM_CODE_SHORT,  /* the function has fewer bytes than the jump */
    MM_CODE_TARGET, /* some code or data refers to one of the moved bytes other than the
                       first */
    /* the function computes addresses of its own code and jumps there */
    MM_CODE_LABELS,
    MM_CODE_UNREADABLE, /* some of the function's code cannot be decoded */
    MM_CODE_OVERLAP,    /* another function begins inside the function */
    /* an instruction at the beginning cannot be rewritten for another address */
    MM_CODE_FORM,
    MM_CODE_CALL, /* the first bytes contain a call whose return address would lie inside
                     the jump */
    MM_CODE_UNWIND, /* no entry of the unwind information begins where the function
                     * begins */
    MM_CODE_PART,   /* the code is a part of another function */
    /* in a file without symbols: neither a call of the function nor a use of its address
       was found */
    MM_CODE_UNCALLED,
    MM_CODE_START,  /* start code of the program or library */
    MM_CODE_RETURN, /* the function reads or changes its own return address */
    /* the function returns twice (setjmp), looks up its caller (dlopen), or ends with a
     * jump to such a function */
    MM_CODE_TWICE,
    /* an IFUNC resolver: the dynamic linker calls it to choose an implementation */
    MM_CODE_RESOLVER,
    MM_CODE_REFUSALS
};

/* For each reason a short name without blanks (`mm_code_words`), and a clause to follow
 * "it is not recorded: " (`mm_code_reasons`). */
extern const char *const mm_code_words[MM_CODE_REFUSALS];
extern const char *const mm_code_reasons[MM_CODE_REFUSALS];

/* A number in the moved bytes that depends on the address of these bytes. */
struct mm_code_fix {
    unsigned char at; /* offset of the number's first byte */
    /* size of the number in bytes: 4: it is the distance of `target` from offset `end`;
     * 8: it is `target` itself */
    unsigned char size;
    unsigned char end;
    uint64_t target; /* address that the number refers to, as in the file */
};

struct mm_code_function {
    uint64_t address, size;
    /* address where the jump will be: the function's address, or the byte after its
     * endbr64 */
    uint64_t site;
    /* name in the symbol table, borrowed from struct mm_code; NULL: no symbol */
    const char *name;
    enum mm_code_refusal refusal;
    unsigned char length; /* number of bytes at `site` that are moved */
    unsigned char moved_length, fix_count;
    unsigned char original[MM_CODE_ORIGINAL];
    /* the code for the moved bytes; a jump back to the function will follow it */
    unsigned char moved[MM_CODE_MOVED];
    struct mm_code_fix fixes[MM_CODE_FIXES];
};

struct mm_code {
    struct mm_code_function *functions; /* [count], ascending by address */
    size_t count;
    int has_symbols; /* true if the file has symbols; else the functions are the ranges of
                        its unwind information */
    struct code_file *file;
};

/* Read the functions of a file.
 *
 *   path  in   a program or a shared library
 *   code  out  done with mm_code_done, also after a failure
 *
 * Returns 0, or a negative errno with `err`: -ENOEXEC: no ELF file of this kind;
 * -EBADMSG: damaged; -ENOTSUP: none of its functions may be moved, with the reason, or
 * this build has no decoder (Zydis); -EIO; -ENOMEM. */
int mm_code_read(struct mm_code *code, const char *path, struct cca_error *err);
void mm_code_done(struct mm_code *code);

#endif
