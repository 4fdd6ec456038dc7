/* SPDX-License-Identifier: BSD-3-Clause */
/* plugin.c: the process of a plug-in, and requests to it. */
#include "mesh/plugin/plugin.h"

#include <stdlib.h>
#include <string.h>

#include "mesh/child/child.h"
#include "mesh/plugin/parts.h"
#include "mesh/plugin/use.h"

int mesh_plugin_is(const char *word)
{
    const char *at = strchr(word, '/') ? strstr(word, ".so") : NULL;

    return at && (!at[3] || at[3] == ':');
}

int mesh_plugin_refuse(struct mesh_plugin *plugin, const char *what)
{
    return mesh_child_refuse(plugin->child, what, &plugin->fault);
}

int mesh_plugin_send(struct mesh_plugin *plugin, const void *bytes, size_t size)
{
    return mesh_child_send(plugin->child, bytes, size, &plugin->fault);
}

int mesh_plugin_receive(struct mesh_plugin *plugin, void *bytes, size_t size)
{
    return mesh_child_receive(plugin->child, bytes, size, &plugin->fault);
}

int mesh_plugin_answer(struct mesh_plugin *plugin)
{
    struct mesh_plugin_answer answer;
    int rc = mesh_plugin_receive(plugin, &answer, sizeof answer);

    if (rc)
        return rc;
    answer.text[sizeof answer.text - 1] = '\0';
    if (answer.magic != MESH_PLUGIN_MAGIC)
        return mesh_plugin_refuse(plugin, "its process writes an invalid answer");
    if (answer.code >= 0)
        return answer.code > 0;
    return cca_error_set(&plugin->fault, -EBADMSG, "%s: %s", plugin->host.file,
                         answer.text);
}

int mesh_plugin_ask(struct mesh_plugin *plugin, enum mesh_plugin_kind kind, int64_t count,
                    const void *bytes, size_t size)
{
    struct mesh_plugin_question question = {MESH_PLUGIN_MAGIC, (int32_t)kind, count};
    int rc = plugin->fault.code;

    if (!rc)
        rc = mesh_plugin_send(plugin, &question, sizeof question);
    if (!rc && size)
        rc = mesh_plugin_send(plugin, bytes, size);
    return rc;
}

int mesh_plugin_begin(struct mesh_plugin *plugin)
{
    int rc = mesh_plugin_ask(plugin, MESH_ASK_BEGIN, 0, NULL, 0);

    return rc ? rc : mesh_plugin_answer(plugin);
}

/* Split "my.so:argument". Returns 0 or -ENOMEM. */
static int take_word(struct mesh_plugin *plugin, const char *word)
{
    const char *end = strstr(word, ".so") + 3;

    plugin->word = strdup(word);
    plugin->host.file = strndup(word, (size_t)(end - word));
    plugin->host.argument = strdup(*end == ':' ? end + 1 : "");
    return plugin->word && plugin->host.file && plugin->host.argument ? 0 : -ENOMEM;
}

struct mesh_plugin *mesh_plugin_open(const char *word, enum mesh_plugin_use use,
                                     const struct mesh_source *source, int parts,
                                     double seconds, struct cca_error *err)
{
    struct mesh_plugin *plugin = calloc(1, sizeof *plugin);
    struct mesh_child_wish wish = {.name = word,
                                   .serve = mesh_plugin_serve,
                                   .context = plugin ? &plugin->host : NULL,
                                   .seconds = seconds};

    if (!plugin || take_word(plugin, word)) {
        cca_no_memory(err);
        mesh_plugin_close(plugin);
        return NULL;
    }
    plugin->source = source;
    plugin->host.use = use;
    plugin->host.mesh =
        (struct mesh_balance_mesh){.dims = source->dims,
                                   .parts = parts,
                                   .n = {source->n[0], source->n[1], source->n[2]},
                                   .centres = source->centres,
                                   .steps = source->steps};
    plugin->child = mesh_child_start(&wish, err);
    if (plugin->child && mesh_plugin_begin(plugin) == 0)
        return plugin;
    if (plugin->fault.code)
        cca_error_set(err, plugin->fault.code, "%s", plugin->fault.text);
    mesh_plugin_close(plugin);
    return NULL;
}

void mesh_plugin_close(struct mesh_plugin *plugin)
{
    if (!plugin)
        return;
    mesh_child_end(plugin->child);
    free(plugin->word);
    free(plugin->host.file);
    free(plugin->host.argument);
    free(plugin->owners);
    free(plugin->narrow);
    free(plugin->costs);
    free(plugin->filled);
    free(plugin);
}

const struct cca_error *mesh_plugin_fault(const struct mesh_plugin *plugin)
{
    return &plugin->fault;
}
