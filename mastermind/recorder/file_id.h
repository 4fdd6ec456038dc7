/* SPDX-License-Identifier: BSD-3-Clause */
/* file_id.h: check whether a file name still refers to the same file. */
#ifndef MASTERMIND_RECORDER_FILE_ID_H
#define MASTERMIND_RECORDER_FILE_ID_H

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

/* Identity of a file. Inode numbers are reused, so it includes the time at which the file
 * was created. All zeros: no file. */
struct mm_file_id {
    uint64_t device, number;
    /* time of creation; 0 if the file system does not record it */
    int64_t born_s, born_ns;
};

/* Return the identity of the file `path`; symbolic links are not followed. */
static inline struct mm_file_id mm_file_id(const char *path)
{
    struct mm_file_id id = {0};
    struct statx st;

    if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_INO | STATX_BTIME, &st))
        return id;
    id.device = (uint64_t)st.stx_dev_major << 32 | st.stx_dev_minor;
    id.number = st.stx_ino;
    if (st.stx_mask & STATX_BTIME) {
        id.born_s = st.stx_btime.tv_sec;
        id.born_ns = st.stx_btime.tv_nsec;
    }
    return id;
}

/* True if the path refers to the same file. True for an identity without an inode number.
 */
static inline int mm_file_is(const struct mm_file_id *id, const char *path)
{
    struct mm_file_id now = mm_file_id(path);

    return !id->number || !memcmp(id, &now, sizeof now);
}

#endif
