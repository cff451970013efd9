#include "api/model.h"

#include <stdio.h>

#include "api/catalog.h"
#include "api/document.h"

#define PLATFORM "shaped_onnx"
#define DOMAIN   "ai.onnx"

void model_list(struct arena *arena, const struct api_env *env, const struct route_match *match,
                const struct api_request *request, struct reply *ret)
{
    (void)env, (void)match, (void)request;
    struct document document = {0};
    cJSON *root = document_object(&document, NULL, NULL);
    cJSON *models = document_array(&document, root, "models");
    for (size_t i = 0; i < op_count(); i++)
        if (catalog_newest(op_at(i)))
            document_text(&document, models, NULL, op_at(i)->name);
    document_reply(&document, arena, ret);
}

void model_ready(struct arena *arena, const struct api_env *env, const struct route_match *match,
                 const struct api_request *request, struct reply *ret)
{
    (void)request;
    bool ready = !env->draining(env->ctx);
    struct document document = {0};
    cJSON *root = document_object(&document, NULL, NULL);
    document_text(&document, root, "name", match->op->name);
    document_bool(&document, root, "ready", ready);
    document_reply(&document, arena, ret);
    if (!ready && ret->problem == PROBLEM_NONE) {
        ret->status = 503;
        ret->problem = PROBLEM_DRAINING;
    }
}

/* The type that stands for a set. */
static const char *shown_type(dtype_set types)
{
    enum dtype type = DTYPE_FP32;
    for (int i = 1; i < DTYPE_END && !dtype_in(type, types); i++)
        type = (enum dtype)i;
    return dtype_info(type)->name;
}

static void add_version(struct document *document, cJSON *parent, const char *name, const struct op *op)
{
    char text[16];
    snprintf(text, sizeof(text), "%d", op->since);
    document_text(document, parent, name, text);
}

static void add_any_shape(struct document *document, cJSON *tensor, const char *name)
{
    cJSON *shape = document_array(document, tensor, name);
    document_integer(document, shape, NULL, -1);
}

static void add_tensor(struct document *document, cJSON *list, const char *name, dtype_set types)
{
    cJSON *tensor = document_object(document, list, NULL);
    document_text(document, tensor, "name", name);
    document_text(document, tensor, "datatype", shown_type(types));
    add_any_shape(document, tensor, "shape");
}

static void add_versions(struct document *document, cJSON *root, const struct op *op)
{
    cJSON *versions = document_array(document, root, "versions");
    for (size_t i = 0; i < op_count(); i++)
        if (strcmp(op_at(i)->name, op->name) == 0)
            add_version(document, versions, NULL, op_at(i));
}

/* "FP32,UINT8", in the order of ONNX's numbers. */
static void add_types(struct document *document, cJSON *parent, const char *name, dtype_set types)
{
    char text[512] = "";
    size_t len = 0;
    for (int i = 1; i < DTYPE_END && len < sizeof(text); i++)
        if (dtype_in((enum dtype)i, types))
            len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s", len > 0 ? "," : "",
                                    dtype_info((enum dtype)i)->name);
    document_text(document, parent, name, text);
}

static void add_properties(struct document *document, cJSON *root, const struct op *op)
{
    const struct op *previous = op_in_force(op->name, op->since - 1);
    cJSON *properties = document_object(document, root, "properties");
    document_text(document, properties, "domain", DOMAIN);
    document_text(document, properties, "operator", op->onnx);
    add_version(document, properties, "since_version", op);
    add_types(document, properties, "types", op->in[0].types);
    add_types(document, properties, "types_added",
              previous != NULL ? op->in[0].types & ~previous->in[0].types : 0);
}

void model_metadata(struct arena *arena, const struct api_env *env, const struct route_match *match,
                    const struct api_request *request, struct reply *ret)
{
    (void)env, (void)request;
    const struct op *op = match->op;
    struct document document = {0};
    cJSON *root = document_object(&document, NULL, NULL);
    document_text(&document, root, "name", op->name);
    add_versions(&document, root, op);
    document_text(&document, root, "platform", PLATFORM);
    cJSON *inputs = document_array(&document, root, "inputs");
    for (int i = 0; i < op->inputs; i++)
        add_tensor(&document, inputs, op->in[i].name, op->in[i].types);
    cJSON *outputs = document_array(&document, root, "outputs");
    add_tensor(&document, outputs, op->output, op->in[0].types);
    add_properties(&document, root, op);
    document_reply(&document, arena, ret);
}

/* Triton's ModelInput and ModelOutput; clients want the member names of its model_config.proto. */
static cJSON *add_config_tensor(struct document *document, cJSON *list, const char *name, dtype_set types)
{
    char type[32];
    bool bytes = strcmp(shown_type(types), "BYTES") == 0;
    snprintf(type, sizeof(type), "TYPE_%s", bytes ? "STRING" : shown_type(types));
    cJSON *tensor = document_object(document, list, NULL);
    document_text(document, tensor, "name", name);
    document_text(document, tensor, "data_type", type);
    add_any_shape(document, tensor, "dims");
    document_bool(document, tensor, "is_shape_tensor", false);
    return tensor;
}

void model_config(struct arena *arena, const struct api_env *env, const struct route_match *match,
                  const struct api_request *request, struct reply *ret)
{
    (void)env, (void)request;
    const struct op *op = match->op;
    struct document document = {0};
    cJSON *root = document_object(&document, NULL, NULL);
    document_text(&document, root, "name", op->name);
    document_text(&document, root, "platform", PLATFORM);
    document_text(&document, root, "backend", PACKAGE_NAME);
    document_integer(&document, root, "max_batch_size", 0);
    cJSON *inputs = document_array(&document, root, "input");
    for (int i = 0; i < op->inputs; i++) {
        cJSON *input = add_config_tensor(&document, inputs, op->in[i].name, op->in[i].types);
        document_bool(&document, input, "optional", op->in[i].attribute);
    }
    cJSON *outputs = document_array(&document, root, "output");
    add_config_tensor(&document, outputs, op->output, op->in[0].types);
    document_reply(&document, arena, ret);
}
