/* SPDX-License-Identifier: BSD-3-Clause */
/* test_ccai_class_info.c: reading descriptors out of whole, cut and damaged libraries. */
#include "tests/lib/test.h"

#include "common/nearest.h"
#include "framework/repository.h"

enum { FLIPS = 20000 };

/* A component of the test's build tree: $O/tests/components/NAME. */
static const char *component(const char *name)
{
    static char path[4096];
    const char *tree = getenv("O");

    snprintf(path, sizeof path, "%s/tests/components/%s", tree ? tree : ".", name);
    return path;
}

/* A library in memory, and a file that holds what the test makes of it. */
struct copy {
    unsigned char *bytes;
    size_t size;
    int fd;
    char dir[256], path[300];
};

static void copy_init(struct copy *copy, const char *name)
{
    const char *tmp = getenv("TMPDIR");
    FILE *file = fopen(component(name), "rb");

    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    copy->size = (size_t)ftell(file);
    rewind(file);
    copy->bytes = malloc(copy->size);
    assert_non_null(copy->bytes);
    assert_int_equal(fread(copy->bytes, 1, copy->size, file), copy->size);
    fclose(file);
    snprintf(copy->dir, sizeof copy->dir, "%s/cca_XXXXXX", tmp ? tmp : "/tmp");
    assert_non_null(mkdtemp(copy->dir));
    snprintf(copy->path, sizeof copy->path, "%s/copy.so", copy->dir);
    copy->fd = open(copy->path, O_RDWR | O_CREAT, 0600);
    assert_true(copy->fd >= 0);
    assert_int_equal(pwrite(copy->fd, copy->bytes, copy->size, 0), copy->size);
}

static void copy_done(struct copy *copy)
{
    close(copy->fd);
    unlink(copy->path);
    rmdir(copy->dir);
    free(copy->bytes);
}

/* Touch all that a descriptor leads to. */
static size_t walk(const struct cca_class *cls)
{
    size_t length = strlen(cls->name) + (cls->summary ? strlen(cls->summary) : 0);

    for (const struct cca_port_decl *port = cls->provides; port && port->name; port++)
        length += strlen(port->name) + strlen(port->type);
    for (const struct cca_port_decl *port = cls->uses; port && port->name; port++)
        length += strlen(port->name) + strlen(port->type);
    for (const struct cca_param_decl *param = cls->params; param && param->name; param++)
        length += strlen(param->name) + strlen(param->value) +
                  (param->choices ? strlen(param->choices) : 0) +
                  (param->help ? strlen(param->help) : 0);
    for (const struct cca_quality *quality = cls->quality; quality && quality->name;
         quality++)
        length +=
            strlen(quality->name) + (quality->command ? strlen(quality->command) : 0);
    for (const struct cca_port_impl *impl = cls->implements; impl && impl->name; impl++)
        length += strlen(impl->name) + strlen(impl->port->type);
    return length;
}

/* Read the file: a whole descriptor, or words. 1 if it was read. */
static int read_or_refuse(const char *path)
{
    struct cca_error err = {0};
    struct cca_class_info *info = cca_class_info_read(path, &err);

    if (info) {
        assert_true(walk(&info->cls) > 0);
        cca_class_info_free(info);
        return 1;
    }
    assert_true(err.code < 0);
    assert_true(err.text[0] != '\0');
    return 0;
}

TEST(descriptor_is_what_the_source_says)
{
    struct cca_error err = {0};
    struct cca_class_info *info = cca_class_info_read(component("sc_worker.so"), &err);
    const struct cca_class *cls;

    assert_non_null(info);
    cls = &info->cls;
    assert_string_equal(cls->name, "ScWorker");
    assert_string_equal(cls->summary, "prints what it is told");
    assert_string_equal(cls->provides[0].name, "go");
    assert_string_equal(cls->provides[0].type, "gov.cca.ports.GoPort/1");
    assert_int_equal(cls->provides[0].size, 24);
    assert_null(cls->provides[1].name);
    assert_string_equal(cls->uses[0].name, "data");
    assert_int_equal(cls->uses[0].min_connections, 1);
    assert_int_equal(cls->uses[1].max_connections, 3);
    assert_null(cls->uses[2].name);
    assert_string_equal(cls->params[0].name, "nx");
    assert_int_equal(cls->params[0].type, CCA_INT);
    assert_string_equal(cls->params[0].high, "100");
    assert_null(cls->params[0].unit);
    assert_string_equal(cls->params[4].choices, "no|number|words|hold|signal");
    assert_null(cls->params[5].name);
    assert_null(cls->quality);
    assert_null(cls->proxy_for);
    assert_null((void *)(uintptr_t)cls->create);
    assert_int_equal(cls->instance_size, 32);
    assert_int_equal(cls->services_offset, 24);
    assert_string_equal(cls->implements[0].name, "go");
    assert_int_equal(cls->implements[0].port->size, 24);
    assert_null(cls->implements[1].name);
    assert_int_equal(strlen(info->build_id), 40);
    cca_class_info_free(info);
}

TEST(numbers_and_flags_are_read)
{
    struct cca_class_info *info = cca_class_info_read(component("sc_wide.so"), NULL);

    assert_non_null(info);
    assert_string_equal(info->cls.quality[0].name, "error");
    assert_true(info->cls.quality[0].value == 0.25);
    assert_int_equal(info->cls.quality[0].compose, CCA_SUM);
    assert_null(info->cls.quality[1].command);
    assert_int_equal(info->cls.flags, CCA_DYNAMIC_PORTS);
    assert_int_equal(info->cls.provides[0].flags, CCA_PORT_NO_PROXY);
    assert_string_equal(info->cls.serves, "sc.Nothing/1");
    cca_class_info_free(info);
}

TEST(descriptor_of_a_cxx_library_is_read)
{
    struct cca_error err = {0};
    struct cca_class_info *info = cca_class_info_read(component("rusanov_flux.so"), &err);

    assert_non_null(info);
    assert_true(walk(&info->cls) > 0);
    assert_non_null(info->cls.provides);
    cca_class_info_free(info);
}

TEST(no_component_is_refused)
{
    struct cca_error err = {0};

    assert_null(cca_class_info_read("/dev/null", &err));
    assert_int_equal(err.code, -ENOEXEC);
    err = (struct cca_error){0};
    assert_null(cca_class_info_read(component("not_there.so"), &err));
    assert_int_equal(err.code, -ENOENT);
    err = (struct cca_error){0};
    assert_null(
        cca_class_info_read("/proc/self/exe", &err)); /* ELF, but exports no class */
    assert_int_equal(err.code, -ENOEXEC);
    assert_null(cca_class_info_read("/proc/self/exe", NULL));
}

TEST(every_cut_file_is_refused)
{
    struct copy copy;
    size_t step;

    copy_init(&copy, "sc_worker.so");
    assert_int_equal(read_or_refuse(copy.path), 1);
    for (size_t size = copy.size; size > 0; size -= step) {
        /* Every byte of the headers and of the end, every third between. */
        step = size <= 2048 || size + 2048 > copy.size || size < 3 ? 1 : 3;
        assert_int_equal(ftruncate(copy.fd, (off_t)size - 1), 0);
        assert_int_equal(read_or_refuse(copy.path), 0);
    }
    copy_done(&copy);
}

/* A generator whose numbers are the same everywhere. */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void flip_and_read(const char *name, size_t end, uint64_t *seed)
{
    struct copy copy;
    size_t read = 0;

    copy_init(&copy, name);
    if (end == 0 || end > copy.size)
        end = copy.size;
    for (int i = 0; i < FLIPS / 4; i++) {
        size_t where[16], flips = 1 + next_random(seed) % 16;

        for (size_t k = 0; k < flips; k++) {
            unsigned char flipped;

            where[k] = next_random(seed) % end;
            flipped = copy.bytes[where[k]] ^ (unsigned char)(1u << next_random(seed) % 8);
            assert_int_equal(pwrite(copy.fd, &flipped, 1, (off_t)where[k]), 1);
        }
        read += (size_t)read_or_refuse(copy.path);
        for (size_t k = 0; k < flips; k++)
            assert_int_equal(pwrite(copy.fd, &copy.bytes[where[k]], 1, (off_t)where[k]),
                             1);
    }
    assert_true(read > 0); /* most flips hit code */
    assert_int_equal(read_or_refuse(copy.path), 1);
    copy_done(&copy);
}

TEST(flipped_bits_never_crash)
{
    uint64_t seed = 88172645463325252u;

    flip_and_read("sc_worker.so", 0, &seed);
    flip_and_read("rusanov_flux.so", 0, &seed);
    /* Headers, symbols and relocations, where they hurt. */
    flip_and_read("sc_worker.so", 4096, &seed);
    flip_and_read("sc_wide.so", 4096, &seed);
}

TEST(repository_refuses_what_changed)
{
    struct cca_repository *repository = cca_repository_new();
    struct cca_error err = {0};
    const struct cca_class_info *info;
    struct copy copy;

    assert_non_null(repository);
    copy_init(&copy, "sc_worker.so");
    assert_int_equal(cca_repository_path_append(repository, copy.dir, &err), 0);
    info = cca_repository_find(repository, "ScWorker");
    assert_non_null(info);
    assert_int_equal(cca_repository_unknown(repository, "ScWorkr", &err), -ENOENT);
    assert_non_null(strstr(err.text, "did you mean 'ScWorker'?"));
    err = (struct cca_error){0};
    assert_int_equal(ftruncate(copy.fd, (off_t)copy.size / 2), 0);
    assert_null(cca_repository_load(repository, info, 0, &err));
    assert_int_equal(err.code, -EBADMSG);
    assert_int_equal(cca_repository_loaded(repository, info), 0);
    copy_done(&copy);

    err = (struct cca_error){0};
    assert_null(cca_repository_load(repository, info, 0, &err));
    assert_int_equal(err.code, -ENOENT);
    cca_repository_free(repository);
}

TEST(repository_names_what_it_refused)
{
    struct cca_repository *repository = cca_repository_new();
    const char *reason = NULL;
    struct copy copy;

    copy_init(&copy, "sc_worker.so");
    assert_int_equal(ftruncate(copy.fd, 1000), 0);
    assert_int_equal(cca_repository_path_append(repository, copy.dir, NULL), 0);
    assert_null(cca_repository_find(repository, "ScWorker"));
    assert_non_null(strstr(cca_repository_refused(repository, 0, &reason), "copy.so"));
    assert_non_null(strstr(reason, "damaged"));
    assert_null(cca_repository_refused(repository, 1, &reason));
    copy_done(&copy);
    cca_repository_free(repository);
}

TEST(first_class_of_a_name_on_the_path_wins)
{
    struct cca_repository *repository = cca_repository_new();
    struct cca_error err = {0};
    struct copy copy;
    char dir[4096];

    copy_init(&copy, "sc_worker.so");
    snprintf(dir, sizeof dir, "%s", component(""));
    assert_int_equal(cca_repository_path_append(repository, dir, &err), 0);
    assert_null(strstr(cca_repository_find(repository, "ScWorker")->file, "copy.so"));
    assert_int_equal(cca_repository_path_prepend(repository, copy.dir, &err), 0);
    assert_non_null(strstr(cca_repository_find(repository, "ScWorker")->file, "copy.so"));

    /* The fallback stays last, whatever happens to the path. */
    assert_int_equal(cca_repository_path_fallback(repository, copy.dir, &err), 0);
    assert_null(strstr(cca_repository_find(repository, "ScWorker")->file, "copy.so"));
    cca_repository_path_clear(repository);
    assert_non_null(strstr(cca_repository_find(repository, "ScWorker")->file, "copy.so"));
    assert_null(cca_repository_find(repository, "ScSource"));
    assert_int_equal(cca_repository_path_append(repository, dir, &err), 0);
    assert_non_null(strstr(cca_repository_path(repository, 1), copy.dir));
    assert_null(cca_repository_path(repository, 2));

    assert_int_equal(cca_repository_path_append(repository, "/dev/null", &err), -ENOTDIR);
    copy_done(&copy);
    cca_repository_free(repository);
}

TEST(nearest_name_is_found)
{
    static const char *const names[] = {"flux", "states", "mesh", "GodunovFlux"};
    char hint[64];

    assert_string_equal(cca_nearest("flx", names, 4), "flux");
    assert_string_equal(cca_nearest("fulx", names, 4), "flux");
    assert_string_equal(cca_nearest("STATES", names, 4), "states");
    assert_string_equal(cca_nearest("Godunov", names, 4), "GodunovFlux");
    assert_null(cca_nearest("boundary", names, 4));
    assert_null(cca_nearest("x", names, 4));
    assert_null(cca_nearest("", names, 4));
    assert_string_equal(cca_nearest_hint("mesh", hint, sizeof hint),
                        "; did you mean 'mesh'?");
    assert_string_equal(cca_nearest_hint(NULL, hint, sizeof hint), "");
}

TESTS(NULL, NULL)
