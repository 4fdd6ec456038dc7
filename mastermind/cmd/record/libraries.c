/* SPDX-License-Identifier: BSD-3-Clause */
/* libraries.c: find the libraries that a program uses, and make interposition
 * libraries. */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"
#include "mastermind/cmd/record/record.h"
#include "mastermind/library/proxies.h"

/* --- Libraries of a program ----------------------------------------------- */

struct found {
    struct mm_uses uses;
    size_t *places;               /* [count] indices in uses.list, which is reallocated */
    const struct mm_use **chosen; /* [count] */
    struct mm_package *packages;  /* [count] */
    struct mm_headers *headers;   /* [count] */
    size_t count;
};

static void found_done(struct found *found)
{
    for (size_t i = 0; i < found->count; i++) {
        if (found->packages)
            mm_package_done(&found->packages[i]);
        if (found->headers)
            mm_headers_done(&found->headers[i]);
    }
    free(found->places);
    free(found->chosen);
    free(found->packages);
    free(found->headers);
    mm_uses_done(&found->uses);
}

static void progress(const char *text, const char *name)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%s%s", text, name);
}

/* Choose the library with this index in uses.list. Returns 0 or -ENOMEM. */
static int choose_place(struct found *found, size_t place)
{
    size_t *item;

    for (size_t i = 0; i < found->count; i++)
        if (found->places[i] == place)
            return 0;
    item = cca_array_add(&found->places, &found->count, sizeof *item);
    if (item)
        *item = place;
    return item ? 0 : -ENOMEM;
}

int mm_record_is_flag(const char *word)
{
    static const char *const flags[] = {"-I", "-D", "-U", "-include", "-isystem"};

    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (strncmp(word, flags[i], strlen(flags[i])) == 0)
            return word[strlen(flags[i])] ? 1 : 2;
    return 0;
}

/* The headers that the user's flags name become candidates. */
static int add_folders(struct mm_package *package, const struct mm_record_filter *filter)
{
    int status = 0;

    for (size_t i = 0; i < filter->flag_count && !status; i++) {
        char *word = filter->flags[i];
        int is_next = strcmp(word, "-I") == 0 || strcmp(word, "-include") == 0 ||
                      strcmp(word, "-isystem") == 0;

        if (is_next && i + 1 < filter->flag_count)
            status = mm_package_add(package, filter->flags[i + 1]);
        else if (!is_next && strncmp(word, "-I", 2) == 0)
            status = mm_package_add(package, word + 2);
        i += mm_record_is_flag(word) == 2;
    }
    return status;
}

/* Find packages and headers of all chosen libraries. */
static int find_headers(struct found *found, const struct mm_record_filter *filter,
                        struct cca_error *err)
{
    struct mm_header_reader reader = {mm_record_proxygen(), filter->flags,
                                      filter->flag_count};
    int status = 0;

    found->chosen = calloc(found->count + 1, sizeof *found->chosen);
    found->packages = calloc(found->count + 1, sizeof *found->packages);
    found->headers = calloc(found->count + 1, sizeof *found->headers);
    if (!found->packages || !found->headers || !found->chosen)
        return cca_no_memory(err);
    for (size_t i = 0; i < found->count; i++)
        found->chosen[i] = &found->uses.list[found->places[i]];
    progress("looking for headers", "");
    if (mm_packages_find(found->chosen, found->count, 1, found->packages))
        status = cca_no_memory(err);
    for (size_t i = 0; i < found->count && !status; i++) {
        progress("reading headers of ", found->chosen[i]->soname);
        status = add_folders(&found->packages[i], filter);
        if (!status)
            status = mm_headers_find(&found->headers[i], found->chosen[i],
                                     &found->packages[i], &reader, err);
        else
            cca_no_memory(err);
    }
    progress("", "");
    return status;
}

/* --- --list --------------------------------------------------------------- */

static size_t recordable(const struct found *found, size_t i)
{
    size_t count = 0;

    for (size_t h = 0; h < found->headers[i].count; h++)
        count += found->headers[i].list[h].function_count;
    return count;
}

/* Print the header's name ("zlib.h"), or the reason why there is none. */
static void header_words(const struct found *found, size_t i, char *text, size_t size)
{
    const struct mm_headers *headers = &found->headers[i];
    const struct mm_package *package = &found->packages[i];
    size_t used = 0;

    *text = 0;
    for (size_t h = 0; h < headers->count && used + 40 < size; h++) {
        const char *slash = strrchr(headers->list[h].path, '/');

        used += (size_t)snprintf(text + used, size - used, "%s%.60s", h ? ", " : "",
                                 slash ? slash + 1 : headers->list[h].path);
    }
    if (headers->count)
        return;
    if (!found->chosen[i]->function_count)
        snprintf(text, size, "nothing is imported from it");
    else if (package->development && !package->installed)
        snprintf(text, size, "no header; package %.80s has it", package->development);
    else if (package->header_count)
        snprintf(text, size, "no header declares these functions");
    else
        snprintf(text, size, "no header was found");
}

enum { USED, RECORDED, CELLS };

static void list_rows(const void *context, struct mm_table *table)
{
    const struct found *found = context;
    char heads[][MM_CELL] = {"used", "can be recorded"};

    mm_table_row(table, heads, "library       header");
    for (size_t i = 0; i < found->count; i++) {
        char cells[CELLS][MM_CELL], words[120], name[200];

        header_words(found, i, words, sizeof words);
        mm_cell_set(cells[USED], mm_thousands(found->chosen[i]->function_count));
        mm_cell_set(cells[RECORDED], mm_thousands(recordable(found, i)));
        snprintf(name, sizeof name, "%-13s %s", found->chosen[i]->stem, words);
        mm_table_row(table, cells, name);
    }
}

/* Print the functions that can be recorded, several on a line. */
static void print_functions(const struct found *found)
{
    for (size_t i = 0; i < found->count; i++) {
        int column = 0;

        for (size_t h = 0; h < found->headers[i].count; h++)
            for (size_t f = 0; f < found->headers[i].list[h].function_count; f++) {
                const char *name = mm_safe(found->headers[i].list[h].functions[f]);

                if (!column)
                    column = printf("%s:", found->chosen[i]->stem);
                if (column + 1 + (int)strlen(name) > 98)
                    column = printf("\n   ") - 1;
                column += printf(" %s", name);
            }
        if (column)
            putchar('\n');
    }
}

/* Print the libraries that only other libraries call. */
static void print_indirect(const struct mm_uses *uses)
{
    int column = 0;

    for (size_t i = 0; i < uses->count; i++) {
        const char *name = mm_safe(uses->list[i].stem);

        if (uses->list[i].system || uses->list[i].direct || !uses->list[i].function_count)
            continue;
        if (!column)
            column = printf("\nonly libraries call these, which --library records, too:");
        if (column + 1 + (int)strlen(name) > 98)
            column = printf("\n   ") - 1;
        column += printf(" %s", name);
    }
    if (column)
        putchar('\n');
}

static json_t *use_json(const struct found *found, size_t i)
{
    const struct mm_package *package = &found->packages[i];
    json_t *use = json_object(), *headers = json_array(), *without = json_array(),
           *variadic = json_array();

    mm_json_set(use, "library soname used package development installed",
                found->chosen[i]->stem, found->chosen[i]->soname,
                (json_int_t)found->chosen[i]->function_count,
                package->name ? mm_json_escaped(package->name) : NULL,
                package->development ? mm_json_escaped(package->development) : NULL,
                json_boolean(package->installed));
    for (size_t h = 0; h < found->headers[i].count; h++) {
        json_t *header = json_object(), *functions = json_array();

        mm_json_put(header, "path", mm_json_escaped(found->headers[i].list[h].path));
        for (size_t f = 0; f < found->headers[i].list[h].function_count; f++)
            json_array_append_new(
                functions, mm_json_escaped(found->headers[i].list[h].functions[f]));
        mm_json_put(header, "functions", functions);
        json_array_append_new(headers, header);
    }
    for (size_t f = 0; f < found->headers[i].without_count; f++)
        json_array_append_new(without, mm_json_escaped(found->headers[i].without[f]));
    for (size_t f = 0; f < found->headers[i].variadic_count; f++)
        json_array_append_new(variadic, mm_json_escaped(found->headers[i].variadic[f]));
    mm_json_set(use, "headers not_declared variadic", headers, without, variadic);
    return use;
}

static int print_list(const struct found *found, int json)
{
    if (json) {
        json_t *document = mm_json_document("record-list"), *list = json_array();

        mm_json_put(document, "program", mm_json_escaped(found->uses.program));
        for (size_t i = 0; i < found->count; i++)
            json_array_append_new(list, use_json(found, i));
        mm_json_put(document, "libraries", list);
        return mm_json_print(document);
    }
    if (found->count) {
        mm_table_print(CELLS, list_rows, found);
        putchar('\n');
        print_functions(found);
    } else {
        printf("%s calls only libraries of the system\n", mm_safe(found->uses.program));
    }
    print_indirect(&found->uses);
    for (size_t i = 0; i < found->uses.missing_count; i++)
        printf("%s is needed and nowhere\n", mm_safe(found->uses.missing[i]));
    return mm_finish_output(0);
}

int mm_record_list(const char *program, const struct mm_record_filter *filter, int json)
{
    struct found found = {.count = 0};
    struct cca_error err = {0};
    int status = mm_uses_read(&found.uses, program, &err);

    for (size_t i = 0; i < found.uses.count && !status; i++)
        if (!found.uses.list[i].system && found.uses.list[i].direct &&
            choose_place(&found, i))
            status = cca_no_memory(&err);
    if (!status)
        status = find_headers(&found, filter, &err);
    status = status ? mm_complain(&err) : print_list(&found, json);
    found_done(&found);
    return status;
}

/* --- --library ------------------------------------------------------------ */

/* Report an unknown library, with the nearest name. */
static void tell_unknown(const struct found *found, const char *word)
{
    size_t printed = 0;

    fprintf(stderr,
            "mastermind: %s uses no library '%s', and none of that name is here; it uses",
            mm_safe(found->uses.program), mm_safe(word));
    for (size_t i = 0; i < found->uses.count && printed < 8; i++)
        if (!found->uses.list[i].system)
            fprintf(stderr, "%s %s", printed++ ? "," : "", found->uses.list[i].stem);
    fputs(printed ? "\n" : " only libraries of the system\n", stderr);
}

/* Choose the libraries that one word matches. Returns -1 to go on, else an exit code. */
static int choose_word(struct found *found, const char *word)
{
    struct cca_error err = {0};
    int any = 0;

    for (size_t i = 0; i < found->uses.count; i++)
        if (mm_use_is_named(&found->uses.list[i], word) &&
            (!strpbrk(word, "*?[") || found->uses.list[i].function_count)) {
            any = 1;
            if (choose_place(found, i))
                return mm_no_memory();
        }
    if (any)
        return -1;
    if (strpbrk(word, "*?["))
        return mm_refuse(MM_EXIT_INPUT, "no library that %s uses matches '%s'",
                         mm_safe(found->uses.program), mm_safe(word));
    if (!mm_uses_add(&found->uses, word, &err)) {
        if (err.code)
            return mm_complain(&err);
        tell_unknown(found, word);
        return MM_EXIT_INPUT;
    }
    return choose_place(found, found->uses.count - 1) ? mm_no_memory() : -1;
}

/* Choose the libraries that all words match. Returns -1 to go on, else an exit code. */
static int choose(struct found *found, const char *const *words, size_t word_count)
{
    int status = -1;

    for (size_t w = 0; w < word_count && status < 0; w++) {
        char *copy = strdup(words[w]), *rest = copy, *word;

        if (!copy)
            return mm_no_memory();
        while (status < 0 && (word = strsep(&rest, ",")))
            if (*word)
                status = choose_word(found, word);
        free(copy);
    }
    return status;
}

/* True if a word without a wildcard names the library. */
static int is_asked(const struct mm_use *use, const char *const *words, size_t word_count)
{
    for (size_t w = 0; w < word_count; w++) {
        const char *at = words[w];

        while (*at) {
            char word[200];
            size_t length = strcspn(at, ",");

            snprintf(word, sizeof word, "%.*s", (int)length, at);
            if (!strpbrk(word, "*?[") && mm_use_is_named(use, word))
                return 1;
            at += length + (at[length] == ',');
        }
    }
    return 0;
}

/* True where the library's header is in a package that is not installed. */
static int lacks_package(const struct found *found, size_t i)
{
    return !found->headers[i].count && found->packages[i].development &&
           !found->packages[i].installed;
}

/* Report all libraries whose headers are not installed, and their packages, in one
 * line. */
static void report_packages(const struct found *found)
{
    size_t count = 0, named = 0;

    for (size_t i = 0; i < found->count; i++)
        count += (size_t)lacks_package(found, i);
    if (!count)
        return;
    fputs("mastermind:", stderr);
    for (size_t i = 0; i < found->count; i++)
        if (lacks_package(found, i))
            fprintf(stderr, "%s %s", named++ ? "," : "",
                    mm_safe(found->chosen[i]->soname));
    fprintf(stderr, count == 1 ? " is not recorded: its header is not installed; package"
                               : " are not recorded: their headers are not installed; "
                                 "packages");
    for (size_t i = 0; i < found->count; i++) {
        int is_named = !lacks_package(found, i);

        for (size_t k = 0; k < i && !is_named; k++)
            is_named =
                lacks_package(found, k) && strcmp(found->packages[k].development,
                                                  found->packages[i].development) == 0;
        if (!is_named)
            fprintf(stderr, " %s", mm_safe(found->packages[i].development));
    }
    fputs(count == 1 ? " has it\n" : " have them\n", stderr);
}

/* Report why nothing of a library can be recorded. */
static void tell_without(const struct found *found, size_t i)
{
    const struct mm_use *use = found->chosen[i];
    const struct mm_package *package = &found->packages[i];

    if (lacks_package(found, i))
        return; /* report_packages names it, in one line with other libraries */
    if (!package->header_count)
        fprintf(stderr, "mastermind: %s is not recorded: no header of it was found%s%s\n",
                mm_safe(use->soname), package->name ? "; the library is of package " : "",
                package->name ? mm_safe(package->name) : "");
    else
        fprintf(stderr, "mastermind: %s is not recorded: no header of %s declares %s%s\n",
                mm_safe(use->soname),
                package->development ? mm_safe(package->development) : "its folder",
                use->function_count ? "the functions used of it, such as "
                                    : "a function of it",
                use->function_count ? mm_safe(use->functions[0]) : "");
}

static void print_left_out(const struct mm_use *use, const char *why, char *const *names,
                           size_t count)
{
    if (!count)
        return;
    fprintf(stderr, "mastermind: %s of %s not recorded: %s",
            mm_counted(count, "function"), mm_safe(use->soname), why);
    for (size_t f = 0; f < count && f < 3; f++)
        fprintf(stderr, "%s %s", f ? "," : "", mm_safe(names[f]));
    fputs(count > 3 ? ", ...\n" : "\n", stderr);
}

/* Report functions of a library that are left out, on one line for each reason. */
static void print_all_left_out(const struct found *found, size_t i)
{
    const struct mm_headers *headers = &found->headers[i];

    print_left_out(found->chosen[i], "no header declares", headers->without,
                   headers->without_count);
    print_left_out(found->chosen[i],
                   "variadic, so that arguments cannot be passed on:", headers->variadic,
                   headers->variadic_count);
}

/* Text of a sidecar file with the line "header NAME" for this header. */
static const char *sidecar_of(const struct mm_header *header, const char *const *sidecars,
                              size_t count)
{
    const char *slash = strrchr(header->path, '/'),
               *own = slash ? slash + 1 : header->path;

    for (size_t i = 0; i < count; i++) {
        FILE *file = fopen(sidecars[i], "re");
        char line[400], name[200];
        int fits = 0;

        while (file && !fits && fgets(line, sizeof line, file))
            fits = sscanf(line, " header %199s", name) == 1 && strcmp(name, own) == 0;
        if (file)
            fclose(file);
        if (fits)
            return sidecars[i];
    }
    return NULL;
}

/* The text of a file, new; NULL: it cannot be read. */
static char *read_text(const char *folder, const char *name)
{
    char *path = NULL, *text = NULL;
    size_t room = 0;
    FILE *file;

    if (asprintf(&path, "%s/%s", folder, name) < 0)
        return NULL;
    file = fopen(path, "re");
    free(path);
    if (file && getdelim(&text, &room, '\0', file) < 0) {
        free(text);
        text = NULL;
    }
    if (file)
        fclose(file);
    return text;
}

/* The proposed marks, and a mark for each number that the proposal lists as not marked.
 * The result is new, or NULL. */
static char *trial_text(const char *proposed)
{
    static const char words[] = "    # not marked, their names mean nothing to proxygen:";
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    while (out && *proposed) {
        size_t length = strcspn(proposed, "\n");

        if (strncmp(proposed, words, sizeof words - 1) == 0) {
            const char *at = proposed + sizeof words - 1, *end = proposed + length;

            while (at < end) {
                size_t own;

                at += strspn(at, " ,");
                own = strcspn(at, " ,\n");
                if (at < end && own)
                    fprintf(out, "    param %.*s\n", (int)own, at);
                at += own;
            }
        } else if (length && !memmem(proposed, length, "left out:", 9)) {
            fprintf(out, "%.*s\n", (int)length, proposed);
        }
        proposed += length + (proposed[length] == '\n');
    }
    if (out && fclose(out)) {
        free(text);
        return NULL;
    }
    return out ? text : NULL;
}

/* Make proxies that record all numbers of the calls, if proxygen can; otherwise `folder`
 * is unchanged. Returns the marks, new. */
static char *try_all(const struct mm_header *header, const struct mm_use *use,
                     char **folder)
{
    char *proposed = read_text(*folder, "proposed.perf"), *path = NULL, *better = NULL;
    char *text = proposed ? trial_text(proposed) : NULL;
    struct cca_error ignored = {0};
    FILE *file;

    if (!text || asprintf(&path, "%s/trial.perf", *folder) < 0) {
        free(text);
        return proposed;
    }
    if (access(path, F_OK) != 0 && (file = fopen(path, "we"))) {
        fputs(text, file);
        fclose(file);
    }
    if (mm_proxies_get(header, use, mm_record_proxygen(), path, &better, NULL,
                       &ignored)) {
        free(text); /* proxygen cannot mark one of the numbers */
        text = proposed;
    } else {
        free(*folder);
        free(proposed);
        *folder = better;
    }
    free(path);
    return text;
}

static int get_proxies(const struct found *found, size_t i, const char *const *sidecars,
                       size_t sidecar_count, int suggest,
                       struct mm_record_proxies *proxies)
{
    struct cca_error err = {0};

    for (size_t h = 0; h < found->headers[i].count; h++) {
        const struct mm_header *header = &found->headers[i].list[h];
        const char *sidecar = sidecar_of(header, sidecars, sidecar_count);
        char *folder, **item, *marks = NULL;
        size_t count = proxies->count;

        progress("making proxies for ", header->path);
        if (mm_proxies_get(header, found->chosen[i], mm_record_proxygen(), sidecar,
                           &folder, NULL, &err)) {
            progress("", "");
            return mm_complain(&err);
        }
        if (suggest && !sidecar)
            marks = try_all(header, found->chosen[i], &folder);
        progress("", "");
        item = cca_array_add(&proxies->folders, &count, sizeof *item);
        if (!item || cca_array_reserve(&proxies->marks, proxies->count, sizeof *item)) {
            free(folder);
            free(marks);
            return mm_no_memory();
        }
        *item = folder;
        proxies->marks[proxies->count++] = marks;
    }
    return 0;
}

/* True if one of the patterns in a list matches. */
static int in_list(const char *list, const char *name)
{
    char pattern[300];

    for (const char *at = list; *at;) {
        size_t length = strcspn(at, ",");

        snprintf(pattern, sizeof pattern, "%.*s", (int)length, at);
        if (fnmatch(pattern, name, 0) == 0)
            return 1;
        at += length + (at[length] == ',');
    }
    return 0;
}

/* Remove functions that the filter excludes, then headers without functions. */
static void filter_functions(struct mm_headers *headers,
                             const struct mm_record_filter *filter)
{
    size_t kept_headers = 0;

    for (size_t h = 0; h < headers->count; h++) {
        struct mm_header *header = &headers->list[h];
        size_t kept = 0;

        for (size_t f = 0; f < header->function_count; f++) {
            char *name = header->functions[f];

            if ((filter->only && !in_list(filter->only, name)) ||
                (filter->except && in_list(filter->except, name)))
                free(name);
            else
                header->functions[kept++] = name;
        }
        header->function_count = kept;
    }
    for (size_t h = 0; h < headers->count; h++)
        if (headers->list[h].function_count) {
            struct mm_header whole = headers->list[h];

            headers->list[h] = headers->list[kept_headers];
            headers->list[kept_headers++] = whole;
        }
    for (size_t h = kept_headers; h < headers->count; h++) {
        struct mm_headers one = {.list = NULL};

        one.list = malloc(sizeof *one.list);
        if (!one.list)
            continue;
        *one.list = headers->list[h];
        one.count = 1;
        mm_headers_done(&one);
    }
    headers->count = kept_headers;
}

int mm_record_libraries(const char *const *words, size_t word_count,
                        const char *const *sidecars, size_t sidecar_count,
                        const char *program, const struct mm_record_filter *filter,
                        int suggest, struct mm_record_proxies *proxies)
{
    struct found found = {.count = 0};
    struct cca_error err = {0};
    int status = mm_uses_read(&found.uses, program, &err);

    status = status ? mm_complain(&err) : choose(&found, words, word_count);
    if (status < 0)
        status = find_headers(&found, filter, &err) ? mm_complain(&err) : 0;
    if (!status)
        report_packages(&found);
    for (size_t i = 0; i < found.count && !status; i++) {
        size_t before = found.headers[i].count;

        filter_functions(&found.headers[i], filter);
        if (before && !found.headers[i].count)
            continue;
        if (found.headers[i].count) {
            print_all_left_out(&found, i);
            status = get_proxies(&found, i, sidecars, sidecar_count, suggest, proxies);
            continue;
        }
        tell_without(&found, i);
        if (is_asked(found.chosen[i], words, word_count))
            status = MM_EXIT_INPUT;
    }
    if (!status && !proxies->count)
        status = mm_refuse(MM_EXIT_INPUT, "no library of %s can be recorded",
                           mm_safe(program));
    found_done(&found);
    return status;
}

void mm_record_proxies_done(struct mm_record_proxies *proxies)
{
    for (size_t i = 0; i < proxies->count; i++) {
        free(proxies->folders[i]);
        free(proxies->marks[i]);
    }
    free(proxies->folders);
    free(proxies->marks);
    proxies->folders = proxies->marks = NULL;
    proxies->count = 0;
}
