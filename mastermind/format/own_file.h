/* SPDX-License-Identifier: BSD-3-Clause */
/* own_file.h: files that we can open again whatever umask the program has set meanwhile.
 */
#ifndef MASTERMIND_FORMAT_OWN_FILE_H
#define MASTERMIND_FORMAT_OWN_FILE_H

#include <sys/stat.h>

/* Let the owner read and write a file that has just been made; the others' rights stay as
 * the umask left them. Where the file system refuses, so will the next open, which is
 * dealt with. */
static inline void mm_own_file(int fd)
{
    struct stat st;

    if (fd >= 0 && !fstat(fd, &st) && (st.st_mode & 0600) != 0600 &&
        fchmod(fd, (st.st_mode & 07777) | 0600))
        return;
}

#endif
