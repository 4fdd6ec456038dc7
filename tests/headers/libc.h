/* SPDX-License-Identifier: BSD-3-Clause */
/* libc.h: headers of the C library, as one. */
#include <fcntl.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
