/* SPDX-License-Identifier: BSD-3-Clause */
/* code.c: list the functions of a file, and find out which of them may have their first
 * instructions moved. */
#include "mastermind/library/decode/code.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "mastermind/library/decode/instruction.h"
#include "mastermind/library/decode/move.h"
#include "mastermind/library/decode/scan.h"

const char *const mm_code_words[MM_CODE_REFUSALS] = {[MM_CODE_MOVABLE] = "movable",
                                                     [MM_CODE_SHORT] = "short",
                                                     [MM_CODE_TARGET] = "target",
                                                     [MM_CODE_LABELS] = "labels",
                                                     [MM_CODE_UNREADABLE] = "unreadable",
                                                     [MM_CODE_OVERLAP] = "overlap",
                                                     [MM_CODE_FORM] = "form",
                                                     [MM_CODE_CALL] = "call",
                                                     [MM_CODE_UNWIND] = "unwind",
                                                     [MM_CODE_PART] = "part",
                                                     [MM_CODE_UNCALLED] = "uncalled",
                                                     [MM_CODE_START] = "start",
                                                     [MM_CODE_RETURN] = "return",
                                                     [MM_CODE_TWICE] = "twice",
                                                     [MM_CODE_RESOLVER] = "resolver"};

const char *const mm_code_reasons[MM_CODE_REFUSALS] = {
    [MM_CODE_MOVABLE] = "it can be recorded",
    [MM_CODE_SHORT] = "it has fewer than 5 bytes of code",
    [MM_CODE_TARGET] = "the program jumps into its first 5 bytes",
    [MM_CODE_LABELS] = "it jumps to addresses that it computes inside itself",
    [MM_CODE_UNREADABLE] = "not all of it can be decoded",
    [MM_CODE_OVERLAP] = "another function lies in it",
    [MM_CODE_FORM] = "an instruction in its first 5 bytes works only where it is",
    [MM_CODE_CALL] = "a call ends in its first 5 bytes",
    [MM_CODE_UNWIND] = "it has no unwind information",
    [MM_CODE_PART] = "it is a part of another function",
    [MM_CODE_UNCALLED] = "no call of it is known",
    [MM_CODE_START] = "the program or library starts or ends with it",
    [MM_CODE_RETURN] = "it reads its own return address",
    [MM_CODE_TWICE] = ("it is, or ends as, a function that returns twice or asks for its "
                       "caller"),
    [MM_CODE_RESOLVER] = "it chooses an implementation before the program starts"};

/* --- Functions ------------------------------------------------------------ */

enum { NAMELESS = 9 };

/* A function in the list that still has several functions with the same address. */
struct found {
    struct mm_code_function function;
    unsigned rank; /* rank of its name; of several names of one address, the name with the
                      least rank is used */
};

static int order_found(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    const uint64_t p = x->function.address, q = y->function.address;

    if (p != q)
        return p < q ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return strcmp(x->function.name, y->function.name);
}

static unsigned rank_of(const struct code_symbol *symbol)
{
    return symbol->bind == STB_GLOBAL ? 0 : symbol->bind == STB_WEAK ? 1 : 2;
}

/* Add the functions of the symbol tables. Returns 0 or -ENOMEM. */
static int take_symbols(struct mm_code *code, struct found **found, size_t *count)
{
    const struct code_file *file = code->file;

    for (size_t i = 0; i < file->symbol_count; i++) {
        const struct code_symbol *symbol = &file->symbols[i];
        struct found *one;

        if ((symbol->type != STT_FUNC && symbol->type != STT_GNU_IFUNC) ||
            !symbol->is_defined || !symbol->size ||
            !code_file_code(file, symbol->address) ||
            symbol->address + symbol->size < symbol->address)
            continue;
        one = cca_array_add(found, count, sizeof *one);
        if (!one)
            return -ENOMEM;
        one->function = (struct mm_code_function){
            .address = symbol->address, .size = symbol->size, .name = symbol->name};
        if (symbol->type == STT_GNU_IFUNC)
            one->function.refusal = MM_CODE_RESOLVER;
        one->rank = rank_of(symbol);
    }
    return 0;
}

static int take_frames(struct mm_code *code, struct found **found, size_t *count)
{
    struct code_frames frames;
    int status = code_frames_read(&frames, code->file);

    for (size_t i = 0; i < frames.count && !status; i++) {
        const struct code_part *part = code_file_code(code->file, frames.list[i].start);
        struct found *one;

        if (!part || part->is_linkage)
            continue;
        one = cca_array_add(found, count, sizeof *one);
        status = one ? 0 : -ENOMEM;
        if (one)
            one->function = (struct mm_code_function){
                .address = frames.list[i].start, .size = frames.list[i].size, .name = ""};
        if (one)
            one->rank = NAMELESS;
    }
    code_frames_done(&frames);
    return status;
}

static int join(struct mm_code *code, const struct found *found, size_t count)
{
    size_t furthest = 0; /* index of the function with the highest end so far */

    for (size_t i = 0; i < count; i++) {
        const struct mm_code_function *one = &found[i].function;
        struct mm_code_function *last =
            code->count ? &code->functions[code->count - 1] : NULL;

        if (last && last->address == one->address) {
            if (one->size > last->size)
                last->size = one->size;
            if (one->refusal)
                last->refusal = one->refusal;
        } else {
            struct mm_code_function *added =
                cca_array_add(&code->functions, &code->count, sizeof *added);

            if (!added)
                return -ENOMEM;
            *added = *one;
            last = &code->functions[furthest];
            if (code->count > 1 && added->address < last->address + last->size)
                added->refusal = last->refusal = MM_CODE_OVERLAP;
            last = added;
        }
        if (last->address + last->size >
            code->functions[furthest].address + code->functions[furthest].size)
            furthest = (size_t)(last - code->functions);
    }
    return 0;
}

static int find_functions(struct mm_code *code)
{
    struct found *found = NULL;
    size_t count = 0;
    int status = take_symbols(code, &found, &count);

    if (!status && !code->has_symbols)
        status = take_frames(code, &found, &count);
    if (!status && count) {
        qsort(found, count, sizeof *found, order_found);
        status = join(code, found, count);
    }
    free(found);
    return status;
}

/* --- Rules ---------------------------------------------------------------- */

static int is_start(const struct code_file *file, const struct mm_code_function *f)
{
    static const char *const names[] = {"_start",
                                        "_init",
                                        "_fini",
                                        "frame_dummy",
                                        "__do_global_dtors_aux",
                                        "register_tm_clones",
                                        "deregister_tm_clones",
                                        "_dl_relocate_static_pie",
                                        "__libc_csu_init",
                                        "__libc_csu_fini"};

    if (f->address == file->entry || f->address == file->starts[0] ||
        f->address == file->starts[1])
        return 1;
    for (size_t i = 0; f->name && i < sizeof names / sizeof *names; i++)
        if (strcmp(f->name, names[i]) == 0)
            return 1;
    return 0;
}

static void refuse(struct mm_code_function *f, enum mm_code_refusal refusal)
{
    if (!f->refusal)
        f->refusal = refusal;
}

static void judge(const struct code_scan *scan, struct mm_code_function *f)
{
    size_t count;
    const unsigned char *bytes = code_file_at(scan->file, f->address, &count);
    unsigned how = code_scan_how(scan, f->address, f->address + 1);

    f->site = f->address;
    if (count > f->size)
        count = (size_t)f->size;
    if (is_start(scan->file, f))
        f->refusal = MM_CODE_START;
    if (how & CODE_BY_RESOLVER)
        f->refusal = MM_CODE_RESOLVER;
    if (strstr(f->name, ".cold"))
        refuse(f, MM_CODE_PART);
    if (!bytes || count < MM_CODE_JUMP)
        refuse(f, MM_CODE_SHORT);
    if (f->refusal)
        return;
    if (memcmp(bytes, "\xf3\x0f\x1e\xfa", 4) == 0) { /* endbr64 */
        f->site += 4;
        bytes += 4;
        count -= 4;
    }
    code_move(f, bytes, count);
    if (!f->refusal && code_scan_how(scan, f->site + 1, f->site + f->length))
        f->refusal = MM_CODE_TARGET;
    if (f->refusal || scan->code->has_symbols)
        return;
    if ((how & CODE_BY_BRANCH) ||
        !(how & (CODE_BY_CALL | CODE_BY_ADDRESS | CODE_BY_TAIL)))
        f->refusal = MM_CODE_UNCALLED;
}

/* --- Whole files ---------------------------------------------------------- */

static int begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Return the reason why no function of the file may be recorded, if its language's
 * runtime finds callers by return addresses and would fail if these were replaced; else
 * NULL. */
static const char *runtime_of(const struct code_file *file)
{
    if (file->is_go)
        return "Go's runtime moves stacks by their return addresses";
    for (size_t i = 0; i < file->symbol_count; i++) {
        const struct code_symbol *symbol = &file->symbols[i];

        if (!symbol->is_defined) {
            if (strcmp(symbol->name, "mcount") == 0 ||
                strcmp(symbol->name, "_mcount") == 0 ||
                strcmp(symbol->name, "__fentry__") == 0)
                return "it is built with -pg, which reads return addresses";
            continue;
        }
        if (symbol->type == STT_FUNC && strcmp(symbol->name, "malloc") == 0)
            return "it has an allocator of its own, which the recorder may not call "
                   "while it is at work";
        if (strcmp(symbol->name, "caml_start_program") == 0)
            return "OCaml's runtime looks return addresses up";
        if (begins_with(symbol->name, "Builtins_") || begins_with(symbol->name, "_ZN2v8"))
            return "V8 looks return addresses up";
        if (strcmp(symbol->name, "__morestack") == 0)
            return "its stacks are split, which changes return addresses";
        if (strcmp(symbol->name, "_Unwind_RaiseException") == 0)
            return "an unwinder is linked into it, which would fail";
    }
    return NULL;
}

/* True if the file handles exceptions but imports no unwinder. */
static int has_own_unwinder(const struct code_file *file)
{
    static const char *const imported[] = {
        "__gxx_personality_v0", "_Unwind_Resume", "__gcc_personality_v0",
        "_Unwind_RaiseException", "_Unwind_ForcedUnwind"};
    struct code_frames frames;
    int found = 0, status = code_frames_read(&frames, file);

    for (size_t i = 0; i < frames.count && !status; i++)
        found |= frames.list[i].has_language;
    code_frames_done(&frames);
    for (size_t i = 0; i < file->symbol_count && found; i++)
        for (size_t k = 0; k < sizeof imported / sizeof *imported; k++)
            if (!file->symbols[i].is_defined &&
                strcmp(file->symbols[i].name, imported[k]) == 0)
                found = 0;
    return found;
}

static int read_functions(struct mm_code *code, const char *path, struct cca_error *err)
{
    struct code_scan scan = {.file = code->file, .code = code};
    const char *why = runtime_of(code->file);
    int status;

    if (!why && has_own_unwinder(code->file))
        why = "an unwinder is linked into it, which would fail";
    if (!why && !code_can_decode())
        why = "this build is without Zydis, which decodes them";
    if (why)
        return cca_error_set(err, -ENOTSUP, "functions of %s cannot be recorded: %s",
                             path, why);
    code->has_symbols = code->file->has_symbols;
    status = find_functions(code);
    if (!status)
        status = code_scan(&scan);
    for (size_t i = 0; i < code->count && !status; i++)
        judge(&scan, &code->functions[i]);
    code_scan_done(&scan);
    return status ? cca_no_memory(err) : 0;
}

int mm_code_read(struct mm_code *code, const char *path, struct cca_error *err)
{
    int status;

    memset(code, 0, sizeof *code);
    code->file = calloc(1, sizeof *code->file);
    if (!code->file)
        return cca_no_memory(err);
    status = code_file_open(code->file, path, err);
    return status ? status : read_functions(code, path, err);
}

void mm_code_done(struct mm_code *code)
{
    if (code->file)
        code_file_close(code->file);
    free(code->file);
    free(code->functions);
    memset(code, 0, sizeof *code);
}
