/* SPDX-License-Identifier: BSD-3-Clause */
/* own_file.h: files that the recorder can reopen under any umask that the program
 * sets. */
#ifndef MASTERMIND_FORMAT_OWN_FILE_H
#define MASTERMIND_FORMAT_OWN_FILE_H

#include <sys/stat.h>

/* Let the owner read and write a new file; other permissions remain as the umask set
 * them. If the file system refuses this, the next open fails, and the caller of open
 * handles that. */
static inline void mm_own_file(int fd)
{
    struct stat st;

    if (fd >= 0 && !fstat(fd, &st) && (st.st_mode & 0600) != 0600 &&
        fchmod(fd, (st.st_mode & 07777) | 0600))
        return;
}

#endif
