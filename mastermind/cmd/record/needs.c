/* SPDX-License-Identifier: BSD-3-Clause */
/* needs.c: whether a program may have something to record that no option requests. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mastermind/cmd/record/record.h"
#include "mastermind/library/uses.h"
#include "ports/recording_options.h"

static int is_brief; /* true for `mastermind ./prog`, without the verb */

/* True where a file has this text. */
static int has_text(const char *path, const char *text, size_t length)
{
    int file = open(path, O_RDONLY | O_CLOEXEC), found = 0;
    struct stat status;
    void *memory = MAP_FAILED;

    if (file < 0)
        return 0;
    if (fstat(file, &status) == 0 && status.st_size > 0)
        memory = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (memory == MAP_FAILED)
        return 0;
    found = memmem(memory, (size_t)status.st_size, text, length) != NULL;
    munmap(memory, (size_t)status.st_size);
    return found;
}

/* True where a program or one of its libraries looks for the recorder, as marks of
 * regions and table proxies do. A program that opens libraries itself may meet them
 * there: that counts for `record`, not for the short form. */
static int may_mark(const char *path)
{
    static const char marks[] = "mm_preload_", opens[] = "\0dlopen";
    struct cca_error err = {0};
    struct mm_uses uses;
    int found = 0;

    if (mm_uses_read(&uses, path, &err) == 0) {
        found = has_text(uses.program, marks, sizeof marks - 1) ||
                (!is_brief && has_text(uses.program, opens, sizeof opens));
        for (size_t i = 0; i < uses.count && !found; i++)
            found = !uses.list[i].system &&
                    has_text(uses.list[i].file, marks, sizeof marks - 1);
    }
    mm_uses_done(&uses);
    return found;
}

int mm_record_is_needed(const char *path, const struct cca_given *recording, int is_other)
{
    for (int i = 0; i < RECORDING_OPTIONS; i++)
        is_other |= i != RECORDING_EXPERIMENT && recording[i].given != 0;
    return is_other || may_mark(path);
}

char **mm_record_environment(void)
{
    size_t count = 0;
    char **list;

    while (environ[count])
        count++;
    list = calloc(count + 1, sizeof *list);
    if (list)
        memcpy(list, environ, count * sizeof *list);
    return list;
}

void mm_record_briefly(void)
{
    is_brief = 1;
}
