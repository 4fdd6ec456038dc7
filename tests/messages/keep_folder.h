/* SPDX-License-Identifier: BSD-3-Clause */
/* keep_folder.h: a folder for the file of a keep, and keeps by a word, for tests of
 * messages/keep. */
#ifndef TESTS_MESSAGES_KEEP_FOLDER_H
#define TESTS_MESSAGES_KEEP_FOLDER_H

#include "tests/messages/keep_file.h"

#include "messages/join/join.h"
#include "messages/keep/keep.h"
#include "messages/words/words.h"
#include "tests/messages/halves.h"

static char path[PATH_MAX];
static struct keep_file file;

static inline int make_folder(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "%s/test_msg_keep-XXXXXX",
             getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    if (!mkdtemp(path))
        return -1;
    strcat(path, "/messages");
    return 0;
}

static inline int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    *strrchr(path, '/') = '\0';
    return rmdir(path);
}

static inline int clean(void **state)
{
    (void)state;
    free(file.bytes);
    memset(&file, 0, sizeof file);
    unlink(path);
    return 0;
}

static inline struct mm_keep *new_keep(const char *word, size_t limit, size_t classes)
{
    struct mm_message_request request;
    struct mm_keep_options options = {
        .request = &request, .limit = limit, .classes = classes};
    struct mm_keep *keep;

    assert_int_equal(mm_message_request_parse(word, &request, NULL), 0);
    keep = mm_keep_new(&options, NULL);
    assert_non_null(keep);
    return keep;
}

static inline void read_file(void)
{
    file_read(&file, path);
    if (file.wrong)
        fail_msg("%s: %s", path, file.wrong);
}

static inline uint64_t count_of(int which)
{
    return file.head->counts[which];
}

#endif
