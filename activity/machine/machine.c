/* SPDX-License-Identifier: BSD-3-Clause */
/* machine.c: read machine files, and configurations from text. */
#include "activity/machine/machine.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum key_kind { WHOLE, REAL, WORD };

static const struct key {
    const char *section, *name;
    enum key_kind kind;
    size_t offset;
    double least;         /* least value that a number may have */
    const char *words[2]; /* keywords for the int values 0 and 1 */
} keys[] = {
#define AT(member) offsetof(struct act_machine, member)
#define NETWORK(section, which)                                                          \
    {section, "latency", REAL, AT(networks[which].latency_s), 0, {0}},                   \
        {section, "send", REAL, AT(networks[which].send_s), 0, {0}},                     \
        {section, "receive", REAL, AT(networks[which].receive_s), 0, {0}},               \
        {section, "gap", REAL, AT(networks[which].gap_s), 0, {0}},                       \
        {section, "byte", REAL, AT(networks[which].byte_s), 0, {0}},                     \
    {                                                                                    \
        section, "eager", WHOLE, AT(networks[which].eager), -1,                          \
        {                                                                                \
            0                                                                            \
        }                                                                                \
    }
    {"machine", "nodes", WHOLE, AT(nodes), 0, {0}},
    {"machine", "threads", WHOLE, AT(threads), 1, {0}},
    {"machine", "noise", REAL, AT(noise), 0, {0}},
    {"machine", "placement", WORD, AT(placement), 0, {"block", "cyclic"}},
    {"machine", "collectives", WORD, AT(expanded), 0, {"cost", "expanded"}},
    {"node", "cores", WHOLE, AT(cores), 1, {0}},
    {"node", "speed", REAL, AT(speed), 1e-12, {0}},
    {"node", "memory", REAL, AT(memory), 0, {0}},
    NETWORK("inside", ACT_INSIDE),
    NETWORK("between", ACT_BETWEEN),
};
enum { KEYS = sizeof keys / sizeof *keys, MOST = 1000000 };

void act_machine_usual(struct act_machine *machine)
{
    *machine = (struct act_machine){.cores = 4, .threads = 1, .speed = 1};
    machine->networks[ACT_INSIDE].eager = machine->networks[ACT_BETWEEN].eager = -1;
}

/* Print a number with the fewest digits that preserve its value. */
static void print_real(FILE *out, const char *name, double value)
{
    char text[40];

    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    fprintf(out, "%s = %s\n", name, text);
}

int act_machine_print(const struct act_machine *machine, FILE *out)
{
    const char *section = "";

    for (const struct key *k = keys; k < keys + KEYS; k++) {
        const char *at = (const char *)machine + k->offset;

        if (strcmp(section, k->section) != 0)
            fprintf(out, "%s[%s]\n", *section ? "\n" : "", k->section);
        section = k->section;
        if (k->kind == WHOLE)
            fprintf(out, "%s = %" PRId64 "\n", k->name,
                    *(const int64_t *)(const void *)at);
        else if (k->kind == REAL)
            print_real(out, k->name, *(const double *)(const void *)at);
        else
            fprintf(out, "%s = %s\n", k->name,
                    k->words[*(const int *)(const void *)at != 0]);
    }
    return ferror(out) ? -EIO : 0;
}

struct reading {
    const char *path;
    int line;
    const char *start;
    char section[16];
    struct cca_error *err;
};

static int refuse(const struct reading *r, const char *at, const char *expected)
{
    int length = (int)strcspn(at, "\r\n");

    return cca_error_set(r->err, -EINVAL, "%s:%d:%d: found '%.*s', expected %s", r->path,
                         r->line, (int)(at - r->start) + 1, length < 40 ? length : 40, at,
                         expected);
}

static char *skip(char *at)
{
    while (*at == ' ' || *at == '\t')
        at++;
    return at;
}

/* Whether the rest of the line is empty or a comment. */
static int is_end(const char *at)
{
    return !*at || *at == '\n' || *at == '\r' || *at == '#' || *at == ';';
}

static int read_section(struct reading *r, char *at)
{
    size_t length = strcspn(at + 1, "]\r\n");

    if (at[1 + length] != ']' || length >= sizeof r->section)
        return refuse(r, at, "[machine], [node], [inside] or [between]");
    memcpy(r->section, at + 1, length);
    r->section[length] = '\0';
    for (int k = 0; k < KEYS; k++)
        if (strcmp(keys[k].section, r->section) == 0)
            return is_end(skip(at + length + 2))
                       ? 0
                       : refuse(r, skip(at + length + 2), "the end of the line");
    return refuse(r, at, "[machine], [node], [inside] or [between]");
}

static const struct key *find_key(const struct reading *r, const char *at, size_t length)
{
    for (const struct key *k = keys; k < keys + KEYS; k++)
        if (strcmp(k->section, r->section) == 0 && strlen(k->name) == length &&
            strncmp(k->name, at, length) == 0)
            return k;
    return NULL;
}

/* Refuse a key; the message lists the section's keys: "a key of [node]: cores, speed,
 * memory". */
static int refuse_key(const struct reading *r, const char *at)
{
    char expected[200];
    size_t used;

    if (!*r->section)
        return refuse(r, at, "[machine], [node], [inside] or [between]");
    used = (size_t)snprintf(expected, sizeof expected, "a key of [%s]:", r->section);
    for (const struct key *k = keys; k < keys + KEYS; k++)
        if (strcmp(k->section, r->section) == 0)
            used +=
                (size_t)snprintf(expected + used, sizeof expected - used, " %s", k->name);
    return refuse(r, at, expected);
}

/* Read one of the two keywords of a key. Returns the end of the keyword, or NULL. */
static char *read_word(const struct key *k, char *at, int *value)
{
    size_t length = strcspn(at, " \t\r\n#;");

    for (int w = 0; w < 2; w++)
        if (strlen(k->words[w]) == length && strncmp(k->words[w], at, length) == 0) {
            *value = w;
            return at + length;
        }
    return NULL;
}

static int read_value(const struct reading *r, const struct key *k,
                      struct act_machine *machine, char *at)
{
    char *to = (char *)machine + k->offset, *end, expected[100];

    if (k->kind == WORD) {
        int value = 0;

        end = read_word(k, at, &value);
        snprintf(expected, sizeof expected, "%s or %s", k->words[0], k->words[1]);
        if (!end)
            return refuse(r, at, expected);
        memcpy(to, &value, sizeof value);
    } else {
        double value = strtod(at, &end);
        int64_t whole = fabs(value) <= 1e15 ? (int64_t)value : 0;

        snprintf(expected, sizeof expected, "%s number of at least %g",
                 k->kind == WHOLE ? "a whole" : "a", k->least);
        if (end == at || !(value >= k->least) || isinf(value) ||
            (k->kind == WHOLE && ((double)whole != value)) ||
            (k->offset == AT(cores) && value > MOST) ||
            (k->offset == AT(threads) && value > MOST))
            return refuse(r, at, expected);
        if (k->kind == WHOLE)
            memcpy(to, &whole, sizeof whole);
        else
            memcpy(to, &value, sizeof value);
    }
    return is_end(skip(end)) ? 0 : refuse(r, skip(end), "the end of the line");
}

static int read_key(struct reading *r, struct act_machine *machine, char *at)
{
    size_t length = strcspn(at, " \t=\r\n");
    const struct key *key = find_key(r, at, length);

    if (!key)
        return refuse_key(r, at);
    at = skip(at + length);
    if (*at != '=')
        return refuse(r, at, "=");
    return read_value(r, key, machine, skip(at + 1));
}

int act_machine_load(struct act_machine *machine, const char *path, struct cca_error *err)
{
    struct reading r = {.path = path, .err = err};
    FILE *file = fopen(path, "re");
    char line[512];
    int rc = 0;

    act_machine_usual(machine);
    if (!file)
        return cca_error_set(err, -errno, "%s: %s", path, strerror(errno));
    while (!rc && fgets(line, sizeof line, file)) {
        char *at = skip(line);

        r.line++;
        r.start = line;
        if (!strchr(line, '\n') && strlen(line) == sizeof line - 1) {
            rc = refuse(&r, line, "a line of at most 510 characters");
            break;
        }
        if (!is_end(at))
            rc = *at == '[' ? read_section(&r, at) : read_key(&r, machine, at);
    }
    if (!rc && ferror(file))
        rc = cca_error_set(err, -EIO, "%s: %s", path, strerror(EIO));
    fclose(file);
    return rc;
}

/* Read a letter and a whole number of at least 1. Returns the end, or NULL. */
static const char *read_count(const char *at, char letter, int64_t *count)
{
    char *end;

    if (!at || *at != letter || !isdigit((unsigned char)at[1]))
        return NULL;
    errno = 0;
    *count = strtoll(at + 1, &end, 10);
    return errno || *count < 1 || *count > 10 * MOST ? NULL : end;
}

int act_configs_read(const char *text, struct act_config *configs, int most,
                     struct cca_error *err)
{
    const char *at = text;

    for (int count = 0; count < most; count++) {
        struct act_config *c = &configs[count];
        const char *end = read_count(at, 'N', &c->nodes);

        c->threads = 0;
        end = read_count(end, 'P', &c->processes);
        if (end && *end == 'T')
            end = read_count(end, 'T', &c->threads);
        if (!end || (*end && *end != ','))
            return cca_error_set(err, -EINVAL,
                                 "found '%.40s' for --config, expected NxPy as N2P8: "
                                 "nodes, processes in all; N2P8T4: threads of each",
                                 at);
        if (!*end)
            return count + 1;
        at = end + 1;
    }
    return cca_error_set(err, -EINVAL, "found more than %d configurations", most);
}
