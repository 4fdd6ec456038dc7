/* SPDX-License-Identifier: BSD-3-Clause */
/* verdicts.c: which libraries could be loaded, and which could not. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "framework/cmd/json.h"
#include "framework/cmd/verdicts.h"

enum { MOST_BYTES = 1024 * 1024, PAUSE_MS = 10 };

/* --- The file ------------------------------------------------------------- */

static int is_directory(const char *path)
{
    struct stat kind;

    return stat(path, &kind) == 0 && S_ISDIR(kind.st_mode);
}

char *ccafe_verdicts_file(const char *wanted, int make)
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char *dir = NULL, *file = NULL;

    if (wanted)
        dir = strdup(wanted);
    else if (base && *base == '/')
        dir = asprintf(&file, "%s/mastermind", base) < 0 ? NULL : file;
    else if (home && *home == '/')
        dir = asprintf(&file, "%s/.cache/mastermind", home) < 0 ? NULL : file;
    file = NULL;
    if (dir && make) {
        char *slash = strrchr(dir, '/');

        if (slash && slash > dir) {
            *slash = '\0';
            (void)mkdir(dir, 0700);
            *slash = '/';
        }
        (void)mkdir(dir, 0700);
    }
    if (dir && (!is_directory(dir) || access(dir, W_OK | X_OK) < 0 ||
                asprintf(&file, "%s/libraries", dir) < 0))
        file = NULL;
    free(dir);
    return file;
}

int ccafe_verdicts_lock(const char *file, int wait_ms)
{
    const struct timespec pause = {.tv_nsec = PAUSE_MS * 1000000L};
    char *path;
    int fd = -1;

    if (asprintf(&path, "%s.lock", file) >= 0) {
        fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        free(path);
    }
    for (; fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0; wait_ms -= PAUSE_MS) {
        if (wait_ms <= 0 || (errno != EWOULDBLOCK && errno != EINTR)) {
            close(fd);
            return -1;
        }
        nanosleep(&pause, NULL);
    }
    return fd;
}

/* --- A library ------------------------------------------------------------ */

char *ccafe_verdicts_key(const struct cca_class_info *info)
{
    struct stat kind;
    char *key;

    if (stat(info->file, &kind) < 0 || strpbrk(info->file, "\t\n") ||
        asprintf(&key, "%lld %lld%09ld %s %s", (long long)kind.st_size,
                 (long long)kind.st_mtim.tv_sec, kind.st_mtim.tv_nsec, info->build_id,
                 info->file) < 0)
        return NULL;
    return key;
}

int ccafe_verdicts_recall(const char *file, const char *key, char *reason, size_t size)
{
    FILE *in = fopen(file, "re");
    size_t length = strlen(key), room = 0;
    char *line = NULL;
    int verdict = -1;

    while (in && getline(&line, &room, in) > 0) {
        size_t word = strncmp(line, "good ", 5) == 0  ? 5
                      : strncmp(line, "bad ", 4) == 0 ? 4
                                                      : 0;

        line[strcspn(line, "\n")] = '\0';
        if (!word || strncmp(line + word, key, length) != 0)
            continue;
        if (word == 5 && !line[word + length]) {
            verdict = 1;
        } else if (word == 4 && line[word + length] == '\t') {
            verdict = 0;
            snprintf(reason, size, "%s", line + word + length + 1);
        }
    }
    free(line);
    if (in)
        fclose(in);
    return verdict;
}

/* One write: what several processes add does not mix. */
void ccafe_verdicts_remember(const char *file, const char *key, const char *reason)
{
    struct stat kind;
    char *line = NULL;
    int length, fd;

    if (stat(file, &kind) == 0 && kind.st_size > MOST_BYTES)
        unlink(file);
    length = reason ? asprintf(&line, "bad %s\t%s\n", key, reason)
                    : asprintf(&line, "good %s\n", key);
    fd = length < 0 ? -1 : open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0) {
        (void)!write(fd, line, (size_t)length);
        close(fd);
    }
    if (length >= 0)
        free(line);
}

/* --- All of them ---------------------------------------------------------- */

/* A line, taken apart where it lies. */
struct verdict {
    const char *path, *build_id, *reason; /* the latter NULL: good */
    int current;                          /* it is about the library as it is now */
    size_t line;                          /* which one */
};

struct verdicts {
    char *text;
    struct verdict *items;
    size_t count;
};

/* The word up to the next blank, cut off; `*at` goes behind it. NULL: there is no blank.
 */
static char *cut(char **at)
{
    char *word = *at, *end = strchr(word, ' ');

    if (!end)
        return NULL;
    *end = '\0';
    *at = end + 1;
    return word;
}

static int is_current(const char *path, const char *size, const char *mtime)
{
    struct stat kind;
    char now[64];

    if (stat(path, &kind) < 0 || strtoll(size, NULL, 10) != (long long)kind.st_size)
        return 0;
    snprintf(now, sizeof now, "%lld%09ld", (long long)kind.st_mtim.tv_sec,
             kind.st_mtim.tv_nsec);
    return strcmp(now, mtime) == 0;
}

/* 0; -1: line number `number` is damaged. */
static int parse(char *line, size_t number, struct verdict *verdict)
{
    char *word = cut(&line), *size = word ? cut(&line) : NULL,
         *mtime = size ? cut(&line) : NULL;
    char *build_id = mtime ? cut(&line) : NULL, *tab = strchr(line, '\t');
    int bad = word && strcmp(word, "bad") == 0;

    if (!build_id || *line != '/' || bad != (tab != NULL) ||
        (!bad && strcmp(word, "good") != 0))
        return -1;
    if (tab)
        *tab = '\0';
    *verdict = (struct verdict){.path = line,
                                .build_id = build_id,
                                .reason = tab ? tab + 1 : NULL,
                                .current = is_current(line, size, mtime),
                                .line = number};
    return 0;
}

/* By path; of a path first what is about the present library, then what was written last.
 */
static int in_order(const void *a, const void *b)
{
    const struct verdict *left = a, *right = b;
    int order = strcmp(left->path, right->path);

    if (order == 0)
        order = right->current - left->current;
    return order ? order : (left->line < right->line) - (left->line > right->line);
}

/* The whole file, with an end; new. NULL with errno. */
static char *read_whole(const char *file)
{
    FILE *in = fopen(file, "re");
    char *text = NULL;
    size_t size = 0;

    if (!in)
        return errno == ENOENT ? strdup("") : NULL;
    if (getdelim(&text, &size, '\0', in) < 0) {
        free(text);
        text = ferror(in) ? NULL : strdup("");
    }
    fclose(in);
    return text;
}

static int read_all(struct verdicts *all, const char *file)
{
    size_t lines = 1, kept = 0;
    char *rest;

    *all = (struct verdicts){.text = read_whole(file)};
    if (!all->text)
        return -errno;
    for (char *c = all->text; *c; c++) {
        if (iscntrl((unsigned char)*c) && *c != '\n' && *c != '\t')
            *c = '?'; /* it goes to a terminal */
        lines += *c == '\n';
    }
    all->items = calloc(lines, sizeof *all->items);
    if (!all->items)
        return -ENOMEM;
    rest = all->text;
    for (char *line; (line = strsep(&rest, "\n"));)
        all->count += parse(line, all->count, &all->items[all->count]) == 0;
    qsort(all->items, all->count, sizeof *all->items, in_order);
    for (size_t i = 0; i < all->count; i++)
        if (i == 0 || strcmp(all->items[i].path, all->items[kept - 1].path) != 0)
            all->items[kept++] = all->items[i];
    all->count = kept;
    return 0;
}

static void done(struct verdicts *all)
{
    free(all->text);
    free(all->items);
}

static const char *state_of(const struct verdict *verdict)
{
    if (!verdict->current)
        return access(verdict->path, F_OK) < 0 ? "gone" : "changed";
    return verdict->reason ? "blocked" : "good";
}

int ccafe_verdicts_print(const char *file, int as_json)
{
    struct verdicts all;
    int status = read_all(&all, file);

    if (status == 0 && as_json) {
        printf("{\"schema\": \"ccafe/libraries/1\"");
        ccafe_json_member("cache", file);
        printf(",\n  \"libraries\": [");
    }
    for (size_t i = 0; status == 0 && i < all.count; i++) {
        const struct verdict *verdict = &all.items[i];
        const char *reason = verdict->current ? verdict->reason : NULL;

        if (as_json) {
            printf("%s\n    {\"state\": \"%s\"", i ? "," : "", state_of(verdict));
            ccafe_json_member("file", verdict->path);
            ccafe_json_member("build_id", verdict->build_id);
            ccafe_json_member("reason", reason);
            putchar('}');
        } else {
            printf("%-7s  %s%s%s\n", state_of(verdict), verdict->path, reason ? ": " : "",
                   reason ? reason : "");
        }
    }
    if (status == 0 && as_json)
        puts("]}");
    done(&all);
    return status;
}

/* Is the line about the library? */
static int is_about(const char *line, size_t length, const char *library)
{
    size_t name = strlen(library);
    const char *at = line;

    for (int blanks = 0; blanks < 4 && at; blanks++) {
        at = memchr(at, ' ', length - (size_t)(at - line));
        at = at ? at + 1 : NULL;
    }
    return at && (size_t)(at - line) + name <= length && memcmp(at, library, name) == 0 &&
           (at + name == line + length || at[name] == '\t');
}

/* All lines but those about the library, in a file of its own that then takes the name.
 */
static int rewrite(const char *file, const char *text, const char *library)
{
    char *fresh = NULL;
    FILE *out;
    int status = 0;

    if (asprintf(&fresh, "%s.new", file) < 0)
        return -ENOMEM;
    out = fopen(fresh, "we");
    for (const char *line = text; out && *line;) {
        size_t length = strcspn(line, "\n");

        if (!is_about(line, length, library))
            fprintf(out, "%.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
    if (!out || fclose(out) != 0 || rename(fresh, file) < 0) {
        status = -errno;
        unlink(fresh);
    }
    free(fresh);
    return status;
}

int ccafe_verdicts_forget(const char *file, const char *library)
{
    enum { WAIT_MS = 10000 };
    int lock = ccafe_verdicts_lock(file, WAIT_MS), found = 0, status;
    char *text;

    if (lock < 0)
        return -EBUSY;
    text = read_whole(file);
    status = text ? 0 : -errno;
    for (const char *line = text; line && *line;) {
        size_t length = strcspn(line, "\n");

        found = found || is_about(line, length, library);
        line += length + (line[length] == '\n');
    }
    if (found)
        status = rewrite(file, text, library);
    free(text);
    close(lock);
    return status ? status : found;
}
