/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_cflags.c: ccafe cflags: print the compiler flags for components of this program's
 * tree. */
#include <stdlib.h>
#include <string.h>

#include "framework/cmd/cmd.h"

static int print_cflags(const struct cca_args *args)
{
    char *include;

    if (args->count)
        return ccafe_complain(CCA_EXIT_MISUSE, "'cflags' takes no '%s'", args->words[0]);
    include = ccafe_include_dir();
    if (!include)
        return ccafe_complain(CCA_EXIT_IO_OR_MEMORY,
                              "no framework/cca.h in the tree that this program lies in");
    /* escape characters special to shells and make, as pkg-config does */
    fputs("-I", stdout);
    for (const char *c = include; *c; c++) {
        if (strchr(" \t\"'\\$`&;|<>()*?[]#~", *c))
            putchar('\\');
        putchar(*c);
    }
    puts(" -fPIC -fvisibility=hidden -fexceptions");
    free(include);
    return CCA_EXIT_DONE;
}

const struct cca_verb ccafe_verb_cflags = {
    .name = "cflags",
    .summary = "print the flags that compile a component",
    .usage = "ccafe cflags\n",
    .examples = "cc -shared $(ccafe cflags) Class.c -o Class.so\n",
    .about = "Print the flags that compile a component.\n",
    .run = print_cflags,
};
