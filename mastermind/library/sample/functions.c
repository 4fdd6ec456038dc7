/* SPDX-License-Identifier: BSD-3-Clause */
/* functions.c: read the functions of a file, and find an address among them. */
#include "mastermind/library/sample/functions.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cxx_name.h"
#include "common/demangle.h"
#include "common/find.h"
#include "mastermind/library/decode/frames.h"

static int order_functions(const void *left, const void *right)
{
    const struct sample_function *a = left, *b = right;

    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

/* Return the rank of a name among the names of one address: global names come first, then
 * weak, then local ones; names without a leading underscore come before others. */
static int rank_of(const struct code_symbol *symbol)
{
    int rank = symbol->bind == STB_GLOBAL ? 0 : symbol->bind == STB_WEAK ? 4 : 8;

    return rank + (int)strspn(symbol->name, "_") % 4;
}

static int is_function(const struct code_symbol *symbol)
{
    return symbol->is_defined && *symbol->name &&
           (symbol->type == STT_FUNC || symbol->type == STT_GNU_IFUNC ||
            symbol->type == STT_NOTYPE);
}

/* Return the last function of an ascending list that begins at `address` or before it;
 * NULL: none does. */
static const struct sample_function *find_before(const struct sample_function *list,
                                                 size_t count, uint64_t address)
{
    size_t at;

    CCA_FIND_FIRST(at, count, list[at].address <= address);
    return at ? &list[at - 1] : NULL;
}

/* Keep one name of each address, and remove labels inside functions. A function whose
 * size is unknown ends where the next function begins, or where its section ends. */
static void tidy(struct sample_functions *functions)
{
    uint64_t covered = 0; /* largest end of the functions with a size so far */
    size_t kept = 0;

    qsort(functions->list, functions->count, sizeof *functions->list, order_functions);
    for (size_t i = 0; i < functions->count; i++) {
        struct sample_function *here = &functions->list[i];
        struct sample_function *last = kept ? &functions->list[kept - 1] : NULL;

        if (last && last->address == here->address)
            last->end = last->end < here->end ? here->end : last->end;
        else if (here->end > here->address || here->address >= covered)
            functions->list[kept++] = *here;
        if (here->end > covered)
            covered = here->end;
    }
    functions->count = kept;
    for (size_t i = 0; i < kept; i++)
        if (functions->list[i].end <= functions->list[i].address)
            functions->list[i].end =
                i + 1 < kept && functions->list[i + 1].address < functions->list[i].limit
                    ? functions->list[i + 1].address
                    : functions->list[i].limit;
}

/* Add the ranges of unwind information that contain no known function. All stubs of the
 * linker are one range. Returns 0 or -ENOMEM. */
static int add_frames(struct sample_functions *functions)
{
    struct code_frames frames;
    size_t named = functions->count, capacity = named + 1;
    int result = code_frames_read(&frames, &functions->file);

    for (size_t i = 0; i < frames.count && !result; i++) {
        struct sample_function frame = {.address = frames.list[i].start,
                                        .end =
                                            frames.list[i].start + frames.list[i].size};
        const struct sample_function *before =
            find_before(functions->list, named, frame.end - 1);
        const struct code_part *part = code_file_code(&functions->file, frame.address);

        if (frame.end <= frame.address || (before && before->end > frame.address) ||
            !part)
            continue;
        frame.is_linkage = part->is_linkage;
        result = cca_array_extend(&functions->list, &capacity, sizeof *functions->list,
                                  functions->count + 1);
        if (!result)
            functions->list[functions->count++] = frame;
    }
    code_frames_done(&frames);
    if (functions->count > named)
        qsort(functions->list, functions->count, sizeof *functions->list,
              order_functions);
    return result;
}

int sample_functions_read(struct sample_functions *functions, const char *path)
{
    *functions = (struct sample_functions){.list = NULL};
    if (code_file_open(&functions->file, path, NULL)) {
        functions->file = (struct code_file){0};
        return 0;
    }
    functions->list = calloc(functions->file.symbol_count + 1, sizeof *functions->list);
    if (!functions->list)
        return -ENOMEM;
    for (size_t i = 0; i < functions->file.symbol_count; i++) {
        const struct code_symbol *symbol = &functions->file.symbols[i];
        const struct code_part *part =
            is_function(symbol) ? code_file_code(&functions->file, symbol->address)
                                : NULL;

        if (part)
            functions->list[functions->count++] =
                (struct sample_function){symbol->address,
                                         symbol->address + symbol->size,
                                         part->address + part->size,
                                         symbol->name,
                                         0,
                                         rank_of(symbol)};
    }
    tidy(functions);
    return functions->file.frames ? add_frames(functions) : 0;
}

void sample_functions_done(struct sample_functions *functions)
{
    code_file_close(&functions->file);
    free(functions->list);
    *functions = (struct sample_functions){.list = NULL};
}

uint64_t sample_functions_address(const struct sample_functions *functions,
                                  uint64_t offset)
{
    for (size_t i = 0; i < functions->file.part_count; i++) {
        const struct code_part *part = &functions->file.parts[i];
        uint64_t first = (uint64_t)(part->bytes - functions->file.bytes);

        if (offset - first < part->size)
            return part->address + (offset - first);
    }
    return 0;
}

const struct sample_function *
sample_functions_at(const struct sample_functions *functions, uint64_t address)
{
    const struct sample_function *before =
        find_before(functions->list, functions->count, address);

    return before && address < before->end ? before : NULL;
}

/* --- Names ---------------------------------------------------------------- */

/* Return the name of a C++ symbol as programmers write it. NULL like cca_demangle. */
static char *cpp_name(const char *symbol)
{
    char *text = cca_demangle(symbol);

    if (text)
        cca_cxx_plain(text);
    return text;
}

char *sample_function_name(const char *symbol)
{
    const char *module = strstr(symbol, "_MOD_");
    char *text = cpp_name(symbol), *dot;
    size_t length;

    if (text)
        return text;
    text = strdup(strncmp(symbol, "__", 2) == 0 && module ? module + 5 : symbol);
    if (!text)
        return NULL;
    dot = strchr(text + (*text != 0), '.'); /* solve.constprop.0 */
    if (dot)
        *dot = 0;
    length = strlen(text);
    if (!module && length > 1 && text[length - 1] == '_' && *text != '_')
        text[length - 1] = 0;
    return text;
}

char *sample_functions_name(const struct sample_function *function, const char *path)
{
    const char *slash = strrchr(path, '/');
    char *text = NULL;

    if (function->is_linkage)
        return strdup("calls of other files (PLT)");
    if (function->name)
        return sample_function_name(function->name);
    return asprintf(&text, "%s+0x%" PRIx64, slash ? slash + 1 : path, function->address) <
                   0
               ? NULL
               : text;
}
