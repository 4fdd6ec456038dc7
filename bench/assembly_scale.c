/* SPDX-License-Identifier: BSD-3-Clause */
/* assembly_scale.c: what it takes to build a large assembly and to end it.
 *
 * Each class is a library of its own: a copy of the component tests/components/fw_node.c
 * with another name in its descriptor. All are put on the path, instances are made of
 * them in turn, and each is connected to the ten before it. Seconds of each step, and the
 * memory of the process when all stands. Exit 0; 1: a bar is missed (--bar); 2: misuse;
 * 4: the framework fails; 5: no files. */
#include <errno.h>
#include <getopt.h>
#include <sys/resource.h>

#include "bench/bench.h"
#include "framework/framework.h"

enum { FAN = 10, NAME = 6, NAME_ROOM = 16 };
#define MOST_SECONDS .5
#define MOST_MB 100.

static const char help[] =
    "usage: assembly_scale [options]\n"
    "What building a large assembly takes, without going.\n"
    "  --instances N  (1000); each is connected to the 10 before it\n"
    "  --classes N    a library each (1000)\n"
    "  --bar          status 1 if building takes more than 0.5 s or 100 MB\n"
    "  --cpu          CPU time, not wall time\n"
    "  --json         one line of JSON\n"
    "  -h, --help\n"
    "Options of monitored_call are taken and change nothing.\n";

struct bench {
    long instances, classes, connections;
    int bar, cpu, json;
    char dir[PATH_MAX];
    struct cca_framework *framework;
    double find_s, create_s, connect_s, end_s, memory_mb;
};

/* A file's bytes, new, or NULL with errno. */
static char *read_all(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    struct stat kind;
    char *bytes =
        file && fstat(fileno(file), &kind) == 0 ? malloc((size_t)kind.st_size) : NULL;

    *size = bytes ? fread(bytes, 1, (size_t)kind.st_size, file) : 0;
    if (file)
        fclose(file);
    return bytes;
}

static int write_all(const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    size_t written = file ? fwrite(bytes, 1, size, file) : 0;

    return !file || fclose(file) || written != size ? -1 : 0;
}

static void class_name(long number, char *name)
{
    snprintf(name, NAME_ROOM, "N%05u", (unsigned)(number % 100000));
}

/* The name in the descriptor is the only string of that spelling. */
static int make_classes(const struct bench *bench)
{
    const char *tree = getenv("O");
    char path[2 * PATH_MAX], name[NAME_ROOM], *bytes, *at;
    size_t size;
    int status = 0;

    snprintf(path, sizeof path, "%s/tests/components/fw_node.so",
             tree ? tree : "build/release");
    bytes = read_all(path, &size);
    at = bytes ? memmem(bytes, size, "\0FwNode", NAME + 2) : NULL;
    for (long i = 0; at && i < bench->classes && status == 0; i++) {
        class_name(i, name);
        memcpy(at + 1, name, NAME);
        snprintf(path, sizeof path, "%s/%s.so", bench->dir, name);
        status = write_all(path, bytes, size);
    }
    free(bytes);
    return at ? status : -1;
}

static double take(const struct bench *bench, double *before)
{
    double now = bench_seconds(bench->cpu ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC);
    double passed = now - *before;

    *before = now;
    return passed;
}

static int create_all(const struct bench *bench, struct cca_error *err)
{
    char cls[NAME_ROOM], name[32];
    int status = 0;

    for (long i = 0; i < bench->instances && status == 0; i++) {
        class_name(i % bench->classes, cls);
        snprintf(name, sizeof name, "i%ld", i);
        status = cca_framework_create(bench->framework, cls, name, err);
    }
    return status;
}

static int connect_all(struct bench *bench, struct cca_error *err)
{
    char user[32], provider[32];
    int status = 0;

    for (long i = 0; i < bench->instances && status == 0; i++)
        for (long k = 1; k <= FAN && k < bench->instances && status == 0; k++) {
            snprintf(user, sizeof user, "i%ld", i);
            snprintf(provider, sizeof provider, "i%ld",
                     (i + bench->instances - k) % bench->instances);
            status = cca_framework_connect(bench->framework, user, "many", provider,
                                           "out", err);
            bench->connections += status == 0;
        }
    return status;
}

static int run(struct bench *bench, struct cca_error *err)
{
    const struct cca_framework_options options = {.strict = 1};
    struct rusage usage;
    double clock = 0;
    int status;

    take(bench, &clock);
    bench->framework = cca_framework_new(&options, err);
    status = bench->framework
                 ? cca_repository_path_append(cca_framework_repository(bench->framework),
                                              bench->dir, err)
                 : -ENOMEM;
    bench->find_s = take(bench, &clock);
    if (status == 0)
        status = create_all(bench, err);
    bench->create_s = take(bench, &clock);
    if (status == 0)
        status = connect_all(bench, err);
    bench->connect_s = take(bench, &clock);
    getrusage(RUSAGE_SELF, &usage);
    bench->memory_mb = (double)usage.ru_maxrss * 1024 / 1e6;
    take(bench, &clock);
    cca_framework_free(bench->framework);
    bench->end_s = take(bench, &clock);
    return status;
}

static void print(const struct bench *bench)
{
    double build_s = bench->find_s + bench->create_s + bench->connect_s;

    if (bench->json) {
        printf("{\"bench\": \"assembly_scale\", \"classes\": %ld, \"instances\": %ld, "
               "\"connections\": %ld, \"clock\": \"%s\", \"find_s\": %.6f, \"create_s\": "
               "%.6f, "
               "\"connect_s\": %.6f, \"build_s\": %.6f, \"end_s\": %.6f, \"memory_mb\": "
               "%.3f, "
               "\"processor\": \"%s\"}\n",
               bench->classes, bench->instances, bench->connections,
               bench->cpu ? "cpu" : "wall", bench->find_s, bench->create_s,
               bench->connect_s, build_s, bench->end_s, bench->memory_mb,
               bench_processor());
        return;
    }
    printf("assembly_scale: %ld instances of %ld classes, %ld connections, %s time, s\n",
           bench->instances, bench->classes, bench->connections,
           bench->cpu ? "CPU" : "wall");
    printf("  %-22s %8.4f\n  %-22s %8.4f\n  %-22s %8.4f\n", "classes are found",
           bench->find_s, "instances are made", bench->create_s, "connections are made",
           bench->connect_s);
    printf("  %-22s %8.4f  bar %.1f: %s\n", "all of it", build_s, MOST_SECONDS,
           build_s <= MOST_SECONDS ? "met" : "missed");
    printf("  %-22s %8.4f\n  %-22s %8.1f  bar %.0f: %s\n", "its end", bench->end_s,
           "memory, MB", bench->memory_mb, MOST_MB,
           bench->memory_mb <= MOST_MB ? "met" : "missed");
}

/* A number of 1 to 100,000, or 0. */
static long number(const char *text)
{
    char *end;
    long value = strtol(text, &end, 10);

    return *text && !*end && value >= 1 && value <= 100000 ? value : 0;
}

/* -1: go on; else the exit status. */
static int parse(struct bench *bench, int argc, char **argv)
{
    static const struct option longs[] = {{"instances", required_argument, NULL, 'i'},
                                          {"classes", required_argument, NULL, 'c'},
                                          {"bar", no_argument, NULL, 'b'},
                                          {"cpu", no_argument, NULL, 'C'},
                                          {"json", no_argument, NULL, 'j'},
                                          {"threads", required_argument, NULL, 'o'},
                                          {"calls", required_argument, NULL, 'o'},
                                          {"limit", required_argument, NULL, 'o'},
                                          {"storage", required_argument, NULL, 'o'},
                                          {"keys", required_argument, NULL, 'o'},
                                          {"packing", required_argument, NULL, 'o'},
                                          {"monotonic", no_argument, NULL, 'o'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    int letter;

    while ((letter = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
        if (letter == 'h')
            return fputs(help, stdout) < 0 ? 5 : 0;
        if (letter == '?')
            return 2;
        bench->bar |= letter == 'b';
        bench->cpu |= letter == 'C';
        bench->json |= letter == 'j';
        if (letter == 'i')
            bench->instances = number(optarg);
        if (letter == 'c')
            bench->classes = number(optarg);
    }
    if (optind == argc && bench->instances && bench->classes)
        return -1;
    fputs("assembly_scale: numbers are 1 to 100000, and there are no arguments\n",
          stderr);
    return 2;
}

static void remove_all(const struct bench *bench)
{
    char path[2 * PATH_MAX], name[NAME_ROOM];

    for (long i = 0; i < bench->classes; i++) {
        class_name(i, name);
        snprintf(path, sizeof path, "%s/%s.so", bench->dir, name);
        unlink(path);
    }
    rmdir(bench->dir);
}

int main(int argc, char **argv)
{
    struct bench bench = {.instances = 1000, .classes = 1000};
    struct cca_error err = {0};
    int status = parse(&bench, argc, argv);

    if (status >= 0)
        return status;
    snprintf(bench.dir, sizeof bench.dir, "%s/assembly_scale.XXXXXX",
             getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    if (!mkdtemp(bench.dir)) {
        perror(bench.dir);
        return 5;
    }
    status = make_classes(&bench) ? 5 : run(&bench, &err) ? 4 : 0;
    if (status)
        fprintf(stderr, "assembly_scale: %s\n",
                err.text[0] ? err.text : "no classes can be made");
    else
        print(&bench);
    remove_all(&bench);
    if (!status && bench.bar)
        status = bench.find_s + bench.create_s + bench.connect_s > MOST_SECONDS ||
                 bench.memory_mb > MOST_MB;
    return status;
}
