/* SPDX-License-Identifier: BSD-3-Clause */
/* lookup.c: run addr2line in a child; read the build id of a file. */
#include "messages/read/lookup.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/elf.h"

enum { PATIENCE_MS = 10000, MOST_HEADERS = 1024, MOST_NOTES = 1 << 16 };

/* --- Build id ---------------------------------------------------------------------- */

static int read_at(int fd, void *to, size_t bytes, uint64_t at)
{
    return pread(fd, to, bytes, (off_t)at) == (ssize_t)bytes;
}

/* Search notes for a build id. Returns 1: found, equal; 0: found, different; -1: none. */
static int compare_notes(const unsigned char *notes, size_t bytes,
                         const uint8_t *build_id, uint32_t build_id_bytes)
{
    size_t size;
    const unsigned char *id = cca_elf_build_id(notes, bytes, &size);

    return id ? size == build_id_bytes && memcmp(id, build_id, size) == 0 : -1;
}

static int compare_build_id(int fd, const uint8_t *build_id, uint32_t build_id_bytes)
{
    Elf64_Ehdr head;
    int found = -1;

    if (!read_at(fd, &head, sizeof head, 0) ||
        memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_phentsize != sizeof(Elf64_Phdr) ||
        head.e_phnum > MOST_HEADERS)
        return 0;
    for (unsigned i = 0; i < head.e_phnum && found < 0; i++) {
        Elf64_Phdr segment;
        unsigned char *notes;

        if (!read_at(fd, &segment, sizeof segment, head.e_phoff + i * sizeof segment) ||
            segment.p_type != PT_NOTE || segment.p_filesz > MOST_NOTES)
            continue;
        notes = malloc(segment.p_filesz + 1);
        if (notes && read_at(fd, notes, segment.p_filesz, segment.p_offset))
            found = compare_notes(notes, segment.p_filesz, build_id, build_id_bytes);
        free(notes);
    }
    return found < 0 ? !build_id_bytes : found;
}

int mm_lookup_is_object(const char *path, const uint8_t *build_id,
                        uint32_t build_id_bytes)
{
    int fd, same;

    if (path[0] != '/')
        return 0;
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return 0;
    same = compare_build_id(fd, build_id, build_id_bytes);
    close(fd);
    return same;
}

/* --- The child --------------------------------------------------------------------- */

struct mm_lookup {
    pid_t child;
    int fd; /* socket to the child, for both directions; -1: the child has failed */
    size_t used;
    char text[4096]; /* output of the child that was not processed yet */
};

/* A copy of the environment without the variable that names servers for debug
 * information. */
static char **quiet_environment(void)
{
    size_t count = 0, kept = 0;
    char **copy;

    while (environ[count])
        count++;
    copy = calloc(count + 1, sizeof *copy);
    for (size_t i = 0; copy && i < count; i++)
        if (strncmp(environ[i], "DEBUGINFOD_URLS=", 16) != 0)
            copy[kept++] = environ[i];
    return copy;
}

static int start_child(struct mm_lookup *lookup, const char *path, int theirs)
{
    char program[] = "addr2line", f[] = "-f", c[] = "-C", e[] = "-e";
    char *object = strdup(path), **environment = quiet_environment();
    char *arguments[] = {program, f, c, e, object, NULL};
    posix_spawn_file_actions_t actions;
    int code = -1;

    if (object && environment && !posix_spawn_file_actions_init(&actions)) {
        code =
            posix_spawn_file_actions_adddup2(&actions, theirs, 0) ||
            posix_spawn_file_actions_adddup2(&actions, theirs, 1) ||
            posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) ||
            posix_spawnp(&lookup->child, program, &actions, NULL, arguments, environment);
        posix_spawn_file_actions_destroy(&actions);
    }
    free(object);
    free(environment);
    return code;
}

struct mm_lookup *mm_lookup_new(const char *path)
{
    struct mm_lookup *lookup = calloc(1, sizeof *lookup);
    int ends[2];

    if (!lookup || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) {
        free(lookup);
        return NULL;
    }
    lookup->fd = ends[0];
    if (start_child(lookup, path, ends[1])) {
        close(ends[0]);
        free(lookup);
        lookup = NULL;
    }
    close(ends[1]);
    return lookup;
}

static void give_up(struct mm_lookup *lookup)
{
    if (lookup->fd < 0)
        return;
    close(lookup->fd);
    lookup->fd = -1;
    kill(lookup->child, SIGKILL);
    while (waitpid(lookup->child, NULL, 0) < 0 && errno == EINTR)
        ;
}

void mm_lookup_free(struct mm_lookup *lookup)
{
    if (lookup)
        give_up(lookup);
    free(lookup);
}

/* Read the child's output up to a newline. Returns 0, or -1 if the child has failed. */
static int read_line(struct mm_lookup *lookup, char line[1024])
{
    for (;;) {
        char *end = memchr(lookup->text, '\n', lookup->used);
        struct pollfd ready = {.fd = lookup->fd, .events = POLLIN};
        ssize_t got;

        if (end) {
            size_t length = (size_t)(end - lookup->text);

            snprintf(line, 1024, "%.*s", (int)length, lookup->text);
            lookup->used -= length + 1;
            memmove(lookup->text, end + 1, lookup->used);
            return 0;
        }
        if (lookup->used == sizeof lookup->text || poll(&ready, 1, PATIENCE_MS) <= 0)
            return -1;
        got = recv(lookup->fd, lookup->text + lookup->used,
                   sizeof lookup->text - lookup->used, 0);
        if (got <= 0)
            return -1;
        lookup->used += (size_t)got;
    }
}

/* Reduce "src/relax.c:88 (discriminator 2)" to "relax.c:88"; "??:0" to nothing. */
static void take_line(char *found, char line[256])
{
    char *slash, *space = strstr(found, " (");

    if (space)
        *space = '\0';
    slash = strrchr(found, '/');
    found = slash ? slash + 1 : found;
    if (found[0] != '?' && !strstr(found, ":?") && !strstr(found, ":0"))
        snprintf(line, 256, "%.255s", found);
}

void mm_lookup_place(struct mm_lookup *lookup, uint64_t offset, char function[256],
                     char line[256])
{
    char asked[32], name[1024], place[1024];
    int length = snprintf(asked, sizeof asked, "0x%llx\n", (unsigned long long)offset);

    if (lookup->fd < 0)
        return;
    if (send(lookup->fd, asked, (size_t)length, MSG_NOSIGNAL) != length ||
        read_line(lookup, name) || read_line(lookup, place)) {
        give_up(lookup);
        return;
    }
    if (name[0] != '?')
        snprintf(function, 256, "%.255s", name);
    take_line(place, line);
}
