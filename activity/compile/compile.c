/* SPDX-License-Identifier: BSD-3-Clause */
/* compile.c: run the machine's compiler; cache the objects. */
#include "activity/compile/compile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/child.h"
#include "common/hash.h"

/* Flags of the compiler. Errors in a model trap, which ends the process. Floating-point
 * operations are neither contracted nor folded at compile time, so that results have the
 * same bits as the interpreter's. */
static const char *const flags[] = {
    "-std=gnu11",
    "-O1",
    "-fPIC",
    "-shared",
    "-w",
    "-fno-builtin",
    "-ffp-contract=off",
    "-fsanitize=signed-integer-overflow,integer-divide-by-zero,float-divide-by-zero",
    NULL};

/* The user's additional flags, separated by blanks. */
static const char *added_flags(void)
{
    const char *added = getenv("ACTIVITY_CFLAGS");

    return added ? added : "";
}

struct compiler {
    char path[4096];
    int is_clang;
};

/* --- The compiler. --- */

/* The path of a command, searched in $PATH unless it has a slash. */
static int find_command(const char *name, char path[4096])
{
    const char *at = getenv("PATH");
    struct stat st;

    if (strchr(name, '/')) {
        snprintf(path, 4096, "%s", name);
        return access(path, X_OK) == 0;
    }
    while (at && *at) {
        int length = (int)strcspn(at, ":");

        snprintf(path, 4096, "%.*s/%s", length, at, name);
        if (access(path, X_OK) == 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode))
            return 1;
        at += length;
        at += *at == ':';
    }
    return 0;
}

/* Whether the compiler is clang, by its resolved name: cc may be a link to clang, clang
 * one to ccache. */
static int is_clang(const char *path)
{
    const char *slash = strrchr(path, '/');

    return strstr(slash ? slash : path, "clang") != NULL;
}

static int find_compiler(struct compiler *compiler, struct cca_error *err)
{
    const char *names[] = {getenv("CC"), "cc", "gcc", "clang"};
    char real[4096];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i] && *names[i] && find_command(names[i], compiler->path)) {
            compiler->is_clang = is_clang(compiler->path) ||
                                 (realpath(compiler->path, real) && is_clang(real));
            return 0;
        }
    return cca_error_set(err, -ENOENT, "no C compiler (CC, cc, gcc, clang)");
}

static int run_compiler(const struct compiler *compiler, const char *source,
                        const char *object, struct cca_error *err)
{
    char more[1024] = "", *word, *rest;
    const char *arguments[64] = {compiler->path};
    int count = 1, status;

    while (flags[count - 1]) {
        arguments[count] = flags[count - 1];
        count++;
    }
    snprintf(more, sizeof more, "%s", added_flags());
    for (word = strtok_r(more, " ", &rest); word && count < 50;
         word = strtok_r(NULL, " ", &rest))
        arguments[count++] = word;
    arguments[count++] = compiler->is_clang
                             ? "-fsanitize-trap=signed-integer-overflow,"
                               "integer-divide-by-zero,float-divide-by-zero"
                             : "-fsanitize-undefined-trap-on-error";
    arguments[count++] = "-o";
    arguments[count++] = object;
    arguments[count++] = source;
    arguments[count++] = "-lm";
    arguments[count] = NULL;
    status = cca_child_run(arguments, STDERR_FILENO, STDERR_FILENO);
    if (status < 0)
        return cca_error_set(err, status, "%s: %s", compiler->path, strerror(-status));
    return status == 0 ? 0 : -ENOEXEC;
}

/* --- The cache. --- */

/* Cache key: hash of the text, the flags and the compiler's current file. */
static void key_of(const struct compiler *compiler, const char *text, char key[40])
{
    uint64_t h = CCA_HASH_START, g = 0x9ae16a3b2f90404fu;
    struct stat st = {0};
    char compiler_text[4200];

    stat(compiler->path, &st);
    snprintf(compiler_text, sizeof compiler_text, "%s %jd %jd %jd", compiler->path,
             (intmax_t)st.st_size, (intmax_t)st.st_mtime, (intmax_t)st.st_ino);
    for (int i = 0; flags[i]; i++)
        h = cca_hash_text(h, flags[i]);
    h = cca_hash_text(h, added_flags());
    h = cca_hash_text(cca_hash_text(h, compiler_text), text);
    g = cca_hash_text(cca_hash_text(g, text), compiler_text);
    snprintf(key, 40, "%016" PRIx64 "%016" PRIx64, h, g);
}

static int make_folder(char *path)
{
    for (char *at = path + 1; *at; at++)
        if (*at == '/') {
            *at = '\0';
            mkdir(path, 0777);
            *at = '/';
        }
    return mkdir(path, 0777) == 0 || errno == EEXIST ? 0 : -errno;
}

/* The cache's directory, created if needed. Returns 0 if there is none. */
static int cache_folder(char path[4096])
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length;

    if (cache && *cache == '/')
        length = snprintf(path, 4096, "%s/mastermind/activity", cache);
    else if (home && *home == '/')
        length = snprintf(path, 4096, "%s/.cache/mastermind/activity", home);
    else
        return 0;
    return length < 4000 && make_folder(path) == 0 && access(path, W_OK) == 0;
}

static int write_text(const char *path, const char *text, struct cca_error *err)
{
    FILE *file = fopen(path, "we");
    int bad = !file || fputs(text, file) < 0;

    if (file)
        bad |= fclose(file) != 0;
    return bad ? cca_error_set(err, errno ? -errno : -EIO, "%s: %s", path,
                               strerror(errno ? errno : EIO))
               : 0;
}

/* Append the cache key to an object in the cache. A file without its key at the end is
 * incomplete (full disk, power failure). An object may have further bytes at its end. */
static int add_key(const char *object, const char *key)
{
    FILE *file = fopen(object, "ae");
    int bad = !file || fputs(key, file) < 0;

    if (file)
        bad |= fclose(file) != 0;
    return bad ? -EIO : 0;
}

static int is_whole(const char *object, const char *key)
{
    char end[40] = "";
    size_t size = strlen(key);
    FILE *file = fopen(object, "re");
    int whole = file && fseek(file, -(long)size, SEEK_END) == 0 &&
                fread(end, 1, size, file) == size && memcmp(end, key, size) == 0;

    if (file)
        fclose(file);
    return whole;
}

/* Compile in a temporary directory, then rename the object into place, so that other
 * processes never read a part of it. */
static int make(const struct compiler *compiler, const char *name, const char *text,
                const char *key, const char *folder, const char *wanted,
                struct cca_error *err)
{
    char source[4300], object[4300];
    int rc;

    snprintf(source, sizeof source, "%s/model.c", folder);
    snprintf(object, sizeof object, "%s/model.so", folder);
    rc = write_text(source, text, err);
    rc = rc ? rc : run_compiler(compiler, source, object, err);
    if (rc == -ENOEXEC)
        cca_error_set(err, -ENOEXEC, "%s: %s refuses its C", name, compiler->path);
    if (!rc && add_key(object, key) != 0)
        rc = cca_error_set(err, -EIO, "%s: %s", object, strerror(EIO));
    if (!rc && rename(object, wanted) != 0)
        rc = cca_error_set(err, -errno, "%s: %s", wanted, strerror(errno));
    unlink(source);
    unlink(object);
    return rc;
}

int act_compile(const char *name, const char *text, char **path, char **folder,
                struct cca_error *err)
{
    struct compiler compiler;
    char key[40], cache[4096], temporary[4200], wanted[4300];
    int rc = find_compiler(&compiler, err), is_cached;

    *path = *folder = NULL;
    if (rc)
        return rc;
    key_of(&compiler, text, key);
    is_cached = cache_folder(cache);
    snprintf(wanted, sizeof wanted, "%s/%s.so", cache, key);
    if (is_cached && is_whole(wanted, key)) {
        *path = strdup(wanted);
        return *path ? 0 : cca_no_memory(err);
    }
    snprintf(temporary, sizeof temporary, "%s/activity-XXXXXX", is_cached ? cache : "");
    is_cached = is_cached && mkdtemp(temporary);
    if (!is_cached) {
        snprintf(temporary, sizeof temporary, "%s/activity-XXXXXX",
                 getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
        if (!mkdtemp(temporary))
            return cca_error_set(err, -errno, "%s: %s", temporary, strerror(errno));
    }
    if (!is_cached)
        snprintf(wanted, sizeof wanted, "%s/%s.so", temporary, key);
    rc = make(&compiler, name, text, key, temporary, wanted, err);
    if (is_cached || rc)
        rmdir(temporary);
    if (rc)
        return rc;
    *path = strdup(wanted);
    *folder = is_cached ? NULL : strdup(temporary);
    return *path && (is_cached || *folder) ? 0 : cca_no_memory(err);
}

void act_compile_done(char *path, char *folder)
{
    if (folder) {
        unlink(path);
        rmdir(folder);
    }
    free(path);
    free(folder);
}
