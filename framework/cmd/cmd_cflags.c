/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_cflags.c: ccafe cflags: flags that compile a component against this program's
 * tree. */
#include <stdlib.h>
#include <string.h>

#include "framework/cmd/cmd.h"

int cmd_cflags(int argc, char **argv)
{
    char *include;

    if (argc > 1 && (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0)) {
        puts("usage: ccafe cflags\n\nPrint the flags that compile a component:\n"
             "  cc -shared $(ccafe cflags) Class.c -o Class.so");
        return CCA_EXIT_DONE;
    }
    if (argc > 1)
        return ccafe_complain(CCA_EXIT_MISUSE, "'cflags' takes no '%s'", argv[1]);
    include = ccafe_include_dir();
    if (!include)
        return ccafe_complain(CCA_EXIT_IO_OR_MEMORY,
                              "no framework/cca.h in the tree that this program lies in");
    /* Escape characters at which a shell or make would split, as pkg-config does. */
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
