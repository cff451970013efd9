#include "tests/conformance/model.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "tests/conformance/tensorproto.h"
#include "tests/conformance/text.h"

/* ---- the model ------------------------------------------------------------------------------------------------- */

/* ONNX's own domain has two spellings. */
static bool onnx_domain(const char *domain)
{
    return domain == NULL || domain[0] == '\0' || strcmp(domain, "ai.onnx") == 0;
}

static const struct op *op_of_node(const Conform__NodeProto *node)
{
    for (size_t i = 0; i < op_count() && node->op_type != NULL && onnx_domain(node->domain); i++)
        if (strcmp(op_at(i)->onnx, node->op_type) == 0)
            return op_at(i);
    return NULL;
}

/* The operator set that the model imports; a file without any is as old as version 1. */
static int64_t operator_set(const Conform__ModelProto *proto)
{
    for (size_t i = 0; i < proto->n_opset_import; i++)
        if (onnx_domain(proto->opset_import[i]->domain))
            return proto->opset_import[i]->version;
    return 1;
}

static const char *attribute_axes(struct arena *arena, const Conform__NodeProto *node)
{
    for (size_t i = 0; i < node->n_attribute; i++) {
        const Conform__AttributeProto *attribute = node->attribute[i];
        if (attribute->name == NULL || strcmp(attribute->name, "axes") != 0)
            continue;
        struct text text;
        text_open(&text);
        for (size_t k = 0; k < attribute->n_ints; k++)
            fprintf(text.out, "%s%" PRId64, k > 0 ? "," : "", attribute->ints[k]);
        return (const char *)text_close(&text, arena).ptr;
    }
    return NULL;
}

static enum model_kind classify(const Conform__ModelProto *proto, struct model *ret, struct reason *why)
{
    enum model_kind kind = MODEL_OTHER;
    ret->graph = proto->graph;
    if (proto->graph == NULL) {
        because(why, "a model without a graph");
        return MODEL_BROKEN;
    }
    const Conform__NodeProto *node = proto->graph->n_node == 1 ? proto->graph->node[0] : NULL;
    const struct op *op = node != NULL ? op_of_node(node) : NULL;
    int64_t version = operator_set(proto);
    if (node == NULL)
        because(why, "%zu nodes", proto->graph->n_node);
    else if (op == NULL)
        because(why, "the node is %s", node->op_type != NULL ? node->op_type : "unnamed");
    else if (op_in_force(op->name, version) == NULL)
        because(why, "operator set %" PRId64 " has no %s", version, op->onnx);
    else
        kind = MODEL_RUNS;
    if (kind == MODEL_RUNS) {
        ret->op = op_in_force(op->name, version);
        ret->axes = attribute_axes(&ret->arena, node);
    }
    return kind;
}

static void free_proto(void *proto)
{
    conform__model_proto__free_unpacked(proto, NULL);
}

enum model_kind model_read(const char *path, struct model *ret, struct reason *why)
{
    struct bytes file;
    *ret = (struct model){0};
    arena_init(&ret->arena, &memory_or_exit, NULL, 0);
    if (!text_of_file(path, &ret->arena, &file)) {
        because(why, "%m");
        return MODEL_BROKEN;
    }
    Conform__ModelProto *proto = conform__model_proto__unpack(NULL, file.len, file.ptr);
    if (proto == NULL || !arena_defer(&ret->arena, free_proto, proto)) {
        because(why, "not a ModelProto");
        return MODEL_BROKEN;
    }
    return classify(proto, ret, why);
}

void model_free(struct model *model)
{
    arena_release(&model->arena);
}

/* ---- its cases ------------------------------------------------------------------------------------------------- */

static const Conform__TensorProto *initializer(const Conform__GraphProto *graph, const char *name)
{
    for (size_t i = 0; i < graph->n_initializer; i++)
        if (graph->initializer[i]->name != NULL && strcmp(graph->initializer[i]->name, name) == 0)
            return graph->initializer[i];
    return NULL;
}

/* Reads PREFIX_K.pb. Sets *missing if there is no such file. */
static bool read_file(struct arena *arena, const char *data_set, const char *prefix, size_t k,
                      const Conform__TensorProto **ret, bool *missing, struct reason *why)
{
    struct bytes file;
    *missing = false;
    const char *path = arena_printf(arena, "%s/%s_%zu.pb", data_set, prefix, k);
    if (!text_of_file(path, arena, &file)) {
        *missing = errno == ENOENT;
        return because(why, "%s_%zu.pb: %m", prefix, k);
    }
    return tensorproto_unpack(arena, file, ret, why);
}

/* What the node's input `name` is. */
static bool find_tensor(const struct model *model, const char *data_set, const char *name, struct arena *arena,
                        const Conform__TensorProto **ret, struct reason *why)
{
    const Conform__GraphProto *graph = model->graph;
    bool missing = true;
    because(why, "nothing gives %s", name);
    for (size_t k = 0; k < graph->n_input && missing; k++)
        if (graph->input[k]->name != NULL && strcmp(graph->input[k]->name, name) == 0) {
            if (read_file(arena, data_set, "input", k, ret, &missing, why))
                return true;
            break;
        }
    *ret = missing ? initializer(graph, name) : NULL;
    return *ret != NULL;
}

static bool read_input(const struct model *model, const char *data_set, int index, struct arena *arena,
                       struct case_input *ret, struct reason *why)
{
    ret->name = model->op->in[index].name;
    return find_tensor(model, data_set, model->graph->node[0]->input[index], arena, &ret->proto, why) &&
           tensorproto_read(arena, ret->proto, &ret->array, why);
}

bool model_case(const struct model *model, const char *data_set, struct arena *arena, struct test_case *ret,
                struct reason *why)
{
    const Conform__NodeProto *node = model->graph->node[0];
    *ret = (struct test_case){.op = model->op, .axes = model->axes};
    if (node->n_input > (size_t)model->op->inputs)
        return because(why, "the node has %zu inputs, %s %d has %d", node->n_input, model->op->onnx, model->op->since,
                       model->op->inputs);
    ret->inputs = (int)node->n_input;
    for (int i = 0; i < ret->inputs; i++)
        if (!read_input(model, data_set, i, arena, &ret->in[i], why))
            return false;
    const Conform__TensorProto *want = NULL;
    bool missing = false;
    return read_file(arena, data_set, "output", 0, &want, &missing, why) &&
           tensorproto_read(arena, want, &ret->want, why);
}
