/* SPDX-License-Identifier: BSD-3-Clause */
/* test_shock_image.c: FieldImage on a mesh of several levels. */
#include <math.h>
#include <png.h>
#include <unistd.h>

#include "tests/lib/shock_assembly.h"
#include "ports/output_port.h"

/* A picture, read back: [height][width][3]. */
struct picture {
    int64_t width, height;
    unsigned char *rgb;
};

static struct picture picture_read(const char *path)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    struct picture p;

    assert_true(png_image_begin_read_from_file(&image, path));
    image.format = PNG_FORMAT_RGB;
    p.rgb = malloc(PNG_IMAGE_SIZE(image));
    assert_non_null(p.rgb);
    assert_true(png_image_finish_read(&image, NULL, p.rgb, 0, NULL));
    p.width = image.width;
    p.height = image.height;
    return p;
}

/* Have the field drawn into `path`. */
static void image_draw(struct assembly *a, const char *path)
{
    struct output_port *output =
        assembly_port(a, "image", "output", OUTPUT_PORT_TYPE, sizeof *output);
    struct cca_error err = {0};

    assembly_set(a, "image", "file", path);
    assembly_check(output->write(output, assembly_mesh(a), 0, 0., 0, &err), &err);
}

static void image_open(struct assembly *a, const char *mesh)
{
    assembly_open_on(a, "HLLCFlux", "GasProperties", mesh, "AmrDriver");
    assembly_create(a, "FieldImage", "image");
    assembly_set(a, "initial", "problem", "shock_interface");
    assembly_set(a, "driver", "nx", "40");
    assembly_set(a, "driver", "ny", "12");
    assembly_set(a, "driver", "steps", "4");
}

/* The density on the cells of the finest of `levels` levels, [ny][nx]; -1 - l on the
 * border of a patch of level l, where that is the last one drawn. New. */
static double *finest_values(struct mesh_port *mesh, int levels, int scale,
                             double *borders)
{
    const struct mesh_domain *d = mesh->domain(mesh);
    int64_t nx = d->nx << (levels - 1), ny = d->ny << (levels - 1);
    double *finest = calloc((size_t)(nx * ny), sizeof *finest);

    assert_non_null(finest);
    for (int l = 0; l < levels; l++) {
        int64_t lx = d->nx << l, ly = d->ny << l;
        double *u = calloc((size_t)(lx * ly) * EULER_NVAR, sizeof *u);
        int shift = levels - 1 - l;

        assert_non_null(u);
        assert_int_equal(0, mesh->gather(mesh, l, 0, u));
        for (int64_t j = 0; j < ny; j++)
            for (int64_t i = 0; i < nx; i++)
                if (u[(j >> shift) * lx + (i >> shift)] > 0.)
                    finest[j * nx + i] = u[(j >> shift) * lx + (i >> shift)];
        for (int k = 0; borders && k < mesh->box_count(mesh, l); k++) {
            int64_t side = (int64_t)scale << shift, x0, y0, x1, y1;
            struct mesh_box b;

            mesh->box(mesh, l, k, &b);
            x0 = b.ilo * side;
            y0 = b.jlo * side;
            x1 = (b.ilo + b.nx) * side - 1;
            y1 = (b.jlo + b.ny) * side - 1;
            for (int64_t y = y0; y <= y1; y++)
                for (int64_t x = x0; x <= x1; x++)
                    if (x == x0 || x == x1 || y == y0 || y == y1)
                        borders[y * nx * scale + x] = l + 1;
        }
        free(u);
    }
    return finest;
}

/* Each pixel has the grey of its value; or the colour of a border. */
static void picture_check(const struct picture *p, struct mesh_port *mesh, int levels,
                          int scale, int outlines)
{
    static const unsigned char colours[][3] = {
        {0xaa, 0x44, 0x99}, {0xd5, 0x5e, 0x00}, {0x00, 0x72, 0xb2}};
    double *borders = calloc((size_t)(p->width * p->height), sizeof *borders);
    double *finest = finest_values(mesh, levels, scale, outlines ? borders : NULL);
    double least = HUGE_VAL, most = -HUGE_VAL;
    int shades = outlines ? 253 : 256;
    int64_t nx = p->width / scale;

    assert_true(nx == mesh->domain(mesh)->nx << (levels - 1));
    for (int64_t i = 0; i < nx * (p->height / scale); i++) {
        least = fmin(least, finest[i]);
        most = fmax(most, finest[i]);
    }
    for (int64_t y = 0; y < p->height; y++)
        for (int64_t x = 0; x < p->width; x++) {
            const unsigned char *rgb = p->rgb + 3 * ((p->height - 1 - y) * p->width + x);
            double value = finest[(y / scale) * nx + x / scale];
            long shade = lround((value - least) / (most - least) * (shades - 1));
            int grey = 245 - (int)lround(150. * (double)shade / (shades - 1.));
            int border = (int)borders[y * p->width + x];

            if (border) {
                assert_memory_equal(colours[border - 1], rgb, 3);
            } else {
                assert_int_equal(grey, rgb[0]);
                assert_int_equal(grey, rgb[1]);
                assert_int_equal(grey, rgb[2]);
            }
        }
    free(borders);
    free(finest);
}

TEST(each_pixel_is_of_the_finest_level_there)
{
    char path[] = "/tmp/picture.XXXXXX";
    struct assembly a;
    struct picture p;

    close(mkstemp(path));
    image_open(&a, "AMRMesh");
    assembly_set(&a, "mesh", "patch_nx", "16");
    assembly_set(&a, "image", "colours", "grey");
    assembly_set(&a, "image", "scale", "3");
    assembly_go(&a);
    assert_int_equal(3, assembly_mesh(&a)->level_count(assembly_mesh(&a)));
    for (int outlines = 0; outlines < 2; outlines++)
        for (int levels = 1; levels <= 3; levels++) {
            assembly_set(&a, "image", "outlines", outlines ? "true" : "false");
            assembly_set_number(&a, "image", "levels", levels < 3 ? levels : 0);
            image_draw(&a, path);
            p = picture_read(path);
            picture_check(&p, assembly_mesh(&a), levels, 3, outlines);
            free(p.rgb);
        }
    assembly_close(&a);
    unlink(path);
}

/* The same mesh of one level gives the same picture, whichever class it is. */
TEST(one_level_is_drawn_as_a_uniform_mesh)
{
    static const char *const meshes[] = {"UniformMesh", "AMRMesh"};
    char path[] = "/tmp/picture.XXXXXX";
    struct picture p[2];

    close(mkstemp(path));
    for (int k = 0; k < 2; k++) {
        struct assembly a;

        image_open(&a, meshes[k]);
        assembly_set(&a, "driver", "regrid_every", "0");
        if (k == 1)
            assembly_set(&a, "mesh", "levels", "1");
        assembly_go(&a);
        image_draw(&a, path);
        p[k] = picture_read(path);
        assembly_close(&a);
    }
    assert_true(p[0].width == p[1].width && p[0].height == p[1].height);
    assert_int_equal(40 * 20, p[0].width);
    assert_memory_equal(p[0].rgb, p[1].rgb, (size_t)(3 * p[0].width * p[0].height));
    free(p[0].rgb);
    free(p[1].rgb);
    unlink(path);
}

TEST(an_empty_name_asks_for_no_picture)
{
    struct assembly a;

    image_open(&a, "UniformMesh");
    assembly_go(&a);
    image_draw(&a, "");
    assert_int_equal(-1, access(".part", F_OK));
    assembly_close(&a);
}

TESTS(NULL, NULL)
