/* SPDX-License-Identifier: BSD-3-Clause */
/* tables.c: read the tables of functions that `mastermind record` has made. */
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"
#include "common/beside.h"
#include "common/cxx_name.h"
#include "common/file.h"
#include "common/hash.h"
#include "mastermind/preload/entries.h"
#include "mastermind/preload/symbols.h"

enum { LONGEST = 512, BYTES_MOST = 96, LARGEST = 1 << 30 };

struct mm_entry *mm_entries;
size_t mm_entry_count;

/* --- Objects -------------------------------------------------------------- */

/* An object that is loaded in the process, by its file. */
struct object {
    const char *path;
    uintptr_t base;
    int found, is_program;
};

static int is_object(struct dl_phdr_info *info, size_t size, void *context)
{
    struct object *object = context;
    char own[PATH_MAX];
    ssize_t length = -1;
    char *real;

    (void)size;
    if (!*info->dlpi_name && (length = cca_path_own(own, sizeof own)) > 0)
        own[length] = 0;
    real = *info->dlpi_name ? realpath(info->dlpi_name, NULL)
           : length > 0     ? strdup(own)
                            : NULL;
    object->found = real && strcmp(real, object->path) == 0;
    free(real);
    object->base = info->dlpi_addr;
    object->is_program = !*info->dlpi_name;
    return object->found;
}

/* --- Names ---------------------------------------------------------------- */

/* Entry of a hash table, which is needed while tables are read: by the name in use, or by
 * the group of variants that a compiler made of one function. */
struct known {
    uint64_t group;
    struct mm_own *own;
};

struct names {
    /* [room] entries, found by name if `by_name` is set, else by group */
    struct known *places;
    size_t room, count;
    size_t first; /* `room` when the first entry is added */
    int by_name;
};

static size_t place_of(const struct names *names, uint64_t group, const char *name)
{
    uint64_t hash = names->by_name ? cca_hash_text(CCA_HASH_START, name) : group;
    size_t at = (size_t)(hash * 0x9e3779b97f4a7c15u >> 20) & (names->room - 1);

    while (names->places[at].own &&
           (names->by_name ? strcmp(names->places[at].own->name, name) != 0
                           : names->places[at].group != group))
        at = (at + 1) & (names->room - 1);
    return at;
}

/* Add a function to a hash table. Returns 0 or -ENOMEM. */
static int add_name(struct names *names, uint64_t group, struct mm_own *own)
{
    if (2 * names->count >= names->room) {
        struct names larger = *names;

        larger.room = names->room ? 2 * names->room : names->first;

        larger.places = calloc(larger.room, sizeof *larger.places);
        if (!larger.places)
            return -ENOMEM;
        for (size_t i = 0; i < names->room; i++)
            if (names->places[i].own)
                larger.places[place_of(&larger, names->places[i].group,
                                       names->places[i].own->name)] = names->places[i];
        free(names->places);
        *names = larger;
    }
    names->places[place_of(names, group, own->name)] = (struct known){group, own};
    names->count++;
    return 0;
}

static struct mm_own *find_name(const struct names *names, uint64_t group,
                                const char *name)
{
    return names->room ? names->places[place_of(names, group, name)].own : NULL;
}

/* --- Lines ---------------------------------------------------------------- */

/* Cut the next word off a line; NULL: there is none. */
static char *word_of(char **rest)
{
    char *word = *rest, *end;

    if (!word)
        return NULL;
    while (*word == ' ')
        word++;
    for (end = word; *end && *end != ' ';)
        end++;
    *rest = *end ? end + 1 : NULL;
    *end = '\0';
    return *word ? word : NULL;
}

/* Parse the next word of a line as a decimal number of at most nine digits. Returns -1 if
 * it is not one. */
static long number_of(char **rest)
{
    const char *word = word_of(rest);
    long number = 0;

    for (int i = 0; word && *word >= '0' && *word <= '9' && i < 9; i++)
        number = 10 * number + (*word++ - '0');
    return word && !*word ? number : -1;
}

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Parse a hexadecimal number, and set `*at` to its end. */
static uint64_t address_of(const char **at)
{
    uint64_t number = 0;

    for (int next; (next = digit(**at)) >= 0; ++*at)
        number = number << 4 | (uint64_t)next;
    return number;
}

/* Return the index of the method's value `name`, which is added if it is new; -1: too
 * many
 * values. */
static int value_of(struct mm_own *own, const char *name, int is_mode)
{
    size_t count = own->function.in_count;

    for (size_t i = 0; i < count; i++)
        if (strcmp(own->values[i].name, name) == 0)
            return (int)i;
    if (count == MONITOR_MAX_IN || mm_own_values(own, count + 1))
        return -1;
    /* part of the table's text, which is never freed */
    own->values[count] =
        (struct monitor_value_decl){.name = name,
                                    .type = MONITOR_INT64,
                                    .kind = is_mode ? MONITOR_MODE : MONITOR_PARAM};
    own->function.in_count++;
    return (int)count;
}

/* Read the list of recorded values at the end of a function's line. */
static void read_values(struct mm_entry *entry, char *rest)
{
    long count = number_of(&rest);

    for (long i = 0; i < count; i++) {
        const char *name = word_of(&rest), *kind = word_of(&rest);
        long in = number_of(&rest), size = number_of(&rest), is_signed = number_of(&rest),
             behind = number_of(&rest);
        int at;

        if (!kind || in < 0 || in > 5 || behind < 0 ||
            (size != 1 && size != 2 && size != 4 && size != 8))
            return;
        at = value_of(entry->own, name, *kind == 'm');
        if (at >= 0)
            entry->places[at] =
                (struct mm_place){(unsigned char)in, (unsigned char)(64 - 8 * size),
                                  is_signed != 0, behind != 0};
    }
}

/* Read hexadecimal bytes, "-" for none. Returns the number of bytes; -1: not hexadecimal,
 * or too many. */
static int read_bytes(const char *word, unsigned char bytes[BYTES_MOST])
{
    int count = 0;

    if (!word)
        return -1;
    if (strcmp(word, "-") == 0)
        return 0;
    for (; *word; word += 2) {
        int high = digit(word[0]), low = high < 0 ? -1 : digit(word[1]);

        if (low < 0 || count == BYTES_MOST)
            return -1;
        bytes[count++] = (unsigned char)(high << 4 | low);
    }
    return count;
}

/* Parse corrections of moved instructions, "AT,SIZE,END,TARGET;...". Returns their
 * number, or -1. */
static int read_fixes(const char *at, uintptr_t base, struct mm_fix fixes[MM_FIXES_MOST])
{
    int count = 0;

    if (!at)
        return -1;
    if (strcmp(at, "-") == 0)
        return 0;
    while (*at && count < MM_FIXES_MOST) {
        uint64_t parts[4];

        for (int i = 0; i < 4; i++) {
            parts[i] = address_of(&at);
            if (*at != (i < 3 ? ',' : ';') && (i < 3 || *at))
                return -1;
            at += *at != '\0';
        }
        if ((parts[1] != 4 && parts[1] != 8) || parts[0] > BYTES_MOST ||
            parts[0] + parts[1] > BYTES_MOST || parts[2] > BYTES_MOST)
            return -1;
        fixes[count++] = (struct mm_fix){(unsigned char)parts[0], (unsigned char)parts[1],
                                         (unsigned char)parts[2], base + parts[3]};
    }
    return *at ? -1 : count;
}

static struct {
    const char *word, *why;
    /* number of functions that match a pattern but are refused for this reason */
    size_t count;
} reasons[] = {{"short", "it has fewer than 5 bytes of code", 0},
               {"target", "the program jumps into its first 5 bytes", 0},
               {"labels", "it jumps to addresses that it computes inside itself", 0},
               {"unreadable", "not all of it can be decoded", 0},
               {"overlap", "another function lies in it", 0},
               {"form", "an instruction in its first 5 bytes works only where it is", 0},
               {"call", "a call ends in its first 5 bytes", 0},
               {"unwind", "it has no unwind information", 0},
               {"uncalled", "no call of it is known", 0},
               {"return", "it reads its own return address", 0},
               {"twice",
                "it is, or ends as, a function that returns twice or asks for its caller",
                0},
               {"resolver", "it chooses an implementation before the program starts", 0}};

/* A table that is being read. */
struct table {
    struct object object;
    const char *patterns;
    int has_choice; /* true if --only or --except was given */
    void (*print_line)(const char *line);
    struct names groups, names;
};

/* Find or make the `own` of a function, which is shared by the variants that a compiler
 * made of it. If another function has the same name, a number is appended to `name`:
 * "part", "part#2". */
static struct mm_own *own_of(struct table *table, char name[LONGEST], uint64_t group,
                             uintptr_t address)
{
    struct mm_own *own = find_name(&table->groups, group, name);
    size_t length = strlen(name);

    if (own)
        return own;
    for (int number = 2; find_name(&table->names, 0, name) && length < LONGEST - 12;
         number++)
        snprintf(name + length, 12, "#%d", number);
    own = mm_own_new(name, "function", MM_ENTRY_PATCHED, (void *)address);
    if (own && (add_name(&table->groups, group, own) || add_name(&table->names, 0, own)))
        return NULL; /* not freed: one of the hash tables may contain the name */
    return own;
}

/* Count a function that is refused for the reason `word`, and print a line if a pattern
 * without a wildcard names it. Reasons that are not in `reasons`, such as start code and
 * parts of functions, are not counted. */
static void refuse(struct table *table, const char *name, const char *word, int is_named)
{
    char text[LONGEST + 200];

    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (strcmp(reasons[i].word, word) == 0) {
            reasons[i].count++;
            snprintf(text, sizeof text, "%s is not recorded: %s", name, reasons[i].why);
            if (is_named)
                table->print_line(text);
        }
}

void mm_tables_report(void (*print)(void *context, const char *line), void *context)
{
    char line[2048];
    size_t used, count = 0;

    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        count += reasons[i].count;
    if (!count)
        return;
    used =
        (size_t)snprintf(line, sizeof line, "%zu function%s cannot be recorded:", count,
                         count == 1 ? "" : "s");
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (reasons[i].count)
            used += (size_t)snprintf(line + used, sizeof line - used, " %zu %s (%s);",
                                     reasons[i].count, reasons[i].word, reasons[i].why);
    line[used - 1] = '\0';
    print(context, line);
}

static void take_line(struct table *table, char *line)
{
    char *rest = line, name[LONGEST], plain[LONGEST];
    const char *word = word_of(&rest);
    uintptr_t address = word ? address_of(&word) : 0;
    long length = number_of(&rest);
    const char *symbol = word_of(&rest), *group = word_of(&rest);
    unsigned char original[BYTES_MOST], bytes[BYTES_MOST];
    struct mm_fix fixes[MM_FIXES_MOST];
    int matched, byte_count, fix_count;
    struct mm_entry *entry;
    struct mm_own *own;

    if (!group)
        return;
    mm_symbol_plain(symbol, name, sizeof name);
    matched = mm_symbol_matches(table->patterns, symbol, name);
    if (!matched)
        return;
    if (!length) {
        if (mm_symbol_is_chosen(symbol, name, name))
            refuse(table, name, group, matched > 1);
        return;
    }
    if (read_bytes(word_of(&rest), original) != length ||
        (byte_count = read_bytes(word_of(&rest), bytes)) < 0 ||
        (fix_count = read_fixes(word_of(&rest), table->object.base, fixes)) < 0)
        return;
    memcpy(plain, name, strlen(name) + 1); /* without a number */
    own = own_of(table, name, address_of(&group), table->object.base + address);
    if (own && table->has_choice && !mm_symbol_is_chosen(symbol, plain, own->name))
        return;
    entry = own ? cca_array_add(&mm_entries, &mm_entry_count, sizeof *entry) : NULL;
    if (!entry)
        return;
    entry->own = own;
    entry->may_rest = matched == 1;
    entry->counter = -1;
    entry->site = (unsigned char *)(table->object.base + address);
    entry->length = (unsigned char)length;
    entry->bytes_length = (unsigned char)byte_count;
    entry->fix_count = (unsigned char)fix_count;
    memset(entry->places, MM_PLACE_ABSENT, sizeof entry->places);
    entry->fixes = malloc(sizeof *fixes * (size_t)fix_count + (size_t)length +
                          (size_t)byte_count + 1);
    if (!entry->fixes) {
        mm_entry_count--;
        return;
    }
    entry->original = (unsigned char *)(entry->fixes + fix_count);
    entry->bytes = entry->original + length;
    memcpy(entry->fixes, fixes, sizeof *fixes * (size_t)fix_count);
    memcpy(entry->original, original, (size_t)length);
    memcpy(entry->bytes, bytes, (size_t)byte_count);
    read_values(entry, rest);
}

/* Return the patterns that apply to functions of a library: those after "LIBRARY/", and
 * those without a library if its compiler left no-ops for jumps. A new string, or
 * NULL. */
static char *patterns_for(const char *path, const char *patterns, int is_listed)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    char *all = calloc(1, strlen(patterns) + 2);
    const char *rest = patterns, *at;
    size_t length;

    while (all && (at = cca_list_next(&rest, &length))) {
        char *word = strndup(at, length), *slash = word ? strrchr(word, '/') : NULL;

        if (slash)
            *slash = 0;
        if (word && (slash ? fnmatch(word, name, 0) == 0 : is_listed)) {
            strcat(all, slash ? slash + 1 : word);
            strcat(all, ",");
        }
        free(word);
    }
    return all;
}

/* Cut the next line off the text; NULL: there is none. */
static char *line_of(char **text)
{
    char *line = *text, *end = line ? strchr(line, '\n') : NULL;

    if (end)
        *end = '\0';
    *text = end ? end + 1 : NULL;
    return end ? line : NULL;
}

void mm_table_read(const char *path, const char *patterns,
                   void (*print_line)(const char *line))
{
    static const char head[] = "mastermind/entries/4 ";
    /* usual length of a line in bytes; least number of names with room */
    enum { LINE = 64, LEAST = 1024 };
    struct table table = {.patterns = patterns,
                          .has_choice = mm_symbol_has_choice(),
                          .print_line = print_line,
                          .groups = {.first = LEAST},
                          .names = {.first = LEAST, .by_name = 1}};
    char *text = NULL, *rest, *line, *chosen = NULL;
    size_t size, before = mm_entry_count;

    if (cca_file_read(path, LARGEST, &text, &size))
        return;
    while (table.names.first < size / LINE)
        table.groups.first = table.names.first *= 2;
    rest = text;
    line = line_of(&rest);
    if (line && strncmp(line, head, sizeof head - 1) == 0 &&
        strlen(line) > sizeof head + 1)
        table.object.path = line + sizeof head + 1;
    if (table.object.path)
        dl_iterate_phdr(is_object, &table.object);
    if (table.object.found)
        table.patterns = chosen =
            patterns_for(table.object.is_program ? "" : table.object.path, patterns,
                         table.object.is_program || line[sizeof head - 1] == 'l');
    while (chosen && (line = line_of(&rest)))
        take_line(&table, line);
    free(chosen);
    free(table.groups.places);
    free(table.names.places);
    /* not freed if entries were added, as the names of their values are in the text */
    if (mm_entry_count == before)
        free(text);
}
