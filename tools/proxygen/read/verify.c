/* SPDX-License-Identifier: BSD-3-Clause */
/* verify.c: compile generated code with clang before it is written. Fences (fence.c)
 * undefine macros, but cannot help if a header has poisoned identifiers (#pragma GCC
 * poison). */
#include "tools/proxygen/read/read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/proxygen/read/reader.h"

enum { FILES_MAX = 2 };

/* Write where an error is: the identifier if it is in a generated file, else the file's
 * name and line. */
static void find_place(CXDiagnostic diagnostic, const struct CXUnsavedFile *files,
                       size_t count, char word[80])
{
    unsigned line, column, offset;
    CXFile file;

    clang_getExpansionLocation(clang_getDiagnosticLocation(diagnostic), &file, &line,
                               &column, &offset);
    CLANG_TEXT name = pg_clang_text(clang_getFileName(file));
    snprintf(word, 80, "%.60s:%u", name.text, line);
    for (size_t i = 0; i < count; i++)
        if (strcmp(name.text, files[i].Filename) == 0 && offset < files[i].Length) {
            const char *at = files[i].Contents + offset;
            size_t length =
                strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                           "0123456789_");

            snprintf(word, 80, "'%.*s'", length > 60 ? 60 : (int)length, at);
        }
}

/* Report the first error in `unit` as an error of the header. */
static int check_diagnostics(const struct pg_options *options, CXTranslationUnit unit,
                             const struct CXUnsavedFile *files, size_t file_count,
                             struct cca_error *err)
{
    unsigned count = clang_getNumDiagnostics(unit);
    int status = 0, done = 0;

    for (unsigned i = 0; i < count && !done; i++) {
        CXDiagnostic diagnostic = clang_getDiagnostic(unit, i);

        if (clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error) {
            CLANG_TEXT text = pg_clang_text(clang_getDiagnosticSpelling(diagnostic));
            char word[80];

            find_place(diagnostic, files, file_count, word);
            /* without proxygen's own headers the code cannot be checked */
            if (strncmp(text.text, "'proxies/", 9) != 0 ||
                !strstr(text.text, "not found"))
                status = cca_error_set(err, -EINVAL,
                                       "%.120s:1:1: error: the generated code does not "
                                       "compile, at %s: %.80s",
                                       options->header, word, text.text);
            pg_reader_printable(err->text);
            done = 1;
        }
        clang_disposeDiagnostic(diagnostic);
    }
    return status;
}

static int compile_files(const struct pg_options *options, struct CXUnsavedFile *files,
                         size_t count, struct cca_error *err)
{
    static const char *const before[] = {"-xc", "-std=gnu11", "-D_GNU_SOURCE", NULL};
    char *folder = strdup(options->header), *slash = folder ? strrchr(folder, '/') : NULL;
    CXIndex index = clang_createIndex(0, 0);
    CXTranslationUnit unit = NULL;
    int status;

    if (slash)
        slash[slash == folder] = 0;
    if (!folder)
        status = cca_no_memory(err);
    else if (pg_reader_clang(options, index,
                             &(struct pg_clang_input){.file = files->Filename,
                                                      .before = before,
                                                      .search_last = slash ? folder : ".",
                                                      .unsaved = files,
                                                      .unsaved_count = (unsigned)count},
                             &unit) == CXError_Success)
        status = check_diagnostics(options, unit, files, count, err);
    else
        status = cca_error_set(err, -EINVAL,
                               "%.150s:1:1: error: clang crashes on the generated code",
                               options->header);
    if (unit)
        clang_disposeTranslationUnit(unit);
    clang_disposeIndex(index);
    free(folder);
    return status;
}

int pg_verify(const struct pg_options *options, const struct pg_file *files, size_t count,
              struct cca_error *err)
{
    struct CXUnsavedFile unsaved[FILES_MAX];
    char *paths[FILES_MAX] = {NULL};
    int status = 0;

    for (size_t i = 0; i < count && status == 0; i++) {
        if (asprintf(&paths[i], "%s/%s", options->directory, files[i].name) < 0) {
            paths[i] = NULL;
            status = cca_no_memory(err);
        }
        unsaved[i] = (struct CXUnsavedFile){paths[i], files[i].text, files[i].size};
    }
    if (status == 0)
        status = compile_files(options, unsaved, count, err);
    for (size_t i = 0; i < FILES_MAX; i++)
        free(paths[i]);
    return status;
}
