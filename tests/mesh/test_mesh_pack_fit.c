/* SPDX-License-Identifier: BSD-3-Clause */
/* Segments: slide takes the fewest there are, least squares hardly more; each rule keeps
 * what it promises. */
#include "mesh/pack/fit.h"
#include "tests/lib/test.h"
#include "tests/mesh/pack_blocks.h"

enum { SHORT = 40, LONG = 4096 };

/* Whether one line is within eps of y[from .. to]: a slope s has an intercept where for
 * all i, j: y[i] - eps - s i <= y[j] + eps - s j. */
static int line_exists(const float *y, int from, int to, double eps)
{
    double lo = -INFINITY, hi = INFINITY;

    for (int i = from; i <= to; i++)
        for (int j = i + 1; j <= to; j++) {
            lo = fmax(lo, ((double)y[j] - (double)y[i] - 2 * eps) / (j - i));
            hi = fmin(hi, ((double)y[j] - (double)y[i] + 2 * eps) / (j - i));
        }
    return lo <= hi;
}

/* The fewest of all ways to cut, by dynamic programming. Where no line is within eps of
 * some values, none is of these and one more. */
static int fewest(const float *y, int cells, double eps)
{
    int best[SHORT + 1] = {0};

    for (int end = 1; end <= cells; end++) {
        best[end] = end;
        for (int from = end - 1; from >= 0 && line_exists(y, from, end - 1, eps); from--)
            best[end] = best[from] + 1 < best[end] ? best[from] + 1 : best[end];
    }
    return best[cells];
}

static int segments_of(mesh_fit_fn *fit, const float *y, int cells, double eps)
{
    int count = 0;
    struct mesh_fit state = {0};

    for (int at = 0; at < cells; count++) {
        struct mesh_segment s = fit(y + at, (size_t)(cells - at), eps, &state);

        assert_true(s.cells > 0 && s.cells <= (size_t)(cells - at));
        at += (int)s.cells;
        state.last = mesh_segment_value(&s, s.cells - 1);
        state.begun = 1;
    }
    return count;
}

/* Ends are rounded to floats, so at the very edge of the bound one more may be needed. */
TEST(test_slide_takes_the_fewest_of_all_cuts)
{
    float y[SHORT];

    for (int i = 0; i < test_count("PACK_ROWS", 700, 200000); i++) {
        int cells, kind;
        double eps;

        pack_seed = (uint64_t)i * 31;
        cells = 1 + pack_below(SHORT);
        kind = pack_below(PACK_SPIKES);
        eps = ldexp(1 + pack_unit(), pack_below(8) - 6);
        pack_fill(kind, cells, y);
        assert_true(segments_of(mesh_fit_slide, y, cells, eps) >=
                    fewest(y, cells, eps * (1 + 1e-5)));
        assert_true(
            segments_of(mesh_fit_slide, y, cells, eps) <=
            fewest(y, cells, eps * (1 - 1e-5) - 1e-6 * 1e4 * (kind == PACK_SPIKES)));
    }
}

/* Against all cuts on short rows, and against slide on long ones. */
TEST(test_least_squares_takes_hardly_more_than_the_fewest)
{
    static float y[LONG];
    int rows = test_count("PACK_ROWS", 700, 200000);

    for (int kind = 0; kind < PACK_HUGE; kind++)
        for (int e = 0; e < 6; e++) {
            double eps = ldexp(1.3, e - 5);
            int least = 0, best = 0;

            pack_seed = (uint64_t)(kind * 100 + e);
            for (int i = 0; i < rows / 8; i++) {
                pack_fill(kind, SHORT, y);
                least += segments_of(mesh_fit_least, y, SHORT, eps);
                best += fewest(y, SHORT, eps);
            }
            if (least > 1.1 * best)
                fail_msg("%s, eps %g: %d segments, %d are the fewest", pack_kinds[kind],
                         eps, least, best);
            pack_fill(kind, LONG, y);
            least = segments_of(mesh_fit_least, y, LONG, eps);
            best = segments_of(mesh_fit_slide, y, LONG, eps);
            if (getenv("PACK_SHOW"))
                printf("%-8s eps %6.3f: %5d segments, fewest %5d, ratio %.3f\n",
                       pack_kinds[kind], eps, least, best, least / (double)best);
            if (least > 1.1 * best)
                fail_msg("%s, eps %g: %d segments, %d are the fewest", pack_kinds[kind],
                         eps, least, best);
        }
}

/* Errors of each segment as it is decoded: largest, root of the mean square, sum. */
static void check_rule(mesh_fit_fn *fit, const float *y, int cells, double eps)
{
    struct mesh_fit state = {0};
    double total = 0, magnitudes = 0;

    for (int at = 0; at < cells;) {
        struct mesh_segment s = fit(y + at, (size_t)(cells - at), eps, &state);
        double n = (double)s.cells, sum = 0, squares = 0, largest = 0, size = 0;

        for (size_t i = 0; i < s.cells; i++) {
            double v = (double)y[(size_t)at + i];
            double e = (double)mesh_segment_value(&s, i) - v;

            sum += e;
            squares += e * e;
            largest = fmax(largest, fabs(e));
            size = fmax(size, fabs(v));
        }
        if (fit == mesh_fit_rms)
            assert_true(sqrt(squares / n) <= eps + 1e-6 * size);
        else
            assert_true(largest <= eps);
        if (fit == mesh_fit_rms)
            assert_true(fabs(sum) <= n * (size + eps) * 1.2e-7);
        if (fit == mesh_fit_swing && at)
            assert_true(s.kind == MESH_SEGMENT_JOINED && s.a == state.last);
        total += sum;
        magnitudes += n * (size + eps);
        at += (int)s.cells;
        state.last = mesh_segment_value(&s, s.cells - 1);
        state.begun = 1;
    }
    if (fit == mesh_fit_least)
        assert_true(fabs(total) <= magnitudes * 1.2e-7);
}

TEST(test_each_rule_keeps_its_promise)
{
    static float y[LONG];
    mesh_fit_fn *rules[] = {mesh_fit_least, mesh_fit_rms, mesh_fit_swing, mesh_fit_slide};

    for (int i = 0; i < test_count("PACK_RULES", 200, 20000); i++) {
        int kind = i % PACK_HUGE, cells;
        double eps;

        pack_seed = (uint64_t)i;
        cells = 1 + pack_below(600);
        eps = ldexp(pack_unit(), pack_below(12) - 8);
        pack_fill(kind, cells, y);
        for (int r = 0; r < 4; r++)
            check_rule(rules[r], y, cells, eps);
    }
}

/* Where nothing is owed after a segment: a search over slopes finds no line through the
 * middle that keeps the bound and has smaller squares. */
TEST(test_least_squares_are_least)
{
    static float y[SHORT];
    const double eps = .5;
    int lines = 0;

    for (int i = 0; i < 300; i++) {
        struct mesh_fit state = {0};
        struct mesh_segment s;
        double mean = 0, own = 0;

        pack_seed = (uint64_t)i;
        pack_fill(i % 2 ? PACK_NOISY : PACK_WALK, SHORT, y);
        s = mesh_fit_least(y, SHORT, eps, &state);
        if (s.kind != MESH_SEGMENT_LINE || s.cells < 3 || fabs(state.owed) > 1e-5)
            continue;
        lines++;
        for (size_t c = 0; c < s.cells; c++) {
            double e = (double)mesh_segment_value(&s, c) - (double)y[c];

            mean += (double)y[c] / (double)s.cells;
            own += e * e;
        }
        for (double slope = -2; slope < 2; slope += .001) {
            double squares = 0, largest = 0, middle = (double)(s.cells - 1) / 2;

            for (size_t c = 0; c < s.cells; c++) {
                double e = mean + slope * ((double)c - middle) - (double)y[c];

                squares += e * e;
                largest = fmax(largest, fabs(e));
            }
            assert_true(largest > eps - 1e-6 || squares >= own * .999);
        }
    }
    assert_true(lines > 100);
}

TESTS(NULL, NULL)
