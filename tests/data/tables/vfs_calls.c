/* SPDX-License-Identifier: BSD-3-Clause */
/* vfs_calls.c: SQLite through a wrapped vfs, and beside it what the vfs asks of the kernel, counted
 * where the library itself lets system calls be exchanged. Prints "written BYTES", "read BYTES". */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sqlite3_tables.h"

static long long got, put;

static ssize_t count_read(int file, void *to, size_t size)
{
    ssize_t done = read(file, to, size);

    got += done > 0 ? done : 0;
    return done;
}

static ssize_t count_pread(int file, void *to, size_t size, off_t at)
{
    ssize_t done = pread(file, to, size, at);

    got += done > 0 ? done : 0;
    return done;
}

/* A byte alone grows the shared memory of a journal, in xShmMap. */
static void count_put(ssize_t done)
{
    put += done > 1 ? done : 0;
}

static ssize_t count_write(int file, const void *from, size_t size)
{
    ssize_t done = write(file, from, size);

    count_put(done);
    return done;
}

static ssize_t count_pwrite(int file, const void *from, size_t size, off_t at)
{
    ssize_t done = pwrite(file, from, size, at);

    count_put(done);
    return done;
}

static int run(sqlite3 *db, const char *text)
{
    char *why = NULL;
    int failed = sqlite3_exec(db, text, NULL, NULL, &why);

    if (failed)
        fprintf(stderr, "%s: %s\n", text, why);
    sqlite3_free(why);
    return failed;
}

int main(int argc, char **argv)
{
    sqlite3_vfs *own = sqlite3_vfs_find(NULL), *disk = sqlite3_vfs_wrap(own, "disk.one");
    sqlite3 *db;
    int failed;

    if (argc < 2 || disk == own || sqlite3_vfs_wrap(disk, "other") != disk ||
        sqlite3_vfs_wrap(own, "disk.one") != disk || sqlite3_vfs_wrap(NULL, "none") ||
        disk->szOsFile != own->szOsFile || disk->pAppData != own->pAppData)
        return 2;
    own->xSetSystemCall(own, "read", (sqlite3_syscall_ptr)count_read);
    own->xSetSystemCall(own, "pread", (sqlite3_syscall_ptr)count_pread);
    own->xSetSystemCall(own, "pread64", (sqlite3_syscall_ptr)count_pread);
    own->xSetSystemCall(own, "write", (sqlite3_syscall_ptr)count_write);
    own->xSetSystemCall(own, "pwrite", (sqlite3_syscall_ptr)count_pwrite);
    own->xSetSystemCall(own, "pwrite64", (sqlite3_syscall_ptr)count_pwrite);
    disk->zName = "measured";
    if (sqlite3_vfs_register(disk, 0) ||
        sqlite3_open_v2(argv[1], &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "measured"))
        return 3;
    failed = run(db, "pragma synchronous = off") ||
             run(db, "create table t (a integer primary key, b blob)");
    for (int i = 0; i < 200 && !failed; i++)
        failed = run(db, "insert into t (b) values (randomblob(3000))");
    failed = failed || run(db, "vacuum") || run(db, "select sum(length(b)) from t");
    failed = failed || run(db, "pragma journal_mode = wal") || run(db, "delete from t where a % 2");
    failed = sqlite3_close(db) || failed;
    printf("written %lld\nread %lld\n", put, got);
    return failed;
}
