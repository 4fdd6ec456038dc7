/* SPDX-License-Identifier: BSD-3-Clause */
/* uses.c: find the libraries that a program uses, and which of their functions. */
#include "mastermind/library/uses.h"

#include <errno.h>
#include <fnmatch.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/sort.h"
#include "framework/classes/linkage_search.h"

enum { MOST_LIBRARIES = 2000, FIRST_LINE = 4096 };

/* Stems ("z" for libz.so) of the libraries of the C library, of compilers, and of MPI,
 * which has its own wrappers. */
static const char *const systems[] = {"c",
                                      "m",
                                      "dl",
                                      "rt",
                                      "pthread",
                                      "util",
                                      "resolv",
                                      "gcc_s",
                                      "stdc++",
                                      "gfortran",
                                      "quadmath",
                                      "gomp",
                                      "omp",
                                      "mpi",
                                      "mpich",
                                      "open-pal",
                                      "open-rte",
                                      "anl",
                                      "crypt",
                                      "ld-linux-x86-64",
                                      "ld-linux-aarch64"};

/* --- Names ---------------------------------------------------------------- */

/* Return the stem of a library's name, new: "z" for "libz.so.1". */
static char *stem_of(const char *soname)
{
    const char *begin = strncmp(soname, "lib", 3) == 0 ? soname + 3 : soname;
    const char *end = strstr(begin, ".so");

    /* libboost_system-1.74.so has its version before .so; the version belongs to the
     * stem, as for the linker's -l */
    return strndup(begin, end ? (size_t)(end - begin) : strlen(begin));
}

static int is_system(const char *stem)
{
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++)
        if (strcmp(stem, systems[i]) == 0)
            return 1;
    return strncmp(stem, "mpi_", 4) == 0;
}

int mm_use_is_named(const struct mm_use *use, const char *word)
{
    int wild = strpbrk(word, "*?[") != NULL;

    if (wild && use->system)
        return 0;
    return fnmatch(word, use->stem, 0) == 0 || fnmatch(word, use->soname, 0) == 0 ||
           (strncmp(word, "lib", 3) == 0 && fnmatch(word + 3, use->stem, 0) == 0);
}

/* --- The list ------------------------------------------------------------- */

static void use_done(struct mm_use *use)
{
    for (size_t i = 0; i < use->function_count; i++)
        free(use->functions[i]);
    free(use->functions);
    free(use->soname);
    free(use->stem);
    free(use->file);
    free(use->build_id);
    cca_library_free(use->elf);
}

void mm_uses_done(struct mm_uses *uses)
{
    for (size_t i = 0; i < uses->count; i++)
        use_done(&uses->list[i]);
    for (size_t i = 0; i < uses->missing_count; i++)
        free(uses->missing[i]);
    free(uses->list);
    free(uses->missing);
    free(uses->program);
    cca_library_free(uses->elf);
    memset(uses, 0, sizeof *uses);
}

/* Add `library`, which is stolen. Returns the new entry; NULL: out of memory, and
 * `library` has been freed. */
static struct mm_use *add_use(struct mm_uses *uses, struct cca_library *library,
                              const char *asked, int linked)
{
    const char *soname = cca_elf_text(&library->elf, DT_SONAME, 0);
    struct mm_use *use = cca_array_add(&uses->list, &uses->count, sizeof *use);

    if (!use) {
        cca_library_free(library);
        return NULL;
    }
    use->elf = library;
    use->linked = linked;
    use->soname = strdup(soname ? soname : asked);
    use->stem = use->soname ? stem_of(use->soname) : NULL;
    use->file = realpath(library->file, NULL);
    use->build_id = strdup(library->elf.build_id);
    if (!use->stem || !use->file || !use->build_id)
        return NULL;
    use->system = is_system(use->stem);
    return use;
}

static int known(const struct mm_uses *uses, const char *name)
{
    for (size_t i = 0; i < uses->count; i++)
        if (cca_library_is_named(uses->list[i].elf, name))
            return 1;
    for (size_t i = 0; i < uses->missing_count; i++)
        if (strcmp(uses->missing[i], name) == 0)
            return 1;
    return 0;
}

static int add_missing(struct mm_uses *uses, const char *name)
{
    char **item = cca_array_add(&uses->missing, &uses->missing_count, sizeof *item);

    return item && (*item = strdup(name)) ? 0 : -ENOMEM;
}

/* Add the libraries that `user` needs and that are not yet in the list. */
static int add_needed(struct mm_uses *uses, const struct cca_library *user,
                      struct cca_error *err)
{
    const char *name;

    for (size_t i = 0; (name = cca_elf_text(&user->elf, DT_NEEDED, i)) != NULL; i++) {
        struct cca_library *found = NULL;
        struct cca_error why = {0};

        if (known(uses, name))
            continue;
        if (uses->count >= MOST_LIBRARIES)
            return cca_error_set(err, -EBADMSG, "%s needs more than %d libraries",
                                 uses->program, MOST_LIBRARIES);
        if (cca_library_find(user, name, &found, &why) || !found) {
            if (add_missing(uses, name))
                return cca_no_memory(err);
        } else if (!add_use(uses, found, name, 1)) {
            return cca_no_memory(err);
        }
    }
    return 0;
}

/* --- Functions ------------------------------------------------------------ */

static int is_function(void *context, const struct cca_elf_file *elf, uint64_t index,
                       const Elf64_Sym *symbol)
{
    int type = ELF64_ST_TYPE(symbol->st_info);

    (void)context;
    (void)elf;
    (void)index;
    return type == STT_FUNC || type == STT_GNU_IFUNC;
}

int mm_use_defines(const struct mm_use *use, const char *function)
{
    return cca_elf_file_find(&use->elf->elf, function, is_function, NULL) == 0;
}

/* Sort the names of functions, and remove duplicates. */
static void sort_functions(struct mm_use *use)
{
    size_t kept = 0;

    if (use->function_count)
        qsort(use->functions, use->function_count, sizeof *use->functions,
              cca_order_text);
    for (size_t i = 0; i < use->function_count; i++) {
        if (kept && strcmp(use->functions[kept - 1], use->functions[i]) == 0)
            free(use->functions[i]);
        else
            use->functions[kept++] = use->functions[i];
    }
    use->function_count = kept;
}

/* Return the library in which the dynamic linker finds a symbol: the first library that
 * defines it. */
static struct mm_use *definer(const struct mm_uses *uses,
                              const struct cca_elf_symbol *symbol)
{
    for (size_t i = 0; i < uses->count; i++)
        if (cca_elf_defines(&uses->list[i].elf->elf, symbol))
            return &uses->list[i];
    return NULL;
}

static int add_imports(struct mm_uses *uses, const struct cca_library *user)
{
    for (size_t i = 0; i < user->needs.symbol_count; i++) {
        const struct cca_elf_symbol *symbol = &user->needs.symbols[i];
        struct mm_use *use = definer(uses, symbol);
        char **item;

        if (!use || use->elf == user || !mm_use_defines(use, symbol->name))
            continue;
        use->direct |= user == uses->elf;
        item = cca_array_add(&use->functions, &use->function_count, sizeof *item);
        if (!item || !(*item = strdup(symbol->name)))
            return -ENOMEM;
    }
    return 0;
}

/* --- The program ---------------------------------------------------------- */

/* Return the interpreter that the first line of a script names, new; NULL: there is none.
 * For "env NAME" the result is NAME, which the caller must look up like a shell. */
static char *interpreter(const char *file)
{
    char line[FIRST_LINE], *words = line + 2, *word, *slash;
    FILE *f = fopen(file, "re");
    size_t length = f ? fread(line, 1, sizeof line - 1, f) : 0;

    if (f)
        fclose(f);
    line[length] = 0;
    if (length < 3 || line[0] != '#' || line[1] != '!')
        return NULL;
    line[strcspn(line, "\n")] = 0;
    word = strsep(&words, " \t");
    while (word && !*word && words)
        word = strsep(&words, " \t");
    slash = word ? strrchr(word, '/') : NULL;
    if (slash && strcmp(slash, "/env") == 0 && words && *words && *words != '-')
        word = strsep(&words, " \t");
    return word && *word ? strdup(word) : NULL;
}

static char *on_path(const char *name)
{
    const char *list = getenv("PATH");
    char path[PATH_MAX];

    if (strchr(name, '/'))
        return strdup(name);
    for (list = list ? list : "/usr/bin:/bin"; *list;) {
        size_t length = strcspn(list, ":");
        FILE *file;

        snprintf(path, sizeof path, "%.*s/%s", (int)length, list, name);
        file = fopen(path, "re");
        if (file) {
            fclose(file);
            return strdup(path);
        }
        list += length + (list[length] == ':');
    }
    return strdup(name);
}

static int open_program(struct mm_uses *uses, const char *file, struct cca_error *err)
{
    uses->program = strdup(file);
    for (int depth = 0; depth < 4 && uses->program; depth++) {
        char *next = interpreter(uses->program), *path = next ? on_path(next) : NULL;

        free(next);
        if (!path)
            break;
        free(uses->program);
        uses->program = path;
    }
    if (!uses->program)
        return cca_no_memory(err);
    uses->elf = cca_library_open_program(uses->program, err);
    return uses->elf ? 0 : err->code;
}

int mm_uses_find(struct mm_uses *uses, const char *file, struct cca_error *err)
{
    int status;

    memset(uses, 0, sizeof *uses);
    status = open_program(uses, file, err);
    if (!status)
        status = add_needed(uses, uses->elf, err);
    for (size_t i = 0; i < uses->count && !status; i++) /* breadth first */
        status = add_needed(uses, uses->list[i].elf, err);
    return status;
}

int mm_uses_read(struct mm_uses *uses, const char *file, struct cca_error *err)
{
    int status = mm_uses_find(uses, file, err);

    if (!status && add_imports(uses, uses->elf))
        status = cca_no_memory(err);
    for (size_t i = 0; i < uses->count && !status; i++)
        if (add_imports(uses, uses->list[i].elf))
            status = cca_no_memory(err);
    for (size_t i = 0; i < uses->count; i++)
        sort_functions(&uses->list[i]);
    return status;
}

/* --- Libraries that are opened at run time -------------------------------- */

/* Return the first file libNAME.so* in the usual directories, new, or NULL. */
static char *usual_file(const char *stem)
{
    static const char *const folders[] = {"/usr/local/lib", "/usr/lib/x86_64-linux-gnu",
                                          "/usr/lib/aarch64-linux-gnu", "/usr/lib64",
                                          "/usr/lib"};
    char *found = NULL;

    for (size_t i = 0; i < sizeof folders / sizeof *folders && !found; i++) {
        char pattern[PATH_MAX];
        glob_t files;

        snprintf(pattern, sizeof pattern, "%s/lib%s.so*", folders[i], stem);
        if (glob(pattern, 0, NULL, &files) == 0 && files.gl_pathc)
            found = strdup(files.gl_pathv[0]);
        globfree(&files);
    }
    return found;
}

static struct cca_library *open_named(const char *name, struct cca_error *err)
{
    struct cca_library *library = NULL;
    struct cca_error why = {0};
    char *plain = NULL, *file;

    if (strchr(name, '/'))
        return cca_library_open(name, NULL, &why);
    if (strstr(name, ".so")) {
        cca_library_find(NULL, name, &library, &why);
        return library;
    }
    if (asprintf(&plain, "lib%s.so", name) < 0) {
        cca_no_memory(err);
        return NULL;
    }
    cca_library_find(NULL, plain, &library, &why);
    free(plain);
    if (!library && (file = usual_file(name))) {
        library = cca_library_open(file, NULL, &why);
        free(file);
    }
    return library;
}

struct mm_use *mm_uses_add(struct mm_uses *uses, const char *name, struct cca_error *err)
{
    struct cca_library *library = open_named(name, err);
    struct mm_use *use = library ? add_use(uses, library, name, 0) : NULL;

    if (library && !use)
        cca_no_memory(err);
    return use;
}
