/* SPDX-License-Identifier: BSD-3-Clause */
/* evp.c: calls of OpenSSL's EVP, each told on standard output as the records should have
 * it. */
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"

enum { SIZE = 9000 };

static unsigned char in[SIZE], out[2 * SIZE], back[2 * SIZE];

static void digest(int length, int pieces)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    unsigned size = 99;

    EVP_DigestInit_ex(context, EVP_sha256(), NULL);
    for (int i = 0; i < pieces; i++)
        printf("EVP_DigestUpdate cnt=%d result=%d\n", length,
               EVP_DigestUpdate(context, in, (size_t)length));
    EVP_DigestFinal_ex(context, out, &size);
    printf("EVP_DigestFinal_ex size=%u\n", size);
    EVP_MD_CTX_free(context);
}

/* One direction; what was made. */
static int cipher(int encrypt, const unsigned char *from, int length, unsigned char *to)
{
    static const unsigned char key[16] = "0123456789abcdef";
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int made = -1, last = -1;

    EVP_CipherInit_ex(context, EVP_aes_128_cbc(), NULL, key, key, encrypt);
    printf("EVP_CipherInit_ex enc=%d\n", encrypt);
    EVP_CipherUpdate(context, to, &made, from, length);
    printf("EVP_CipherUpdate block=16 inl=%d outl=%d\n", length, made);
    EVP_CipherFinal_ex(context, to + made, &last);
    printf("EVP_CipherFinal_ex outl=%d\n", last);
    EVP_CIPHER_CTX_free(context);
    return made + last;
}

int main(void)
{
    data_fill(in, SIZE);
    for (int length = 1; length < SIZE; length *= 5) {
        int made = cipher(1, in, length, out);

        if (cipher(0, out, made, back) != length || memcmp(in, back, (size_t)length) != 0)
            return 1;
        digest(length, 3);
        made = EVP_EncodeBlock(out, in, length);
        printf("EVP_EncodeBlock n=%d made=%d\n", length, made);
        printf("PKCS5_PBKDF2_HMAC passlen=8 saltlen=4 iter=%d keylen=16 result=%d\n",
               length,
               PKCS5_PBKDF2_HMAC("password", 8, in, 4, length, EVP_sha256(), 16, out));
    }
    puts("inner EVP_DigestUpdate EVP_DigestFinal_ex");
    return 0;
}
