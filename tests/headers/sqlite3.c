/* SPDX-License-Identifier: BSD-3-Clause */
/* sqlite3.c: calls of SQLite, each told on standard output as the records should have it.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sqlite3 *db;

static sqlite3_stmt *prepare(const char *text, int length)
{
    sqlite3_stmt *statement = NULL;
    int result = sqlite3_prepare_v2(db, text, length, &statement, NULL);

    printf("sqlite3_prepare_v2 nByte=%d chars=%zu result=%d\n", length, strlen(text),
           result);
    return statement;
}

static int step(sqlite3_stmt *statement)
{
    int result = sqlite3_step(statement);

    printf("sqlite3_step result=%d\n", result);
    return result;
}

/* SQL functions are callbacks: this one calls the library again, from within
 * sqlite3_step. */
static void length_of(sqlite3_context *context, int count, sqlite3_value **values)
{
    int length = sqlite3_value_bytes(values[0]);

    (void)count;
    printf("sqlite3_value_bytes in=sqlite3_step bytes=%d\n", length);
    sqlite3_result_int(context, length);
    printf("sqlite3_result_int in=sqlite3_step value=%d\n", length);
}

static void insert_rows(int rows)
{
    static const char text[] = "INSERT INTO t VALUES (?, ?)";
    sqlite3_stmt *statement = prepare(text, sizeof text);
    char *words = calloc(1, (size_t)rows + 1);

    if (!words)
        exit(1);
    for (int i = 0; i < rows; i++) {
        memset(words, 'a', (size_t)i);
        printf("sqlite3_bind_int64 index=1 value=%lld result=%d\n", i * 1000000007ll,
               sqlite3_bind_int64(statement, 1, i * 1000000007ll));
        printf("sqlite3_bind_text n=%d result=%d\n", i,
               sqlite3_bind_text(statement, 2, words, i, SQLITE_TRANSIENT));
        step(statement);
        printf("sqlite3_reset result=%d\n", sqlite3_reset(statement));
    }
    free(words);
    printf("sqlite3_finalize result=%d\n", sqlite3_finalize(statement));
}

static void read_rows(int rows)
{
    static const char text[] = "SELECT a, length_of(b) FROM t ORDER BY a";
    sqlite3_stmt *statement = prepare(text, -1);
    int found = 0;

    while (step(statement) == SQLITE_ROW) {
        sqlite3_int64 a = sqlite3_column_int64(statement, 0);
        int length;

        printf("sqlite3_column_int64 iCol=0 value=%lld\n", (long long)a);
        length = sqlite3_column_int(statement, 1);
        printf("sqlite3_column_int iCol=1 value=%d\n", length);
        if (a != found * 1000000007ll || length != found)
            exit(1);
        found++;
    }
    printf("sqlite3_finalize result=%d\n", sqlite3_finalize(statement));
    if (found != rows)
        exit(1);
}

int main(void)
{
    printf("sqlite3_open result=%d\n", sqlite3_open(":memory:", &db));
    if (sqlite3_create_function(db, "length_of", 1, SQLITE_UTF8, NULL, length_of, NULL,
                                NULL))
        return 1;
    step(NULL); /* misuse: 21 */
    step(prepare("CREATE TABLE t (a INTEGER, b TEXT)", -1));
    prepare("CREATE TABEL", -1);
    insert_rows(40);
    read_rows(40);
    puts("inner sqlite3_prepare_v2 sqlite3_step sqlite3_finalize sqlite3_column_int "
         "sqlite3_reset "
         "sqlite3_column_int64 sqlite3_open");
    return 0;
}
