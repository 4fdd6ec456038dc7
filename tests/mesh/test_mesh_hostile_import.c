/* SPDX-License-Identifier: BSD-3-Clause */
/* CSV files, LBDatafiles and brotli data, damaged in every way: each is imported whole,
 * or refused in words with nothing left behind. */
#include "tests/lib/test.h"

#include <dirent.h>
#include <ftw.h>
#include <jansson.h>
#include <math.h>

#include "mesh/convert/cells.h"
#include "mesh/convert/lbaf/export.h"
#include "mesh/convert/lbaf/import.h"

static char folder[] = "/tmp/test_mesh_hostile.XXXXXX";
static char in[64], out[64], back[64];

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st;
    (void)kind;
    (void)at;
    return remove(path);
}

static void remove_path(const char *path)
{
    nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static int set_up(void **state)
{
    (void)state;
    srand(17);
    if (!mkdtemp(folder))
        return 1;
    snprintf(in, sizeof in, "%s/in", folder);
    snprintf(out, sizeof out, "%s/out", folder);
    snprintf(back, sizeof back, "%s/back", folder);
    return mkdir(in, 0777);
}

static int tear_down(void **state)
{
    (void)state;
    remove_path(folder);
    return 0;
}

static void write_file(const char *name, const void *bytes, size_t size)
{
    char path[128];
    FILE *to;

    snprintf(path, sizeof path, "%s/%s", in, name);
    to = fopen(path, "w");
    assert_non_null(to);
    fwrite(bytes, 1, size, to);
    fclose(to);
}

/* Entries of the folder that hold `name`. */
static int count_entries(const char *name)
{
    DIR *all = opendir(folder);
    struct dirent *entry;
    int count = 0;

    while ((entry = readdir(all)))
        count += strncmp(entry->d_name, name, strlen(name)) == 0;
    closedir(all);
    return count;
}

/* Flip bits, change, remove and repeat bytes. */
static size_t damage(unsigned char *bytes, size_t size, size_t room)
{
    static const char letters[] = "0123456789-+.eE,\n\r\"{}[]:nNaAiI \0\xff";
    int changes = 1 + rand() % 4;

    while (changes-- > 0 && size > 1) {
        size_t at = (size_t)rand() % size, count = 1 + (size_t)rand() % 9;

        switch (rand() % 5) {
        case 0:
            bytes[at] ^= (unsigned char)(1 << rand() % 8);
            break;
        case 1:
            bytes[at] = (unsigned char)letters[(size_t)rand() % (sizeof letters - 1)];
            break;
        case 2:
            count = count < size - at ? count : size - at;
            memmove(bytes + at, bytes + at + count, size - at - count);
            size -= count;
            break;
        case 3:
            count = count < size - at ? count : size - at;
            if (size + count <= room) {
                memmove(bytes + at + count, bytes + at, size - at);
                size += count;
            }
            break;
        default:
            size = rand() % 4 ? size : at + 1;
        }
    }
    return size;
}

/* A profile that is there is read whole: no value is damaged, none negative. */
static void read_all(void)
{
    struct cca_error err = {0};
    struct mesh_profile *p = mesh_profile_open(out, NULL, &err);
    const struct mm_mesh_about *about;
    const int64_t lo[3] = {0};
    float *values;
    int64_t cells;

    if (!p)
        fail_msg("%s", err.text);
    about = mesh_profile_about(p);
    cells = about->n[0] * about->n[1] * about->n[2];
    values = malloc((size_t)cells * sizeof *values);
    for (size_t i = 0; i < mesh_profile_steps(p) && i < 20; i++)
        for (int probe = 0; probe < mesh_profile_probes(p); probe++) {
            assert_true(mesh_profile_values(p, i, probe, 0, lo, about->n, values, NULL,
                                            NULL) >= 0);
            for (int64_t c = 0; c < cells; c++)
                assert_true(isnan(values[c]) || (values[c] >= 0 && isfinite(values[c])));
        }
    free(values);
    mesh_profile_close(p);
}

/* What an import must have left. */
static void check_result(int result, const struct cca_error *err)
{
    if (result == 0) {
        read_all();
        assert_int_equal(count_entries("out"), 1);
    } else {
        assert_true(result < 0);
        assert_int_equal(err->code, result);
        assert_true(err->text[0] && !strchr(err->text, '\n'));
        assert_int_equal(count_entries("out"), 0);
    }
    remove_path(out);
}

/* --- CSV ------------------------------------------------------------------ */

TEST(damaged_csv_is_imported_whole_or_refused)
{
    char text[4096], path[128];
    unsigned char bytes[8192];
    int used = snprintf(text, sizeof text, "step,i,j,value,cost,rank\n"), good = 0;
    int rounds = test_count("DAMAGES", 200, 40000);

    for (int s = 0; s < 4; s++)
        for (int c = 0; c < 12; c++)
            used += snprintf(text + used, sizeof text - (size_t)used,
                             "%d,%d,%d,%d.5,%d,%d\n", s, c / 4, c % 4, c, s + c, c % 2);
    snprintf(path, sizeof path, "%s/f.csv", in);
    for (int round = 0; round < rounds; round++) {
        struct mesh_cells_probe probes[] = {{"value", ""}, {"cost", "ns"}};
        struct mesh_cells asked = {.file = path,
                                   .dims = 2,
                                   .shape = {3, 4, 1},
                                   .probes = probes,
                                   .probe_count = 2,
                                   .rank = rand() % 2 ? "rank" : NULL,
                                   .eps = rand() % 2 ? .25 : 0,
                                   .allow_lost = rand() % 2};
        struct mesh_cells_found found;
        struct cca_error err = {0};
        size_t size = (size_t)used;
        int result;

        memcpy(bytes, text, size);
        if (round)
            size = damage(bytes, size, sizeof bytes);
        write_file("f.csv", bytes, size);
        result = mesh_import_cells(&asked, out, &found, &err);
        good += result == 0;
        check_result(result, &err);
    }
    assert_true(good > 0 && good < rounds);
    unlink(path);
}

/* --- LBDatafiles ------------------------------------------------------------ */

static json_t *make_task(int id, int rank)
{
    return json_pack(
        "{s:{s:s,s:i,s:i,s:b,s:i,s:[i,i]},s:i,s:s,s:f,s:[{s:i,s:f}],s:{s:i}}", "entity",
        "type", "object", "id", id, "home", rank, "migratable", 1, "collection_id", 3,
        "index", id / 3, id % 3, "node", rank, "resource", "cpu", "time", .25 * id,
        "subphases", "id", 0, "time", .125 * id, "user_defined", "a", id);
}

static json_t *make_document(int rank)
{
    json_t *phases = json_array();

    for (int p = 0; p < 4; p++) {
        json_t *tasks = json_array();

        for (int id = rank; id < 6; id += 2)
            json_array_append_new(tasks, make_task(id, rank));
        json_array_append_new(
            phases, json_pack("{s:i,s:o,s:[{s:s,s:i,s:f,s:{s:s,s:i},s:{s:s,s:i}}]}", "id",
                              p < 2 ? p : p + 2, "tasks", tasks, "communications", "type",
                              "SendRecv", "messages", 3, "bytes", 2.5, "from", "type",
                              "object", "id", 1, "to", "type", "node", "id", 0));
    }
    return json_pack("{s:{s:s,s:i,s:{s:{s:[i,i],s:[]},s:{s:[],s:[[i,i]]}}},s:o}",
                     "metadata", "type", "LBDatafile", "rank", rank, "phases", "skipped",
                     "list", 2, 3, "range", "identical_to_previous", "list", "range", 6,
                     7, "phases", phases);
}

static json_t *any_value(void)
{
    switch (rand() % 12) {
    case 0:
        return json_null();
    case 1:
        return json_integer(-1);
    case 2:
        return json_integer(rand() % 10);
    case 3:
        return json_integer(INT64_MAX - rand() % 2);
    case 4:
        return json_integer(INT64_MIN);
    case 5:
        return json_real(1e308);
    case 6:
        return json_real(-.5);
    case 7:
        return json_string("LBDatafile");
    case 8:
        return json_array();
    case 9:
        return json_object();
    case 10:
        return json_pack("[i,i]", rand() % 9, rand() % 9);
    default:
        return json_true();
    }
}

/* Replace, remove or repeat some values of a document, anywhere. */
static void twist(json_t *value, int chance)
{
    const char *key;
    json_t *item;
    void *next;
    size_t i;

    if (json_is_array(value)) {
        json_array_foreach(value, i, item) twist(item, chance);
        if (json_array_size(value) && rand() % chance == 0) {
            i = (size_t)rand() % json_array_size(value);
            switch (rand() % 3) {
            case 0:
                json_array_set_new(value, i, any_value());
                break;
            case 1:
                json_array_remove(value, i);
                break;
            default:
                json_array_append_new(value, json_deep_copy(json_array_get(value, i)));
            }
        }
    }
    json_object_foreach_safe(value, next, key, item)
    {
        twist(item, chance);
        if (rand() % chance)
            continue;
        if (rand() % 3)
            json_object_set_new(value, key, any_value());
        else
            json_object_del(value, key);
    }
}

static int import(void)
{
    struct mesh_lbaf_found found;
    struct cca_error err = {0};
    int result = mesh_import_lbaf(in, out, rand() % 2, NULL, NULL, &found, &err);

    if (result == 0) { /* what was taken can go back */
        struct mesh_profile *p = mesh_profile_open(out, NULL, NULL);

        assert_non_null(p);
        result = mesh_export_lbaf(p, 0, 2, back, NULL, NULL, &err);
        if (result)
            fail_msg("%s", err.text);
        mesh_profile_close(p);
        remove_path(back);
    }
    check_result(result, &err);
    return result;
}

static void write_documents(void)
{
    for (int r = 0; r < 2; r++) {
        json_t *document = make_document(r);
        char *text = json_dumps(document, JSON_COMPACT), name[32];

        snprintf(name, sizeof name, "data.%d.json", r);
        write_file(name, text, strlen(text));
        free(text);
        json_decref(document);
    }
}

static void clear(void)
{
    remove_path(in);
    assert_int_equal(mkdir(in, 0777), 0);
}

TEST(twisted_lbdatafiles_are_imported_whole_or_refused)
{
    int rounds = test_count("DAMAGES", 200, 40000), good = 0;

    write_documents();
    assert_int_equal(import(), 0);
    for (int round = 0; round < rounds; round++) {
        json_t *document = make_document(1);
        char *text;

        twist(document, 20 + rand() % 300);
        text = json_dumps(document, JSON_COMPACT | JSON_ENCODE_ANY);
        write_file("data.1.json", text, strlen(text));
        good += import() == 0;
        free(text);
        json_decref(document);
    }
    assert_true(good > 0 && good < rounds);
    clear();
}

TEST(damaged_lbdatafiles_are_imported_whole_or_refused)
{
    json_t *document = make_document(1);
    char *text = json_dumps(document, JSON_INDENT(1));
    size_t size = strlen(text);
    unsigned char *bytes = malloc(2 * size);
    int rounds = test_count("DAMAGES", 150, 40000);

    write_documents();
    for (int round = 0; round < rounds; round++) {
        memcpy(bytes, text, size);
        write_file("data.1.json", bytes, damage(bytes, size, 2 * size));
        import();
    }
    free(bytes);
    free(text);
    json_decref(document);
    clear();
}

/* --- brotli ------------------------------------------------------------------- */

/* One uncompressed meta-block (RFC 7932, 9.2) of at most 65,536 bytes. */
static size_t store_brotli(const char *text, size_t size, unsigned char *to)
{
    uint64_t bits = 0; /* WBITS 16, not the last, four nibbles of length - 1, stored */

    bits |= (uint64_t)(size - 1) << 4 | (uint64_t)1 << 20;
    memcpy(to, &bits, 3);
    memcpy(to + 3, text, size);
    to[3 + size] = 3; /* the last, empty */
    return size + 4;
}

TEST(damaged_brotli_is_imported_whole_or_refused)
{
    json_t *document = make_document(1);
    char *text = json_dumps(document, JSON_COMPACT), path[128];
    size_t size = strlen(text), length;
    unsigned char *bytes = malloc(2 * size), *whole = malloc(size + 8);
    int rounds = test_count("DAMAGES", 150, 40000);

    write_documents();
    snprintf(path, sizeof path, "%s/data.1.json", in);
    unlink(path);
    length = store_brotli(text, size, whole);
    write_file("data.1.json.br", whole, length);
    if (import() == 0) { /* else the build lacks libbrotli */
        for (int round = 0; round < rounds; round++) {
            size_t damaged;

            memcpy(bytes, whole, length);
            damaged = damage(bytes, round % 2 ? length : 40, 2 * size);
            if (!(round % 2)) { /* its head alone */
                memcpy(bytes + damaged, whole + 40, length - 40);
                damaged += length - 40;
            }
            write_file("data.1.json.br", bytes, damaged);
            import();
        }
    }
    free(whole);
    free(bytes);
    free(text);
    json_decref(document);
    clear();
}

TESTS(set_up, tear_down)
