/* SPDX-License-Identifier: BSD-3-Clause */
/* header.c: find the headers that declare the functions of a library.
 *
 * The names of functions are looked up in the texts of all candidates and of the headers
 * that they include, so that only few headers must be compiled; then proxygen lists the
 * declarations of a header. Some headers make names with macros (fftw3.h), so headers
 * named after the library are tried in any case. */
#include "mastermind/library/header.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"
#include "common/child.h"
#include "common/file.h"
#include "common/sort.h"
#include "mastermind/library/cache.h"

enum { MOST_TRIED = 6, LARGEST = 1 << 26, LONGEST_NAME = 256 };

/* A header that may declare functions of the library. */
struct candidate {
    const char *path;
    char *text;
    /* [function_count] true if the function's name is in the header's text */
    unsigned char *has;
    /* [candidate_count] true if the header includes the candidate with this index */
    unsigned char *included;
    /* number of searched names in the header and in the headers that it includes */
    size_t score;
    int named; /* true if the header is named after the library */
    int tried;
};

/* State of a function in the headers. `VARIADIC`: a header declares it, but its arguments
 * cannot be passed on. */
enum found { NOT_YET, FOUND, VARIADIC };

struct search {
    const struct mm_use *use;
    char **names;         /* names of the functions to find */
    unsigned char *found; /* enum found of each name */
    size_t name_count;
    struct candidate *list;
    size_t count;
};

void mm_headers_done(struct mm_headers *headers)
{
    for (size_t i = 0; i < headers->count; i++) {
        struct mm_header *header = &headers->list[i];

        for (size_t k = 0; k < header->function_count; k++)
            free(header->functions[k]);
        for (size_t k = 0; k < header->flag_count; k++)
            free(header->flags[k]);
        free(header->functions);
        free(header->flags);
        free(header->path);
    }
    for (size_t i = 0; i < headers->without_count; i++)
        free(headers->without[i]);
    for (size_t i = 0; i < headers->variadic_count; i++)
        free(headers->variadic[i]);
    free(headers->variadic);
    free(headers->list);
    free(headers->without);
    memset(headers, 0, sizeof *headers);
}

static int add_text(char ***list, size_t *count, const char *text)
{
    char **item = cca_array_add(list, count, sizeof *item);

    return item && (*item = strdup(text)) ? 0 : -ENOMEM;
}

/* --- Texts ---------------------------------------------------------------- */

static int is_letter(int c)
{
    return isalnum(c) || c == '_';
}

/* Copy the next word of the text, skipping words that are too long. Returns 0 if there
 * are no more words. */
static int next_word(const char **at, char word[LONGEST_NAME])
{
    for (size_t length; **at; *at += length) {
        while (**at && !is_letter((unsigned char)**at))
            (*at)++;
        for (length = 0; is_letter((unsigned char)(*at)[length]);)
            length++;
        if (length && length < LONGEST_NAME) {
            memcpy(word, *at, length);
            word[length] = 0;
            *at += length;
            return 1;
        }
    }
    return 0;
}

/* Note which of the searched names occur as words in the header's text. */
static void note_words(const struct search *search, struct candidate *candidate)
{
    char word[LONGEST_NAME], *key = word;

    for (const char *at = candidate->text; next_word(&at, word);) {
        char **name = bsearch(&key, search->names, search->name_count,
                              sizeof *search->names, cca_order_text);

        if (name)
            candidate->has[name - search->names] = 1;
    }
}

/* Names of functions, in ascending order, each once. */
struct names {
    char **list;
    size_t count;
};

static void names_done(struct names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->list[i]);
    free(names->list);
}

/* List all words of the headers that are names of the library's functions. Returns 0 or
 * -ENOMEM. */
static int find_names(struct names *names, const struct mm_use *use,
                      const struct mm_package *package)
{
    size_t kept = 0;
    int status = 0;

    for (size_t i = 0; i < package->header_count && !status; i++) {
        char word[LONGEST_NAME], *text = NULL;
        size_t size;

        cca_file_read(package->headers[i], LARGEST, &text, &size);
        for (const char *at = text; text && !status && next_word(&at, word);)
            if (mm_use_defines(use, word))
                status = add_text(&names->list, &names->count, word);
        free(text);
    }
    if (names->count)
        qsort(names->list, names->count, sizeof *names->list, cca_order_text);
    for (size_t i = 0; i < names->count; i++) {
        if (kept && strcmp(names->list[kept - 1], names->list[i]) == 0)
            free(names->list[i]);
        else
            names->list[kept++] = names->list[i];
    }
    names->count = kept;
    return status;
}

/* Note which of the candidates the header's text includes. */
static void note_includes(const struct search *search, struct candidate *candidate)
{
    for (const char *at = candidate->text; (at = strstr(at, "include")) != NULL; at++) {
        const char *begin = at + strspn(at + 7, " \t") + 7;
        size_t length = strcspn(begin + (*begin != 0), "\">\n");

        if (*begin != '<' && *begin != '"')
            continue;
        for (size_t i = 0; i < search->count; i++) {
            const char *path = search->list[i].path;
            size_t own = strlen(path);

            if (own > length && path[own - length - 1] == '/' &&
                strncmp(path + own - length, begin + 1, length) == 0)
                candidate->included[i] = 1;
        }
    }
}

/* Add all candidates that the candidate `at` includes, directly or indirectly, to
 * `seen`. */
static void close_includes(const struct search *search, size_t at, unsigned char *seen)
{
    size_t *open = malloc(search->count * sizeof *open), count = 0;

    seen[at] = 1;
    if (open)
        open[count++] = at;
    while (count) {
        const struct candidate *one = &search->list[open[--count]];

        for (size_t i = 0; i < search->count; i++)
            if (one->included[i] && !seen[i]) {
                seen[i] = 1;
                open[count++] = i;
            }
    }
    free(open);
}

/* Count for each header how many of the names that are not found yet occur in it or in
 * the headers that it includes. */
static int count_scores(struct search *search)
{
    unsigned char *seen = malloc(search->count);

    if (!seen)
        return -ENOMEM;
    for (size_t i = 0; i < search->count; i++) {
        memset(seen, 0, search->count);
        close_includes(search, i, seen);
        search->list[i].score = 0;
        for (size_t n = 0; n < search->name_count; n++)
            for (size_t k = 0; k < search->count && !search->found[n]; k++)
                if (seen[k] && search->list[k].has[n]) {
                    search->list[i].score++;
                    break;
                }
    }
    free(seen);
    return 0;
}

/* True if the header is named after the library, as zlib.h for libz, sqlite3.h for
 * libsqlite3, hdf5.h for libhdf5_serial. */
static int is_named(const char *path, const char *stem)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = strcspn(name, "."), own = strlen(stem);
    size_t shorter = length < own ? length : own;

    if (length == own + 3 && strncmp(name, stem, own) == 0 &&
        strncmp(name + own, "lib", 3) == 0)
        return 1;
    return shorter >= 3 && strncasecmp(name, stem, shorter) == 0;
}

static int read_candidates(struct search *search, const struct mm_package *package)
{
    search->count = package->header_count;
    search->list = calloc(search->count + 1, sizeof *search->list);
    if (!search->list)
        return -ENOMEM;
    for (size_t i = 0; i < search->count; i++) {
        struct candidate *candidate = &search->list[i];
        size_t size;

        candidate->path = package->headers[i];
        cca_file_read(candidate->path, LARGEST, &candidate->text, &size);
        candidate->has = calloc(search->name_count + 1, 1);
        candidate->included = calloc(search->count, 1);
        candidate->named = is_named(candidate->path, search->use->stem);
        if (!candidate->has || !candidate->included)
            return -ENOMEM;
        if (candidate->text)
            note_words(search, candidate);
    }
    for (size_t i = 0; i < search->count; i++)
        if (search->list[i].text)
            note_includes(search, &search->list[i]);
    return 0;
}

/* Return the next header to try; NULL: none is promising. */
static struct candidate *best(const struct search *search)
{
    struct candidate *best = NULL;

    for (size_t i = 0; i < search->count; i++) {
        struct candidate *one = &search->list[i];

        if (one->tried ||
            (search->name_count && !one->score && !one->named && search->count > 1))
            continue;
        if (!best || one->score > best->score ||
            (one->score == best->score &&
             (one->named > best->named ||
              (one->named == best->named && strlen(one->path) < strlen(best->path)))))
            best = one;
    }
    return best;
}

/* --- Declarations of a header --------------------------------------------- */

/* Find the compiler flags for a header: -I for the header's own folders, and the flags
 * that pkg-config states. */
static int find_flags(struct mm_header *header, const struct mm_package *package)
{
    char folder[4096], *text = NULL, *rest, *word, *slash;
    const char *argv[] = {"pkg-config", "--cflags-only-I", NULL, NULL};
    int status = 0;

    snprintf(folder, sizeof folder, "-I%s", header->path);
    slash = strrchr(folder, '/');
    if (slash)
        *slash = 0;
    if (strcmp(folder, "-I/usr/include") != 0)
        status = add_text(&header->flags, &header->flag_count, folder);
    for (size_t i = 0; i < package->config_count && i < 4 && !status; i++) {
        argv[2] = package->configs[i];
        if (cca_child_capture(argv, 0, &text, NULL) == 0)
            for (rest = text; (word = strsep(&rest, " \n")) && !status;)
                if (strncmp(word, "-I", 2) == 0)
                    status = add_text(&header->flags, &header->flag_count, word);
        free(text);
    }
    return status;
}

/* Return a new string for proxygen: the list "a,b,c" of names that are not found yet, or
 * "*" for all declarations of the header itself. */
static char *ask_list(const struct search *search)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    int any = 0;

    for (size_t n = 0; memory && n < search->name_count; n++)
        if (!search->found[n])
            fprintf(memory, "%s%s", any++ ? "," : "", search->names[n]);
    if (memory && !any)
        fputs("*", memory);
    if (!memory || fclose(memory)) {
        free(text);
        return NULL;
    }
    return text;
}

/* Add the functions of proxygen's description that the library defines to the header. */
static int take_functions(struct search *search, struct mm_header *header,
                          const char *description)
{
    json_t *document = json_loads(description, 0, NULL), *method;
    int status = 0;
    size_t i;

    json_array_foreach(json_object_get(document, "methods"), i, method)
    {
        const char *symbol = json_string_value(json_object_get(method, "symbol"));
        const char *name = json_string_value(json_object_get(method, "name"));
        const char *sought = symbol ? symbol : name;
        char **found = name && search->names
                           ? bsearch(&sought, search->names, search->name_count,
                                     sizeof *search->names, cca_order_text)
                           : NULL;

        if (found)
            search->found[found - search->names] = FOUND;
        if (name && !status &&
            (found || (!search->name_count && mm_use_defines(search->use, sought))))
            status = add_text(&header->functions, &header->function_count, name);
    }
    json_decref(document);
    return status;
}

/* Note functions that proxygen leaves out because they are variadic, from its lines. */
static void note_variadic(struct search *search, char *lines)
{
    char *line, name[LONGEST_NAME];

    while ((line = strsep(&lines, "\n"))) {
        const char *at = strstr(line, "left out: '");
        int length = 0;

        if (!at || sscanf(at, "left out: '%255[^']' is variadic%n", name, &length) != 1 ||
            !length)
            continue;
        for (size_t n = 0; n < search->name_count; n++)
            if (!search->found[n] && strcmp(search->names[n], name) == 0)
                search->found[n] = VARIADIC;
    }
}

/* True if a name that is not found yet is a word of the candidate's text. */
static int has_unfound(const struct search *search, const struct candidate *candidate)
{
    for (size_t n = 0; n < search->name_count && candidate->has; n++)
        if (!search->found[n] && candidate->has[n])
            return 1;
    return 0;
}

/* Let proxygen read the header with its flags; for the reasons why it leaves out
 * functions whose names are in the header, once more. Returns 0; 1: proxygen could not
 * read it; or -ENOMEM. */
static int read_header(struct search *search, struct mm_header *header,
                       const struct candidate *candidate, const char *proxygen)
{
    const char **argv = calloc(header->flag_count + 8, sizeof *argv);
    char *list = ask_list(search), *text = NULL, *lines = NULL;
    int status = argv && list ? 0 : -ENOMEM;
    size_t words = 0;

    if (!status) {
        argv[words++] = proxygen;
        argv[words++] = "--interpose";
        argv[words++] = header->path;
        argv[words++] = "--functions";
        argv[words++] = list;
        argv[words++] = "--available";
        argv[words++] = "--describe";
        for (size_t i = 0; i < header->flag_count; i++)
            argv[words++] = header->flags[i];
        status = cca_child_capture(argv, 0, &text, NULL) == 0
                     ? take_functions(search, header, text)
                     : 1;
        if (status >= 0 && has_unfound(search, candidate)) {
            cca_child_capture(argv, 1, &lines, NULL);
            if (lines)
                note_variadic(search, lines);
        }
    }
    free(text);
    free(lines);
    free(argv);
    free(list);
    return status;
}

/* Flags for headers that do not compile alone: jpeglib.h needs the type FILE, pcre2.h the
 * width of a character. */
static const char *const lacking[] = {
    "-include", "stdint.h",    "-include", "stdio.h",
    "-include", "sys/types.h", "-D",       "PCRE2_CODE_UNIT_WIDTH=8"};

/* Let proxygen read the header, alone or after headers that it needs. Returns 0 also if
 * proxygen cannot. */
static int try_header(struct search *search, struct mm_headers *headers,
                      struct candidate *candidate, const struct mm_package *package,
                      const struct mm_header_reader *reader)
{
    struct mm_header *header =
        cca_array_add(&headers->list, &headers->count, sizeof *header);
    int status = header ? 0 : -ENOMEM;

    candidate->tried = 1;
    if (!status && !(header->path = strdup(candidate->path)))
        status = -ENOMEM;
    for (size_t i = 0; i < reader->flag_count && !status; i++)
        status = add_text(&header->flags, &header->flag_count, reader->flags[i]);
    if (!status)
        status = find_flags(header, package);
    if (!status)
        status = read_header(search, header, candidate, reader->proxygen);
    if (status == 1) {
        status = 0;
        for (size_t i = 0; i < sizeof lacking / sizeof *lacking && !status; i++)
            status = add_text(&header->flags, &header->flag_count, lacking[i]);
        if (!status &&
            read_header(search, header, candidate, reader->proxygen) == -ENOMEM)
            status = -ENOMEM;
    }
    if (header && !header->function_count) {
        struct mm_headers empty = {.list = NULL};

        empty.list = malloc(sizeof *header);
        if (empty.list) {
            *empty.list = *header;
            empty.count = 1;
            mm_headers_done(&empty);
        }
        headers->count--;
    }
    return status;
}

static void search_done(struct search *search)
{
    for (size_t i = 0; search->list && i < search->count; i++) {
        free(search->list[i].text);
        free(search->list[i].has);
        free(search->list[i].included);
    }
    free(search->list);
    free(search->found);
}

/* Try the best candidates until all names are found; if no names are given, until a
 * header has functions of the library. */
static int search_headers(struct search *search, struct mm_headers *headers,
                          const struct mm_package *package,
                          const struct mm_header_reader *reader)
{
    struct candidate *candidate;
    int status, tried = 0;

    search->found = calloc(search->name_count + 1, 1);
    status = search->found ? read_candidates(search, package) : -ENOMEM;
    while (!status && tried++ < MOST_TRIED) {
        size_t left = 0;

        for (size_t n = 0; n < search->name_count; n++)
            left += !search->found[n];
        if ((search->name_count && !left) || (!search->name_count && headers->count))
            break;
        status = count_scores(search);
        candidate = status ? NULL : best(search);
        if (!candidate)
            break;
        status = try_header(search, headers, candidate, package, reader);
    }
    return status;
}

/* --- BLAS and LAPACK ------------------------------------------------------ */

__asm__(".pushsection .rodata\n"
        ".globl mm_fortran_blas, mm_fortran_blas_end\n"
        ".hidden mm_fortran_blas, mm_fortran_blas_end\n"
        "mm_fortran_blas: .incbin \"mastermind/library/fortran_blas.inc\"\n"
        "mm_fortran_blas_end: .byte 0\n"
        ".popsection\n");
extern const char mm_fortran_blas[], mm_fortran_blas_end[];

/* Write the built-in header into the cache, unless it is there. Returns its path, new, or
 * NULL. */
static char *built_in_header(void)
{
    size_t size = (size_t)(mm_fortran_blas_end - mm_fortran_blas), there = 0;
    struct cca_error ignored = {0};
    char *folder = mm_cache_folder("headers", &ignored), *path = NULL, *text = NULL;
    int is_there = 0;

    if (folder && asprintf(&path, "%s/fortran_blas.h", folder) < 0)
        path = NULL;
    if (path && !cca_file_read(path, LARGEST, &text, &there))
        is_there = there == size && memcmp(text, mm_fortran_blas, size) == 0;
    if (path && !is_there && mm_cache_write(path, mm_fortran_blas, size)) {
        free(path);
        path = NULL;
    }
    free(text);
    free(folder);
    return path;
}

/* True if a name with Fortran's ending '_' has not been found. */
static int lacks_fortran(const struct search *search)
{
    for (size_t n = 0; n < search->name_count; n++) {
        size_t length = strlen(search->names[n]);

        if (!search->found[n] && length && search->names[n][length - 1] == '_')
            return 1;
    }
    return 0;
}

/* Look up functions of Fortran without a header of the library: in the built-in
 * header, then in the header of LAPACK's C interface, which has all of LAPACK. */
static int find_fortran(struct search *search, struct mm_headers *headers,
                        const struct mm_header_reader *reader)
{
    static const struct mm_package none;
    char *built_in = lacks_fortran(search) ? built_in_header() : NULL;
    const char *const paths[] = {built_in, "/usr/include/lapack.h"};
    int status = 0;

    for (size_t i = 0; i < 2 && lacks_fortran(search) && !status; i++) {
        struct candidate candidate = {.path = paths[i]};

        if (paths[i] && access(paths[i], R_OK) == 0)
            status = try_header(search, headers, &candidate, &none, reader);
    }
    free(built_in);
    return status;
}

int mm_headers_find(struct mm_headers *headers, const struct mm_use *use,
                    const struct mm_package *package,
                    const struct mm_header_reader *reader, struct cca_error *err)
{
    struct search search = {
        .use = use, .names = use->functions, .name_count = use->function_count};
    struct names names = {NULL, 0};
    int status;

    memset(headers, 0, sizeof *headers);
    status = search_headers(&search, headers, package, reader);
    if (!status)
        status = find_fortran(&search, headers, reader);
    for (size_t n = 0; n < search.name_count && !status; n++)
        if (search.found[n] == VARIADIC)
            status =
                add_text(&headers->variadic, &headers->variadic_count, search.names[n]);
        else if (!search.found[n])
            status =
                add_text(&headers->without, &headers->without_count, search.names[n]);
    search_done(&search);
    /* Headers such as lzma.h declare nothing themselves: try the headers that they
     * include. */
    if (!status && !use->function_count && !headers->count) {
        status = find_names(&names, use, package);
        search =
            (struct search){.use = use, .names = names.list, .name_count = names.count};
        if (!status && names.count)
            status = search_headers(&search, headers, package, reader);
        search_done(&search);
        names_done(&names);
    }
    return status ? cca_error_set(err, status, "%s: %s", use->soname, strerror(-status))
                  : 0;
}
