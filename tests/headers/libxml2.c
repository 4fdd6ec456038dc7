/* SPDX-License-Identifier: BSD-3-Clause */
/* libxml2.c: calls of libxml2, each told on standard output as the records should have
 * it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libxml2.h"

int main(void)
{
    for (int n = 0; n < 60; n += 7) {
        xmlDocPtr made = xmlNewDoc(BAD_CAST "1.0"), read;
        xmlNodePtr root = xmlNewNode(NULL, BAD_CAST "root");
        xmlChar *text;
        unsigned long children;
        int size, format = n % 2, options = n % 3 ? XML_PARSE_NOBLANKS : 0;

        puts("xmlNewDoc\nxmlNewNode");
        xmlDocSetRootElement(made, root);
        for (int i = 0; i < n; i++) {
            xmlNewChild(root, NULL, BAD_CAST "child", BAD_CAST "text");
            puts("xmlNewChild");
        }
        xmlDocDumpFormatMemory(made, &text, &size, format);
        printf("xmlDocDumpFormatMemory format=%d size=%d\n", format, size);
        read = xmlReadMemory((const char *)text, n == 49 ? size - 9 : size, "memory.xml",
                             NULL, options | XML_PARSE_NOERROR);
        printf("xmlReadMemory size=%d options=%d\n", n == 49 ? size - 9 : size,
               options | XML_PARSE_NOERROR);
        if (!read != (n == 49))
            return 1;
        if (read) {
            children = xmlChildElementCount(xmlDocGetRootElement(read));
            printf("xmlChildElementCount count=%lu\n", children);
            if (children != (unsigned long)n)
                return 1;
            xmlFreeDoc(read);
            puts("xmlFreeDoc");
        }
        xmlFree(text);
        xmlFreeDoc(made);
        puts("xmlFreeDoc");
    }
    puts("inner xmlNewDoc xmlNewNode xmlNewChild xmlFreeDoc xmlDocDumpFormatMemory");
    xmlCleanupParser();
    return 0;
}
