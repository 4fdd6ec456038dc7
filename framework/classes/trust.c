/* SPDX-License-Identifier: BSD-3-Clause */
/* trust.c: check that only trusted users can write to files and directories. */
#include "framework/classes/parts.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Path of the program, and owner and group of its file; if unknown, "" and the user and
 * group of this process. */
struct program {
    char path[PATH_MAX];
    uid_t owner;
    gid_t group;
};

static void program_find(struct program *program)
{
    struct stat kind = {.st_uid = geteuid(), .st_gid = getegid()};
    ssize_t length = readlink("/proc/self/exe", program->path, sizeof program->path - 1);

    program->path[length > 0 ? length : 0] = '\0';
    (void)stat(program->path, &kind);
    program->owner = kind.st_uid;
    program->group = kind.st_gid;
}

/* True if the program is in the directory `path`. */
static int holds(const char *path, const char *program)
{
    size_t length = strlen(path);

    return strncmp(path, program, length) == 0 &&
           (program[length] == '/' || (length == 1 && *program == '/'));
}

/* Check one file or directory. `above`: it is a parent directory, which may be sticky. */
static int check_path(const char *path, int above, const struct program *program,
                      struct cca_error *err)
{
    struct stat kind;

    if (holds(path, program->path))
        return 0;
    if (stat(path, &kind) < 0)
        return cca_error_set(err, -errno, "'%s': %s", path, strerror(errno));
    if (kind.st_uid != 0 && kind.st_uid != geteuid() && kind.st_uid != program->owner)
        return cca_error_set(err, -EPERM, "'%s' belongs to another user, %u", path,
                             (unsigned)kind.st_uid);
    if (above && (kind.st_mode & S_ISVTX))
        return 0;
    if (kind.st_mode & S_IWOTH)
        return cca_error_set(err, -EPERM, "everybody can write to '%s'", path);
    if ((kind.st_mode & S_IWGRP) && kind.st_gid != 0 && kind.st_gid != getegid() &&
        kind.st_gid != program->group)
        return cca_error_set(err, -EPERM, "group %u can write to '%s'",
                             (unsigned)kind.st_gid, path);
    return 0;
}

static int check_directory(const char *path, const struct program *program,
                           struct cca_error *err)
{
    char *rest = strdup(path), *slash;
    int status;

    if (!rest)
        return cca_no_memory(err);
    status = check_path(rest, 0, program, err);
    while (status == 0 && (slash = strrchr(rest, '/')) && rest[1]) {
        slash[slash == rest] = '\0';
        status = check_path(rest, 1, program, err);
    }
    free(rest);
    return status;
}

int cca_trust_judge(const char *path, struct cca_error *err)
{
    struct program program;

    program_find(&program);
    return check_directory(path, &program, err);
}

/* Add the option that lifts the refusal to the message. */
static int refuse(int status, const struct cca_error *why, struct cca_error *err)
{
    return status ? cca_error_set(err, status, "%s%s", why->text,
                                  status == -EPERM ? "; --trust accepts it" : "")
                  : 0;
}

int cca_trust_directory(const char *path, struct cca_error *err)
{
    struct cca_error why = {0};

    return refuse(cca_trust_judge(path, &why), &why, err);
}

int cca_trust_file(const char *path, const char *trusted, struct cca_error *err)
{
    const char *slash = strrchr(path, '/');
    char *dir = strndup(path, slash && slash > path ? (size_t)(slash - path) : 1);
    struct cca_error why = {0};
    struct program program;
    int status;

    program_find(&program);
    status = dir ? check_path(path, 0, &program, &why) : cca_no_memory(&why);
    if (status == 0 && (!trusted || strcmp(dir, trusted) != 0))
        status = check_directory(dir, &program, &why);
    free(dir);
    return refuse(status, &why, err);
}
