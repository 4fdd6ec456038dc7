/* SPDX-License-Identifier: BSD-3-Clause */
/* reader.c: parse headers with libclang and report errors, for all readers of headers. */
#include "tools/proxygen/read/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void pg_clang_text_done(struct clang_text *text)
{
    clang_disposeString(text->string);
}

struct clang_text pg_clang_text(CXString string)
{
    const char *text = clang_getCString(string);

    return (struct clang_text){string, text ? text : ""};
}

void pg_reader_printable(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || (unsigned char)*text >= 0x7f)
            *text = '?';
}

int pg_reader_fail(struct pg_reader *reader, CXSourceLocation location,
                   const char *format, ...)
{
    unsigned line = 1, column = 1;
    CXFile file = NULL;
    char text[320];
    va_list args;

    clang_getExpansionLocation(location, &file, &line, &column, NULL);
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    pg_reader_printable(text);
    if (line == 0) /* an error about the whole file */
        line = column = 1;
    CLANG_TEXT name = pg_clang_text(clang_getFileName(file));
    reader->status =
        cca_error_set(reader->err, -EINVAL, "%.150s:%u:%u: error: %s",
                      file ? name.text : reader->options->header, line, column, text);
    return reader->status;
}

int pg_reader_no_memory(struct pg_reader *reader)
{
    reader->status = cca_no_memory(reader->err);
    return reader->status;
}

struct pg_scalar pg_reader_scalar(CXType type)
{
    CXType plain = clang_getCanonicalType(type);
    struct pg_scalar scalar = {PG_OTHER, 0, 0};
    long long size = clang_Type_getSizeOf(plain);

    if (plain.kind == CXType_Enum)
        plain = clang_getCanonicalType(
            clang_getEnumDeclIntegerType(clang_getTypeDeclaration(plain)));
    switch (plain.kind) {
    case CXType_Bool:
        return (struct pg_scalar){PG_INTEGER, 1, 0};
    case CXType_Char_S:
    case CXType_SChar:
    case CXType_Short:
    case CXType_Int:
    case CXType_Long:
    case CXType_LongLong:
        scalar = (struct pg_scalar){PG_INTEGER, (int)size * 8, 1};
        break;
    case CXType_Char_U:
    case CXType_UChar:
    case CXType_UShort:
    case CXType_UInt:
    case CXType_ULong:
    case CXType_ULongLong:
        scalar = (struct pg_scalar){PG_INTEGER, (int)size * 8, 0};
        break;
    case CXType_Float:
    case CXType_Double:
    case CXType_LongDouble:
        scalar = (struct pg_scalar){PG_FLOATING, (int)size * 8, 1};
        break;
    default:
        break;
    }
    return scalar;
}

/* Report clang's first error, if there is one. */
static int check_diagnostics(struct pg_reader *reader)
{
    unsigned count = clang_getNumDiagnostics(reader->unit);

    for (unsigned i = 0; i < count; i++) {
        CXDiagnostic diagnostic = clang_getDiagnostic(reader->unit, i);

        if (clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error) {
            CLANG_TEXT text = pg_clang_text(clang_getDiagnosticSpelling(diagnostic));

            pg_reader_fail(reader, clang_getDiagnosticLocation(diagnostic), "%s",
                           text.text);
        }
        clang_disposeDiagnostic(diagnostic);
        if (reader->status < 0)
            return reader->status;
    }
    return 0;
}

/* Redirect stderr to /dev/null while clang runs, because clang's crash report has many
 * lines without information about the header. Returns a descriptor of the old stderr, or
 * -1 if stderr could not be redirected. */
static int stderr_silence(void)
{
    int kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

    if (kept >= 0 && (nowhere < 0 || dup2(nowhere, STDERR_FILENO) < 0)) {
        close(kept);
        kept = -1;
    }
    if (nowhere >= 0)
        close(nowhere);
    return kept;
}

static void stderr_restore(int kept)
{
    if (kept < 0)
        return;
    dup2(kept, STDERR_FILENO);
    close(kept);
}

enum CXErrorCode pg_reader_clang(const struct pg_options *options, CXIndex index,
                                 const struct pg_clang_input *input,
                                 CXTranslationUnit *unit)
{
    size_t count = 0, given = (size_t)options->clang_arg_count;
    const char **args;
    enum CXErrorCode code;
    int kept;

    while (input->before[count])
        count++;
    args = calloc(count + given + 3, sizeof *args);
    if (!args)
        return CXError_Failure;
    memcpy(args, input->before, count * sizeof *args);
    for (size_t i = 0; i < given; i++)
        args[count++] = options->clang_args[i];
    if (input->search_last) {
        args[count++] = "-idirafter";
        args[count++] = input->search_last;
    }
    kept = stderr_silence();
    code =
        clang_parseTranslationUnit2(index, input->file, args, (int)count, input->unsaved,
                                    input->unsaved_count, input->flags, unit);
    stderr_restore(kept);
    free(args);
    return code;
}

/* True if the header compiles as C++. */
static int is_cplusplus(const struct pg_options *options, CXIndex index)
{
    static const char *const before[] = {"-xc++", "-std=gnu++17", NULL};
    struct pg_reader reader = {.options = options};
    int is = pg_reader_clang(
                 options, index,
                 &(struct pg_clang_input){.file = options->header, .before = before},
                 &reader.unit) == CXError_Success &&
             check_diagnostics(&reader) == 0;

    if (reader.unit)
        clang_disposeTranslationUnit(reader.unit);
    return is;
}

int pg_reader_parse(struct pg_reader *reader, CXIndex index)
{
    /* -Werror=visibility: a type declared inside a prototype would be a different type in
     * generated code */
    static const char *const port[] = {"-xc", "-std=gnu11", "-Werror=visibility", NULL};
    static const char *const library[] = {"-xc", "-std=gnu11", "-Werror=visibility",
                                          "-D_GNU_SOURCE", NULL};
    const struct pg_options *options = reader->options;
    const struct pg_clang_input input = {
        .file = options->header,
        .before = options->library ? library : port,
        .flags = CXTranslationUnit_DetailedPreprocessingRecord};
    enum CXErrorCode code = pg_reader_clang(options, index, &input, &reader->unit);

    if (code != CXError_Success)
        reader->status =
            cca_error_set(reader->err, -EINVAL,
                          "%.150s:1:1: error: clang cannot read it (%s)", options->header,
                          code == CXError_Crashed ? "it crashed" : "its parser failed");
    else
        check_diagnostics(reader);
    if (reader->status == -EINVAL && code != CXError_Crashed &&
        /* in C++ the declaration would be visible */
        !strstr(reader->err->text, "not be visible") && is_cplusplus(options, index)) {
        *reader->err = (struct cca_error){0};
        cca_error_set(reader->err, -EINVAL,
                      "%.150s:1:1: error: found C++, expected C: copy the extern \"C\" "
                      "declarations to a C header",
                      options->header);
    }
    return reader->status;
}

/* This is checked before parsing, because libclang has no message for a missing file. */
int pg_reader_check_file(const struct pg_options *options, struct cca_error *err)
{
    int file = open(options->header, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int status = file < 0 ? -errno : 0;
    struct stat stat;

    if (file >= 0) {
        if (fstat(file, &stat) < 0)
            status = -errno;
        else if (!S_ISREG(stat.st_mode))
            status = S_ISDIR(stat.st_mode) ? -EISDIR : -EINVAL;
        close(file);
    }
    return status < 0
               ? cca_error_set(err, status, "%.200s: error: cannot read the header: %s",
                               options->header,
                               status == -EINVAL ? "not a file" : strerror(-status))
               : 0;
}
