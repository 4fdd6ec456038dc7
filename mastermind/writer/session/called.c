/* SPDX-License-Identifier: BSD-3-Clause */
/* called.c: write the file methods.called. Its code runs at the first call of a method,
 * which may have interrupted the allocator; so it uses only system calls. */
#include "mastermind/writer/session/called.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mastermind/format/called_file.h"
#include "mastermind/format/own_file.h"
#include "mastermind/writer/json_file.h"

/* LONGEST: bytes of the longest object: a name and 16 values of 511 bytes each. PIECE:
 * bytes by which the file
 * grows. */
enum { LONGEST = 16384, PIECE = 64 << 10 };

/* --- Text ----------------------------------------------------------------- */

static int is_plain(const char *text)
{
    for (; *text; text++)
        if (*text < ' ' || *text > '~' || *text == '"' || *text == '\\')
            return 0;
    return 1;
}

static const char *kind_of(const struct monitor_value_decl *value)
{
    return value->kind == MONITOR_MODE ? "mode" : "param";
}

char *mm_called_shared(enum mm_entry_kind entry, const struct monitor_method_decl *decl)
{
    json_t *json = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:s}", "instance", mm_json_text(decl->instance),
        "port", mm_json_text(decl->port), "class", mm_json_text(decl->class_name),
        "build_id", mm_json_text(decl->build_id), "port_type",
        mm_json_text(decl->port_type), "entry", mm_entry_names[entry]);
    char *text = mm_json_dump(json, JSON_COMPACT), *shared = NULL;

    json_decref(json);
    if (text)
        shared = strdup(text + 1); /* the text without its opening brace */
    free(text);
    return shared;
}

int mm_called_escaped(const struct monitor_method_decl *decl, char **text)
{
    int plain = is_plain(decl->method);
    json_t *values, *json;

    for (size_t i = 0; i < decl->in_count; i++)
        plain &= is_plain(decl->values[i].name);
    *text = NULL;
    if (plain)
        return 0;
    values = json_array();
    for (size_t i = 0; values && i < decl->in_count; i++)
        values =
            mm_json_append(values, json_pack("{s:o, s:s, s:s}", "name",
                                             mm_json_text(decl->values[i].name), "type",
                                             "int64", "kind", kind_of(&decl->values[i])));
    json =
        json_pack("{s:o, s:o}", "method", mm_json_text(decl->method), "values", values);
    *text = mm_json_dump(json, JSON_COMPACT);
    json_decref(json);
    if (!*text)
        return -ENOMEM;
    memmove(*text, *text + 1, strlen(*text));
    (*text)[strlen(*text) - 1] = '\0'; /* without the braces */
    return 0;
}

/* Write the method's JSON object as text. Returns its length, or -ENAMETOOLONG. */
static int write_object(char *to, uint32_t id, const struct monitor_method_decl *decl,
                        const char *text, const char *shared)
{
    int used = snprintf(to, LONGEST, "{\"id\":%u,", id);

    if (text) {
        used += snprintf(to + used, (size_t)(LONGEST - used), "%s", text);
    } else {
        used += snprintf(to + used, (size_t)(LONGEST - used),
                         "\"method\":\"%s\",\"values\":[", decl->method);
        for (size_t i = 0; i < decl->in_count && used < LONGEST; i++)
            used +=
                snprintf(to + used, (size_t)(LONGEST - used),
                         "%s{\"name\":\"%s\",\"type\":\"int64\",\"kind\":\"%s\"}",
                         i ? "," : "", decl->values[i].name, kind_of(&decl->values[i]));
        if (used < LONGEST)
            used += snprintf(to + used, (size_t)(LONGEST - used), "]");
    }
    if (used < LONGEST)
        used += snprintf(to + used, (size_t)(LONGEST - used), ",%s", shared);
    return used < LONGEST ? used : -ENAMETOOLONG;
}

/* --- The file ------------------------------------------------------------- */

static struct mm_called_head *head_of(const struct mm_called *called)
{
    return (struct mm_called_head *)(void *)called->base;
}

/* Map the next piece of the file. */
static int map_piece(struct mm_called *called, int fd)
{
    int code;

    if (called->mapped == called->room)
        return -ENOSPC;
    code = -posix_fallocate(fd, (off_t)called->mapped, PIECE);
    if (!code && mmap(called->base + called->mapped, PIECE, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_FIXED, fd, (off_t)called->mapped) == MAP_FAILED)
        code = -errno;
    if (!code)
        called->mapped += PIECE;
    return code;
}

static int extend(struct mm_called *called)
{
    int fd = open(called->path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    int code = fd < 0 ? -errno : map_piece(called, fd);

    if (fd >= 0)
        close(fd);
    return code;
}

int mm_called_make(struct mm_called *called, const char *dir, size_t most,
                   struct cca_error *err)
{
    int fd, code;

    called->room = (most * 1024 + 2 * (size_t)LONGEST + PIECE) / PIECE * PIECE;
    called->base = mmap(NULL, called->room, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (called->base == MAP_FAILED) {
        called->base = NULL;
        return cca_no_memory(err);
    }
    if (snprintf(called->path, sizeof called->path, "%s/" MM_CALLED_FILE, dir) >=
        (int)sizeof called->path)
        return cca_error_set(err, -ENAMETOOLONG, "'%s' is too long a path", dir);
    fd = open(called->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd >= 0)
        mm_own_file(fd);
    code = fd < 0 ? -errno : map_piece(called, fd);
    if (fd >= 0)
        close(fd);
    if (code)
        return cca_error_set(err, code, "cannot make '%s': %s", called->path,
                             strerror(-code));
    head_of(called)->magic = MM_CALLED_MAGIC;
    return 0;
}

int mm_called_add(struct mm_called *called, uint32_t id,
                  const struct monitor_method_decl *decl, const char *text,
                  const char *shared)
{
    struct mm_called_head *head = head_of(called);
    struct mm_called_entry *entry =
        (struct mm_called_entry *)(void *)(called->base + sizeof *head + head->used);
    char *to = (char *)(entry + 1);
    int bytes, code = 0;

    while (!code && (size_t)(to - called->base) + LONGEST + 8 > called->mapped)
        code = extend(called);
    bytes = code ? code : write_object(to, id, decl, text, shared);
    if (bytes < 0)
        return bytes;
    while (bytes % 8)
        to[bytes++] = ' ';
    entry->bytes = (uint64_t)bytes;
    entry->check = mm_block_check(to, (size_t)bytes, MM_CHECK_START + (uint64_t)bytes);
    __atomic_store_n(&head->used, head->used + sizeof *entry + (uint64_t)bytes,
                     __ATOMIC_RELEASE);
    return 0;
}

int mm_called_note(const struct mm_called *called, struct mm_methods *methods)
{
    const struct mm_called_head *head = head_of(called);
    size_t at = 0;
    int code = 0;

    while (called->base && !code && at < head->used) {
        const struct mm_called_entry *entry =
            (const struct mm_called_entry *)(const void *)(called->base + sizeof *head +
                                                           at);

        code = mm_methods_copy(methods, (const char *)(entry + 1), (size_t)entry->bytes);
        at += sizeof *entry + (size_t)entry->bytes;
    }
    return code;
}

void mm_called_remove(struct mm_called *called)
{
    if (!called->base)
        return;
    munmap(called->base, called->room);
    called->base = NULL;
    unlink(called->path);
}
