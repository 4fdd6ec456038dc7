/* SPDX-License-Identifier: BSD-3-Clause */
/* Partitioners against slow ones that follow the definition word by word. */
#include "mesh/balance/partition.h"

#include "tests/lib/test.h"
#include "tests/balance/traces.h"

enum { MOST = 12 * 12 * 12 };

struct mesh {
    struct mesh_source source;
    double centres[3 * MOST];
    float weights[MOST];
    uint16_t owners[MOST];
    int cells;
};

static int below(uint64_t *state, int limit)
{
    return (int)(limit * trace_random(state));
}

/* A small grid or, where `elements`, points of which many share coordinates. Weights are
 * whole numbers, so that sums are exact in any order. */
static void random_mesh(struct mesh *mesh, uint64_t seed, int elements)
{
    uint64_t state = seed * 0x9e3779b97f4a7c15ull + 11;
    int64_t n[3] = {1, 1, 1};
    int zero, dims;

    trace_random(&state);
    dims = 1 + below(&state, 3);
    for (int d = 0; d < dims; d++)
        n[d] = 1 + below(&state, dims == 1 ? 100 : 8);
    mesh->cells = (int)(n[0] * n[1] * n[2]);
    mesh->source =
        (struct mesh_source){dims, {n[0], n[1], n[2]}, NULL, 1, NULL, NULL, NULL};
    if (elements) {
        mesh->source = (struct mesh_source){
            3, {mesh->cells, 1, 1}, mesh->centres, 1, NULL, NULL, NULL};
        for (int i = 0; i < 3 * mesh->cells; i++)
            mesh->centres[i] = .25 * (below(&state, 9) - 4) * (i % 3 + 1);
    }
    zero = below(&state, 4);
    for (int c = 0; c < mesh->cells; c++)
        mesh->weights[c] =
            zero == 3 ? 0 : (float)(below(&state, 9) * (below(&state, 3) >= zero));
}

static double place(const struct mesh *mesh, int cell, int d)
{
    int64_t rest = cell; /* without the dimensions that are faster */

    if (mesh->source.centres)
        return mesh->centres[3 * cell + d];
    for (int e = 2; e > d; e--)
        rest /= mesh->source.n[e];
    return (double)(rest % mesh->source.n[d]);
}

static void partition(struct mesh *mesh, const char *name, int parts)
{
    struct mesh_partitioner partitioner;
    struct mesh_partition found;

    assert_int_equal(mesh_partitioner_open(&partitioner, name, &mesh->source, NULL), 0);
    assert_int_equal(partitioner.cut(partitioner.context, &mesh->source, mesh->weights,
                                     parts, NULL, &found, NULL),
                     0);
    assert_int_equal(found.parts, parts);
    mesh_partition_owners(&mesh->source, &found, mesh->owners);
    for (int c = 0; c < mesh->cells; c++)
        assert_true(mesh->owners[c] < parts);
    mesh_partition_free(&found);
    mesh_partitioner_close(&partitioner);
}

/* --- rcb, by sorting all and trying all. --- */

static int longest(const struct mesh *mesh, const int *cells, int count)
{
    double most = -1;
    int side = 0;

    for (int d = 0; d < 3; d++) {
        double lo = INFINITY, hi = -INFINITY;

        for (int i = 0; i < count; i++) {
            lo = fmin(lo, place(mesh, cells[i], d));
            hi = fmax(hi, place(mesh, cells[i], d));
        }
        if (hi - lo > most) {
            most = hi - lo;
            side = d;
        }
    }
    return side;
}

static void sort(const struct mesh *mesh, int *cells, int count, int d)
{
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0; j--) {
            double x = place(mesh, cells[j - 1], d), y = place(mesh, cells[j], d);
            int swap = cells[j];

            if (x < y || (!(x > y) && cells[j - 1] < cells[j]))
                break;
            cells[j] = cells[j - 1];
            cells[j - 1] = swap;
        }
}

static void slow_rcb(struct mesh *mesh, int *cells, int count, int part, int parts,
                     int planes)
{
    double all = 0, left = 0, best = INFINITY;
    int at = 0, d, none, left_parts = parts / 2;

    for (int i = 0; i < count; i++) {
        mesh->owners[cells[i]] = (uint16_t)part;
        all += (double)mesh->weights[cells[i]];
    }
    if (parts == 1 || count <= 1)
        return;
    none = !(all > 0);
    all = none ? count : all;
    d = longest(mesh, cells, count);
    sort(mesh, cells, count, d);
    for (int i = 1; i < count; i++) {
        double side;

        left += none ? 1 : (double)mesh->weights[cells[i - 1]];
        side = fmax(left / left_parts, (all - left) / (parts - left_parts));
        if (planes && !(place(mesh, cells[i], d) > place(mesh, cells[i - 1], d)))
            continue;
        if (side < best) {
            best = side;
            at = i;
        }
    }
    slow_rcb(mesh, cells, at, part, parts / 2, planes);
    slow_rcb(mesh, cells + at, count - at, part + parts / 2, parts - parts / 2, planes);
}

static void expect_rcb(const char *name, int elements)
{
    int tries = test_count("RCB", 2000, 40000);

    for (int i = 0; i < tries; i++) {
        static struct mesh fast, slow;
        int cells[MOST], parts = 1 + i % 13;

        random_mesh(&fast, (uint64_t)i, elements);
        slow = fast;
        for (int c = 0; c < fast.cells; c++)
            cells[c] = c;
        slow.source.centres = elements ? slow.centres : NULL;
        fast.source.centres = elements ? fast.centres : NULL;
        slow_rcb(&slow, cells, slow.cells, 0, parts, strcmp(name, "rcb") != 0);
        partition(&fast, name, parts);
        assert_memory_equal(fast.owners, slow.owners,
                            (size_t)fast.cells * sizeof *fast.owners);
    }
}

TEST(rcb_of_a_grid_follows_its_definition)
{
    expect_rcb("rcb", 0);
}

TEST(rcb_of_elements_follows_its_definition)
{
    expect_rcb("rcb", 1);
}

TEST(rcb_by_planes_follows_its_definition)
{
    expect_rcb("rcb:planes", 0);
}

/* --- hilbert --- */

/* As many parts as cells of equal weight: the owner is the place on the curve. */
static void curve_of(struct mesh *mesh, int *order)
{
    static struct mesh equal;

    equal = *mesh;
    if (mesh->source.centres)
        equal.source.centres = equal.centres;
    for (int c = 0; c < mesh->cells; c++)
        equal.weights[c] = 1;
    partition(&equal, "hilbert", mesh->cells);
    for (int c = 0; c < mesh->cells; c++)
        order[equal.owners[c]] = c;
}

TEST(the_curve_visits_neighbours)
{
    static const int64_t shapes[][3] = {{8, 8, 8}, {16, 16, 1}, {1, 16, 16}, {100, 1, 1}};

    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        static struct mesh mesh;
        int order[MOST];

        memcpy(mesh.source.n, shapes[s], sizeof shapes[s]);
        mesh.source.dims = 3;
        mesh.cells = (int)mesh_source_cells(&mesh.source);
        curve_of(&mesh, order);
        for (int i = 1; i < mesh.cells; i++) {
            double distance = 0;

            for (int d = 0; d < 3; d++)
                distance +=
                    fabs(place(&mesh, order[i], d) - place(&mesh, order[i - 1], d));
            assert_true(distance == 1);
        }
    }
}

/* least[p][c]: the first c cells in p parts. */
static double least_largest(const struct mesh *mesh, const int *order, int parts)
{
    static double least[14][MOST + 1];
    double sums[MOST + 1] = {0};

    for (int c = 0; c < mesh->cells; c++)
        sums[c + 1] = sums[c] + (double)mesh->weights[order[c]];
    for (int c = 0; c <= mesh->cells; c++)
        least[1][c] = sums[c];
    for (int p = 2; p <= parts; p++)
        for (int c = 0; c <= mesh->cells; c++) {
            least[p][c] = INFINITY;
            for (int b = 0; b <= c; b++)
                least[p][c] = fmin(least[p][c], fmax(least[p - 1][b], sums[c] - sums[b]));
        }
    return least[parts][mesh->cells];
}

TEST(no_cut_of_the_curve_is_better)
{
    for (int i = 0; i < test_count("HILBERT", 60, 2000); i++) {
        static struct mesh mesh;
        int order[MOST], parts = 1 + i % 13;
        double load[14] = {0}, largest = 0;

        random_mesh(&mesh, (uint64_t)i, i / 13 % 2);
        curve_of(&mesh, order);
        partition(&mesh, "hilbert", parts);
        for (int c = 0; c < mesh.cells; c++) {
            load[mesh.owners[order[c]]] += (double)mesh.weights[order[c]];
            if (c)
                assert_true(mesh.owners[order[c]] >= mesh.owners[order[c - 1]]);
        }
        for (int p = 0; p < parts; p++)
            largest = fmax(largest, load[p]);
        assert_true(largest == least_largest(&mesh, order, parts));
    }
}

/* --- greedy --- */

/* Elements are blocks of one: the heaviest that is left, to the least load. */
static void slow_greedy(struct mesh *mesh, int parts)
{
    double load[14] = {0};
    int count[14] = {0}, given[MOST] = {0};

    for (int i = 0; i < mesh->cells; i++) {
        int heaviest = -1, to = 0;

        for (int c = 0; c < mesh->cells; c++)
            if (!given[c] && (heaviest < 0 || mesh->weights[c] > mesh->weights[heaviest]))
                heaviest = c;
        for (int p = 1; p < parts; p++)
            if (load[p] < load[to] || (!(load[p] > load[to]) && count[p] < count[to]))
                to = p;
        given[heaviest] = 1;
        mesh->owners[heaviest] = (uint16_t)to;
        load[to] += (double)mesh->weights[heaviest];
        count[to]++;
    }
}

TEST(greedy_of_elements_follows_its_definition)
{
    for (int i = 0; i < test_count("GREEDY", 200, 4000); i++) {
        static struct mesh fast, slow;
        int parts = 1 + i % 13;

        random_mesh(&fast, (uint64_t)i, 1);
        slow = fast;
        slow_greedy(&slow, parts);
        partition(&fast, "greedy", parts);
        assert_memory_equal(fast.owners, slow.owners,
                            (size_t)fast.cells * sizeof *fast.owners);
    }
}

TEST(greedy_of_a_grid_gives_whole_blocks)
{
    static struct mesh mesh = {
        .source = {3, {12, 12, 12}, NULL, 1, NULL, NULL, NULL}, /* 64 blocks of 3^3 */
        .cells = 12 * 12 * 12};
    const uint16_t *owners = mesh.owners;
    double load[4] = {0}, all = 0, block = 0;

    for (int c = 0; c < mesh.cells; c++)
        mesh.weights[c] = (float)(1 + c % 7);
    partition(&mesh, "greedy", 4);
    for (int c = 0; c < mesh.cells; c++) {
        int i = c / 144, j = c / 12 % 12, k = c % 12;

        assert_int_equal(owners[c],
                         owners[((i / 3 * 3) * 12 + j / 3 * 3) * 12 + k / 3 * 3]);
        load[owners[c]] += (double)mesh.weights[c];
        all += (double)mesh.weights[c];
    }
    block = 7 * 27;
    for (int p = 0; p < 4; p++)
        assert_true(load[p] <= all / 4 + block);
}

/* --- What all must bear. --- */

TEST(more_parts_than_cells_and_no_weight)
{
    static const int64_t shapes[][3] = {{1, 1, 1}, {3, 1, 1}, {2, 2, 2}};

    for (int i = 0; mesh_partitioner_names[i]; i++)
        for (int s = 0; s < 3; s++) {
            static struct mesh mesh;

            memset(&mesh, 0, sizeof mesh);
            memcpy(mesh.source.n, shapes[s], sizeof shapes[s]);
            mesh.source.dims = 3;
            mesh.cells = (int)mesh_source_cells(&mesh.source);
            partition(&mesh, mesh_partitioner_names[i], 5);
            for (int c = 0; c < mesh.cells && mesh.cells <= 5; c++)
                for (int b = 0; b < c; b++)
                    assert_true(mesh.owners[b] != mesh.owners[c]);
        }
}

TEST(one_heavy_cell_is_alone)
{
    static const char *const names[] = {"rcb", "hilbert", "greedy"};

    for (int i = 0; i < 3; i++) {
        static struct mesh mesh;

        memset(&mesh, 0, sizeof mesh);
        mesh.source = (struct mesh_source){1, {9, 1, 1}, NULL, 1, NULL, NULL, NULL};
        mesh.cells = 9;
        for (int c = 0; c < 9; c++)
            mesh.weights[c] = c == 4 ? 100 : 1;
        partition(&mesh, names[i], 3);
        for (int c = 0; c < 9; c++)
            assert_true(c == 4 || mesh.owners[c] != mesh.owners[4]);
    }
}

TEST(wrong_names_and_places_are_refused)
{
    double centres[6] = {0, 0, 0, 1, NAN, 0};
    struct mesh_source source = {3, {2, 1, 1}, centres, 1, NULL, NULL, NULL};
    struct mesh_partitioner partitioner;
    struct cca_error err = {0};

    assert_int_equal(mesh_partitioner_open(&partitioner, "hilbrt", &source, &err),
                     -EINVAL);
    assert_non_null(strstr(err.text, "hilbert"));
    mesh_partitioner_close(&partitioner);
    memset(&err, 0, sizeof err);
    assert_int_equal(mesh_partitioner_open(&partitioner, "rcb", &source, &err), -EDOM);
    assert_non_null(strstr(err.text, "element 1"));
    mesh_partitioner_close(&partitioner);
    assert_int_equal(mesh_partitioner_open(&partitioner, "hilbert", &source, NULL),
                     -EDOM);
    mesh_partitioner_close(&partitioner);
    assert_int_equal(mesh_partitioner_open(&partitioner, "rcb:planes", &source, NULL),
                     -EINVAL);
    mesh_partitioner_close(&partitioner);
}

TESTS(NULL, NULL)
