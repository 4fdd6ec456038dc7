/* SPDX-License-Identifier: BSD-3-Clause */
/* proxy_table.h: the table of methods in every generated proxy library, for tools.
 *
 * It is the data symbol `cca_proxy_table`, in interposition libraries
 * `mm_interpose_table`, reached through the file's relocations without running any of its
 * code. Table proxies are linked into any program or library, which need not export
 * symbols; an ELF note in the file locates their tables. A reader checks `abi` and `size`
 * first. */
#ifndef PROXIES_PROXY_TABLE_H
#define PROXIES_PROXY_TABLE_H

#include "ports/monitor_port.h"

#define PROXY_TABLE_ABI 1u

/* An argument of a method, except `self`; both strings are as in the header. */
struct proxy_table_arg {
    const char *name;
    const char *type;
};

struct proxy_table_method {
    const char *name;
    const char *result; /* result type */
    const struct proxy_table_arg *args;
    size_t arg_count;
    const struct monitor_value_decl
        *values; /* values of the method: in-values, then out-values */
    size_t in_count;
    size_t out_count;
    int unmeasured; /* true if calls are only forwarded, without values */
};

struct proxy_table {
    unsigned abi;          /* PROXY_TABLE_ABI */
    unsigned size;         /* sizeof(struct proxy_table) when the proxy was compiled */
    const char *port_type; /* type of the port; for an interposition library the name of
                              its header, "zlib.h"; for a table proxy the table's type */
    size_t port_size;      /* size of the port's struct; 0 for an interposition library */
    const struct proxy_table_method *methods; /* methods in the order of the port's
                                               * struct */
    size_t method_count;
};

/* Contents of the ELF note that locates tables: `count` tables are stored together,
 * `offset` bytes after this struct. The note's type is PROXY_TABLE_ABI. */
struct proxy_table_note {
    int64_t offset;
    uint64_t count;
};

#define PROXY_TABLE_NOTE_NAME "Mastermind"

/* Macro for the top of a generated file: adds an ELF note which states that `symbol` is
 * an array of `count` tables. */
#define PROXY_TABLE_NOTE(symbol, count)                                                  \
    __asm__(".pushsection .note.mastermind, \"a\", %note\n"                              \
            ".balign 4\n.long 11, 16, 1\n.asciz \"Mastermind\"\n.balign 4\n"             \
            ".quad " #symbol " - .\n.quad " #count "\n.popsection")

#endif
