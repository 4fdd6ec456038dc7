/* SPDX-License-Identifier: BSD-3-Clause */
/* expat.c: calls of expat, each told on standard output as the records should have it.
 * Its callbacks call it again. */
#include <expat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static XML_Parser parser;

static void begin(void *data, const XML_Char *name, const XML_Char **attributes)
{
    XML_Size line = XML_GetCurrentLineNumber(parser);
    int count = XML_GetSpecifiedAttributeCount(parser);

    (void)data;
    (void)name;
    (void)attributes;
    printf("XML_GetCurrentLineNumber in=XML_Parse line=%lu\n", (unsigned long)line);
    printf("XML_GetSpecifiedAttributeCount in=XML_Parse count=%d\n", count);
}

static void parse(const char *text, size_t piece)
{
    size_t length = strlen(text);

    parser = XML_ParserCreate(NULL);
    puts("XML_ParserCreate");
    XML_SetElementHandler(parser, begin, NULL);
    for (size_t at = 0; at < length; at += piece) {
        int now = (int)(length - at < piece ? length - at : piece),
            last = at + piece >= length;
        enum XML_Status status = XML_Parse(parser, text + at, now, last);

        printf("XML_Parse len=%d isFinal=%d status=%d\n", now, last, (int)status);
        if (status == XML_STATUS_ERROR) {
            printf("XML_GetErrorCode code=%d\n", (int)XML_GetErrorCode(parser));
            break;
        }
    }
    XML_ParserFree(parser);
    puts("XML_ParserFree");
}

int main(void)
{
    static const char good[] = "<a x='1'>\n<b/><c y='2' z='3'>text</c>\n\n<d/></a>";

    for (size_t piece = 1; piece < sizeof good + 5; piece += 6)
        parse(good, piece);
    parse("<a><b></a>", 5);
    return 0;
}
