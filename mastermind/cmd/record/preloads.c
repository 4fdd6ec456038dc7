/* SPDX-License-Identifier: BSD-3-Clause */
/* preloads.c: the libraries that are loaded into a recorded program. */
#include "mastermind/cmd/record/preloads.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/beside.h"
#include "common/thread_times.h"
#include "mastermind/cmd/cmd.h"

/* True for a shared library. The dynamic linker would skip other files with a message of
 * its own and still run the program. */
static int is_library(const char *path)
{
    FILE *file = fopen(path, "rbe");
    Elf64_Ehdr head = {.e_type = ET_NONE};
    int found = file && fread(&head, sizeof head, 1, file) == 1 &&
                memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_type == ET_DYN;

    if (file)
        fclose(file);
    return found;
}

/* Add a library by its absolute path. Returns 0, or an exit code after a message. */
static int add_library(struct mm_preloads *preloads, const char *path)
{
    char *real = realpath(path, NULL), *text = NULL;
    int result = 0;

    if (!real)
        return mm_refuse(MM_EXIT_INPUT, "cannot open '%s': %s", mm_safe(path),
                         strerror(errno));
    if (strpbrk(real, ": \t\n$")) {
        result = mm_refuse(MM_EXIT_INPUT,
                           "the dynamic linker takes no library whose name holds blanks, "
                           "':' or '$': '%s'",
                           mm_safe(real));
    } else if (!is_library(real)) {
        result = mm_refuse(MM_EXIT_INPUT,
                           "'%s' is no shared library; proxygen --interpose makes one",
                           mm_safe(path));
    } else if (asprintf(&text, "%s%s%s", preloads->text ? preloads->text : "",
                        preloads->text ? ":" : "", real) < 0) {
        result = mm_no_memory();
    } else {
        free(preloads->text);
        preloads->text = text;
        preloads->count++;
    }
    free(real);
    return result;
}

static int is_interposition(const char *name, const char *ending)
{
    size_t length = strlen(name), own = strlen(ending);

    return length > own && name[0] != '.' && strcmp(name + length - own, ending) == 0;
}

static int only_libraries(const struct dirent *entry)
{
    return is_interposition(entry->d_name, "_interpose.so");
}

static int add_directory(struct mm_preloads *preloads, const char *path)
{
    struct dirent **entries = NULL;
    int count = scandir(path, &entries, only_libraries, alphasort), result = 0;

    if (count < 0)
        return mm_refuse(MM_EXIT_INPUT, "cannot open '%s': %s", mm_safe(path),
                         strerror(errno));
    if (count == 0)
        result = mm_refuse(MM_EXIT_INPUT,
                           "no *_interpose.so in '%s'; proxygen --interpose makes one",
                           mm_safe(path));
    for (int i = 0; i < count; i++) {
        char *file = NULL;

        if (result == 0 && asprintf(&file, "%s/%s", path, entries[i]->d_name) >= 0) {
            result = add_library(preloads, file);
            free(file);
        }
        free(entries[i]);
    }
    free(entries);
    return result;
}

int mm_preloads_add_proxy(struct mm_preloads *preloads, const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISDIR(status.st_mode)
               ? add_directory(preloads, path)
               : add_library(preloads, path);
}

/* Write the path "../lib/NAME", relative to this program, bin/mastermind. */
static void library_path(const char *name, char path[PATH_MAX + 64])
{
    char below[80];

    snprintf(below, sizeof below, "../lib/%.60s", name);
    cca_path_beside(path, PATH_MAX + 64, below);
}

int mm_preloads_add_runtime(struct mm_preloads *preloads)
{
    char path[PATH_MAX + 64];

    library_path("libmm_preload.so", path);
    return add_library(preloads, path);
}

int mm_preloads_add_petsc(struct mm_preloads *preloads)
{
    char path[PATH_MAX + 64];

    library_path("libmm_petsc.so", path);
    return add_library(preloads, path);
}

int mm_preloads_add_mpi(struct mm_preloads *preloads, const char *flavour, int asked)
{
    char path[PATH_MAX + 64], name[32];

    if (!flavour || strcmp(flavour, "none") == 0)
        return 0;
    if (strcmp(flavour, "openmpi") != 0 && strcmp(flavour, "mpich") != 0)
        return mm_refuse(MM_EXIT_MISUSE,
                         "found --mpi '%s', expected openmpi, mpich or none",
                         mm_safe(flavour));
    snprintf(name, sizeof name, "libmeas_%s.so", flavour);
    library_path(name, path);
    if (access(path, F_OK) == 0)
        return add_library(preloads, path);
    return mm_refuse(
        asked ? MM_EXIT_MISUSE : 0,
        "time inside MPI and messages are not measured: this build is without %s",
        flavour);
}

int mm_preloads_add_measuring(struct mm_preloads *preloads, const char *metrics)
{
    static const struct {
        const char *metric, *library;
    } list[] = {{"OPENMP", "libmeas_openmp.so"}, {"MEMORY", "libmeas_memory.so"}};
    char path[PATH_MAX + 64];
    int result = 0;

    for (size_t i = 0; i < sizeof list / sizeof *list && result == 0; i++) {
        library_path(list[i].library, path);
        if (meas_times_asked(metrics, list[i].metric))
            result = add_library(preloads, path);
    }
    return result;
}
