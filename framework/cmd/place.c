/* SPDX-License-Identifier: BSD-3-Clause */
/* place.c: find directories around this program. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/cmd/cmd.h"

char *ccafe_own_dir(void)
{
    char *path = realpath("/proc/self/exe", NULL);
    char *slash = path ? strrchr(path, '/') : NULL;

    if (slash)
        *(slash == path ? slash + 1 : slash) = '\0';
    return path;
}

static char *join(const char *dir, const char *rest)
{
    char *path;

    return asprintf(&path, "%s/%s", dir, rest) < 0 ? NULL : path;
}

/* Return the path dir/rest, new; links and ".." are resolved if it exists. */
static char *resolve(const char *dir, const char *rest)
{
    char *path = join(dir, rest);
    char *real = path ? realpath(path, NULL) : NULL;

    if (!real)
        return path;
    free(path);
    return real;
}

char *ccafe_component_dir(void)
{
    char *own = ccafe_own_dir();
    char *dir = own ? resolve(own, "../lib/mastermind") : NULL;

    free(own);
    return dir;
}

int ccafe_component_path(struct cca_repository *repository, const char *dir,
                         struct cca_error *err)
{
    struct cca_error why = {0};
    int status = cca_repository_path_fallback(repository, dir, &why);

    if (status == 0 || status == -ENOENT)
        return 0;
    return cca_error_set(err, status, "%s", why.text);
}

static int has_header(const char *dir)
{
    char *header = join(dir, "framework/cca.h");
    int found = header && access(header, R_OK) == 0;

    free(header);
    return found;
}

/* Return the folder that contains framework/cca.h, new. In an installed tree this is
 * include/mastermind beside bin/, else the nearest parent folder with that file, the root
 * of the source tree. NULL: not found. */
char *ccafe_include_dir(void)
{
    char *dir = ccafe_own_dir();
    char *include = dir ? resolve(dir, "../include/mastermind") : NULL;

    if (include && has_header(include)) {
        free(dir);
        return include;
    }
    free(include);
    while (dir && !has_header(dir)) {
        char *slash = strrchr(dir, '/');

        if (slash == dir) {
            free(dir);
            return NULL;
        }
        *slash = '\0';
    }
    return dir;
}
