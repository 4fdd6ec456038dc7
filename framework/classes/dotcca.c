/* SPDX-License-Identifier: BSD-3-Clause */
/* dotcca.c: read Ccaffeine's old text index files. */
#include "common/array.h"
#include "framework/classes/dotcca.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LONGEST_LINE = 4096 };

/* A file being read. */
struct source {
    struct cca_dotcca *index;
    const char *folder, *path;
    int line;
    char library[LONGEST_LINE];  /* current library; "": none yet */
    char location[LONGEST_LINE]; /* current location; "": none yet */
};

const struct cca_dotcca_class *cca_dotcca_find(const struct cca_dotcca *index,
                                               const char *name)
{
    for (size_t i = 0; i < index->count; i++)
        if (strcmp(index->classes[i].name, name) == 0)
            return &index->classes[i];
    return NULL;
}

const char *cca_dotcca_passed_over(const struct cca_dotcca *index, const char *name)
{
    size_t length = strlen(name);

    for (size_t i = 0; i < index->passed_over_count; i++) {
        const char *base = strrchr(index->passed_over[i], '/') + 1;

        if (strncmp(base, name, length) == 0 && base[length] == '.')
            return index->passed_over[i];
    }
    return index->passed_over_count ? index->passed_over[0] : NULL;
}

static void class_done(struct cca_dotcca_class *class)
{
    free(class->name);
    free(class->file);
    free(class->library);
    free(class->beside);
    free(class->location);
}

void cca_dotcca_done(struct cca_dotcca *index)
{
    for (size_t i = 0; i < index->count; i++)
        class_done(&index->classes[i]);
    for (size_t i = 0; i < index->folder_count; i++)
        free(index->folders[i]);
    for (size_t i = 0; i < index->passed_over_count; i++)
        free(index->passed_over[i]);
    free(index->passed_over);
    free(index->classes);
    free(index->folders);
    *index = (struct cca_dotcca){0};
}

/* Return the path folder/name, new, or NULL. */
static char *join_path(const char *folder, const char *name)
{
    char *path;

    return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

static int add_class(const struct source *source, const char *name)
{
    struct cca_dotcca *index = source->index;
    struct cca_dotcca_class class = {.line = source->line};

    if (!*source->library || cca_dotcca_find(index, name))
        return 0;
    if (cca_array_reserve(&index->classes, index->count, sizeof class))
        return -ENOMEM;
    class.name = strdup(name);
    class.file = strdup(source->path);
    class.library = strdup(source->library);
    class.beside = join_path(source->folder, source->library);
    class.location =
        *source->location ? join_path(source->location, source->library) : NULL;
    if (!class.name || !class.file || !class.library || !class.beside ||
        (*source->location && !class.location)) {
        class_done(&class);
        return -ENOMEM;
    }
    index->classes[index->count++] = class;
    return 0;
}

/* Handle one line, without its newline. */
static int take_line(struct source *source, char *line)
{
    static const char blanks[] = " \t\r\n\v\f", location[] = "location=";
    char *rest, *first, *second;

    line += strspn(line, blanks);
    if (*line == '#')
        return 0;
    if (*line == '!') {
        line += 1 + strspn(line + 1, blanks);
        if (strncmp(line, location, sizeof location - 1) == 0) {
            strcpy(source->location, line + sizeof location - 1);
            source->location[strcspn(source->location, "\r\n")] = '\0';
        }
        return 0;
    }
    first = strtok_r(line, blanks, &rest);
    second = first ? strtok_r(NULL, blanks, &rest) : NULL;
    if (first && !second)
        strcpy(source->library, first);
    return second ? add_class(source, second) : 0;
}

/* Read a line; longer lines are cut to LONGEST_LINE - 1 bytes. Returns 0 at the end of
 * the file. */
static int next_line(FILE *file, char *line)
{
    size_t size = 0;
    int c;

    while ((c = getc(file)) != EOF && c != '\n')
        if (size < LONGEST_LINE - 1)
            line[size++] = (char)c;
    line[size] = '\0';
    return c != EOF || size > 0;
}

/* Append a string to a list. Returns 0 or -ENOMEM. */
static int add_string(char ***list, size_t *count, const char *text)
{
    if (cca_array_reserve(list, *count, sizeof **list))
        return -ENOMEM;
    (*list)[*count] = strdup(text);
    return (*list)[*count] ? (++*count, 0) : -ENOMEM;
}

static int read_file(struct cca_dotcca *index, const char *folder, const char *path)
{
    struct source *source = calloc(1, sizeof *source);
    struct stat kind;
    char line[LONGEST_LINE];
    FILE *file =
        stat(path, &kind) == 0 && S_ISREG(kind.st_mode) ? fopen(path, "re") : NULL;
    int first = file ? getc(file) : EOF, status = 0;

    if (source && first != EOF && first != '<') {
        *source = (struct source){.index = index, .folder = folder, .path = path};
        ungetc(first, file);
        for (; status == 0 && next_line(file, line);) {
            source->line++;
            status = take_line(source, line);
        }
    }
    if (first == '<')
        status = add_string(&index->passed_over, &index->passed_over_count, path);
    if (!source)
        status = -ENOMEM;
    if (file)
        fclose(file);
    free(source);
    return status;
}

static int is_index_name(const struct dirent *item)
{
    size_t length = strlen(item->d_name);

    return length > 4 && strcmp(item->d_name + length - 4, ".cca") == 0;
}

int cca_dotcca_read(struct cca_dotcca *index, const char *folder)
{
    struct dirent **items = NULL;
    int count, status;

    for (size_t i = 0; i < index->folder_count; i++)
        if (strcmp(index->folders[i], folder) == 0)
            return 0;
    errno = 0;
    count = scandir(folder, &items, is_index_name, alphasort);
    if (count < 0)
        return errno == ENOMEM ? -ENOMEM : 0;
    status = add_string(&index->folders, &index->folder_count, folder);
    for (int i = 0; i < count; i++) {
        char *path = join_path(folder, items[i]->d_name);

        if (status == 0)
            status = path ? read_file(index, folder, path) : -ENOMEM;
        free(path);
        free(items[i]);
    }
    free(items);
    return status;
}
