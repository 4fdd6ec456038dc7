/* table.h: a plug-in interface, of the kinds of members that there are. */
#ifndef TABLE_H
#define TABLE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct codec_file codec_file;
typedef int (*codec_visit)(void *data, const char *name);

struct codec_block {
    size_t size;
    uint32_t kind;
};

typedef struct codec_ops {
    int version;
    const char *name;
    codec_file *(*open)(const struct codec_ops *self, const char *path, int flags);
    int64_t (*decode)(codec_file *file, const struct codec_block *block, void *to, size_t to_size);
    int (*encode)(codec_file *file, const void *from, size_t from_size, size_t *made);
    int (*visit)(codec_file *file, codec_visit visit, void *data);
    int (*log)(codec_file *file, const char *format, ...);
    int (*vlog)(codec_file *file, const char *format, va_list list);
    void (*close)(codec_file *file);
    void *reserved[4];
    double (*ratio)(codec_file *file); /* since version 2 */
} codec_ops;

#ifdef __cplusplus
}
#endif

#endif
