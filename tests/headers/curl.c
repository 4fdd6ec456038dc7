/* SPDX-License-Identifier: BSD-3-Clause */
/* curl.c: calls of libcurl on a file, each told on standard output as the records should
 * have it. Its callbacks call it again. */
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"

static size_t received;

static size_t take(char *bytes, size_t size, size_t count, void *handle)
{
    char *words = curl_easy_escape(handle, bytes, (int)(count < 10 ? count : 10));

    printf("curl_easy_escape in=curl_easy_perform length=%d\n",
           (int)(count < 10 ? count : 10));
    curl_free(words);
    received += size * count;
    return size * count;
}

static void get(const char *path, size_t size)
{
    CURL *handle = curl_easy_init();
    char url[500];
    CURLcode code;

    puts("curl_easy_init");
    snprintf(url, sizeof url, "file://%s", path);
    curl_easy_setopt(handle, CURLOPT_URL, url);
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, handle);
    curl_easy_setopt(handle, CURLOPT_BUFFERSIZE, 20000L);
    printf("curl_easy_setopt option=%d code=0\ncurl_easy_setopt option=%d code=0\n"
           "curl_easy_setopt option=%d code=0\ncurl_easy_setopt option=%d code=0\n",
           CURLOPT_URL, CURLOPT_WRITEFUNCTION, CURLOPT_WRITEDATA, CURLOPT_BUFFERSIZE);
    received = 0;
    code = curl_easy_perform(handle);
    printf("curl_easy_perform code=%d\n", (int)code);
    if (received != size || (code != CURLE_OK) != (size == 0))
        exit(1);
    curl_easy_cleanup(handle);
    puts("curl_easy_cleanup");
}

int main(int argc, char **argv)
{
    static unsigned char bytes[90000];
    char path[400] = "";

    if (argc < 2)
        return 2;
    data_fill(bytes, sizeof bytes);
    for (size_t size = 1; size < sizeof bytes; size *= 7) {
        FILE *file = fopen(argv[1], "wb");

        if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0 ||
            !realpath(argv[1], path))
            return 1;
        get(path, size);
    }
    remove(path);
    get(path, 0);
    printf("curl_strequal equal=%d\n", curl_strequal("Same", "sAME"));
    puts("inner curl_strequal curl_easy_setopt curl_easy_init curl_easy_cleanup");
    return 0;
}
