/* SPDX-License-Identifier: BSD-3-Clause */
/* toplevel.c: collect top-level declarations of a header and its includes. */
#include "tools/proxygen/read/toplevel.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

struct reading {
    struct pg_toplevel *top;
    int failed;
};

static enum CXChildVisitResult visit_declaration(CXCursor cursor, CXCursor parent,
                                                 CXClientData data)
{
    struct reading *reading = data;
    struct pg_toplevel *top = reading->top;
    enum CXCursorKind kind = clang_getCursorKind(cursor);

    (void)parent;
    if (kind == CXCursor_MacroExpansion || kind == CXCursor_InclusionDirective)
        return CXChildVisit_Continue;
    reading->failed =
        cca_array_reserve(&top->declarations, top->count, sizeof *top->declarations);
    if (reading->failed)
        return CXChildVisit_Break;
    CLANG_TEXT name = pg_clang_text(clang_getCursorSpelling(cursor));
    char *copy = strdup(name.text ? name.text : "");
    reading->failed = !copy;
    if (!copy)
        return CXChildVisit_Break;
    top->declarations[top->count++] = (struct pg_declaration){copy, cursor, kind};
    return CXChildVisit_Continue;
}

int pg_toplevel_read(struct pg_reader *reader, struct pg_toplevel *top)
{
    struct reading reading = {.top = top};

    clang_visitChildren(clang_getTranslationUnitCursor(reader->unit), visit_declaration,
                        &reading);
    return reading.failed ? pg_reader_no_memory(reader) : 0;
}

void pg_toplevel_done(struct pg_toplevel *top)
{
    for (size_t i = 0; i < top->count; i++)
        free(top->declarations[i].name);
    free(top->declarations);
    *top = (struct pg_toplevel){0};
}

/* --- Patterns ------------------------------------------------------------- */

/* True if the header itself has the declaration, or, for a declaration made by a macro,
 * the use of the macro. */
static int is_in_header(struct pg_reader *reader, CXCursor cursor)
{
    CXFile file, header = clang_getFile(reader->unit, reader->options->header);

    clang_getExpansionLocation(clang_getCursorLocation(cursor), &file, NULL, NULL, NULL);
    return file && header && clang_File_isEqual(file, header);
}

static int is_callable(const struct pg_declaration *declaration)
{
    return declaration->kind == CXCursor_FunctionDecl &&
           clang_Cursor_getStorageClass(declaration->cursor) != CX_SC_Static &&
           !clang_Cursor_isFunctionInlined(declaration->cursor);
}

static int has_name(const struct pg_toplevel *top, const size_t *found, size_t count,
                    const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(top->declarations[found[i]].name, name) == 0)
            return 1;
    return 0;
}

size_t *pg_toplevel_match(struct pg_reader *reader, const struct pg_toplevel *top,
                          const char *pattern, size_t *count)
{
    size_t *found = malloc((top->count + 1) * sizeof *found);
    int own = strchr("*?[", *pattern) != NULL;

    *count = 0;
    if (!found) {
        pg_reader_no_memory(reader);
        return NULL;
    }
    for (size_t i = 0; i < top->count; i++) {
        const struct pg_declaration *declaration = &top->declarations[i];

        if (is_callable(declaration) && fnmatch(pattern, declaration->name, 0) == 0 &&
            (!own || is_in_header(reader, declaration->cursor)) &&
            !has_name(top, found, *count, declaration->name))
            found[(*count)++] = i;
    }
    if (*count)
        return found;
    free(found);
    cca_error_set(
        reader->err, -EINVAL, "%.150s: error: no function %s matches '%.100s'%s",
        reader->options->header,
        own ? "that the header itself declares" : "of the header and its includes",
        pattern,
        own ? "; a pattern that begins with letters, as 'abc*', looks into its includes "
              "as well"
            : "");
    return NULL;
}
