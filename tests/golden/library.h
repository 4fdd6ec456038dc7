/* library.h: a library's header, of the kinds of functions that there are. */
#ifndef LIBRARY_H
#define LIBRARY_H

#include <complex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LIBRARY_API extern
#define library_old(n) library_scale(NULL, n, 1.0)

typedef enum { LIBRARY_ROWS = 1, LIBRARY_COLUMNS = 2 } library_order;
typedef struct library_plan *library_plan_t;
typedef int (*library_compare)(const void *, const void *);

struct library_extent {
    int width, height;
};

struct library_stream {
    const uint8_t *next_in;
    size_t avail_in;
    uint8_t *next_out;
    size_t avail_out;
    struct library_extent tile;
    unsigned final : 1;
};

union library_number {
    int64_t i;
    double d;
};

LIBRARY_API int library_scale(double *values, int count, double by);
LIBRARY_API void library_multiply(library_order order, int m, int n, int k, const double *a, int lda,
                                  const double *b, int ldb, double *restrict c, int ldc);
LIBRARY_API size_t library_fill(void *buffer, size_t size, size_t nmemb);
LIBRARY_API int library_pack(uint8_t *to, size_t *to_len, const uint8_t *from, size_t from_len,
                             int level);
LIBRARY_API int library_feed(struct library_stream *stream, int flush);
LIBRARY_API long library_area(const struct library_extent *extent);
LIBRARY_API struct library_extent library_turn(struct library_extent extent, bool twice);
LIBRARY_API union library_number library_either(union library_number number, unsigned char which);
LIBRARY_API double _Complex library_root(double _Complex z, int n);
LIBRARY_API void library_sort(void *base, size_t nmemb, size_t size, library_compare compare);
LIBRARY_API void (*library_on_error(void (*handler)(int code)))(int code);
LIBRARY_API library_plan_t library_plan(int rank, const int *dims, unsigned flags);
LIBRARY_API void library_execute(const library_plan_t plan);
LIBRARY_API void library_free(library_plan_t plan);
LIBRARY_API int library_grid(double grid[4][8], int (*cells)[3], const char names[]);
LIBRARY_API void library_solve_(const char *trans, const int *n, const int *nrhs, double *a,
                                const int *lda, int *info);
LIBRARY_API int library_open(const char *, int, volatile int *);
LIBRARY_API __attribute__((deprecated, warn_unused_result)) int library_ask(int int_, int pg_result);
LIBRARY_API int library_say(const char *format, ...);
static inline int library_twice(int n)
{
    return 2 * n;
}

#ifdef __cplusplus
}
#endif

#endif
