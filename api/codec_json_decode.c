/* The request document of the Open Inference Protocol, in one walk:
 * {"id", "parameters", "inputs": [...], "outputs": [{"name", "parameters"}]}. */
#include "api/codec.h"

#include <stdio.h>
#include <string.h>

#include "api/codec_json_decoder.h"

/* ---- attributes as parameters ------------------------------------------------------------------------------------ */

/* "0,2" -> 0, 2; "" -> nothing. Each number as JSON writes it, with blanks around it if you like. */
static bool parse_list(struct decoder *d, struct bytes text, int64_t *ret, int64_t *count)
{
    struct problem ignored;
    struct json list;
    struct decimal number;
    json_init(&list, text, 0, d->arena, &ignored);
    *count = 0;
    if (json_end(&list))
        return true;
    while (*count < SHAPE_MAX_RANK && json_number(&list, &number) &&
           number_type_of(DTYPE_INT64)->read(&number, &ret[*count]) == NUMBER_OK) {
        ++*count;
        json_space(&list);
        if (list.next == list.end)
            return true;
        if (*list.next++ != ',')
            return false;
    }
    return false;
}

/* The text of a string or of a number. */
static bool read_list_text(struct decoder *d, struct bytes *ret)
{
    struct decimal number;
    enum json_kind kind = json_peek(&d->json);
    if (kind == JSON_STRING)
        return json_string(&d->json, ret);
    if (kind != JSON_NUMBER)
        return decoder_refuse_kind(d, "a string such as \"0,2\", or a whole number");
    if (!json_number(&d->json, &number))
        return false;
    *ret = (struct bytes){.ptr = (const uint8_t *)number.text, .len = number.len};
    return true;
}

static bool check_attribute(struct decoder *d, const struct op *op, int index)
{
    const char *name = op->in[index].name;
    if (!op->in[index].attribute)
        return decoder_refuse(d, PROBLEM_INVALID_REQUEST,
                              "in version %d of %s, %s is an input: give it in inputs, as INT64", op->since,
                              op->name, name);
    if (d->call->in[index].given)
        return decoder_refuse(d, PROBLEM_INVALID_REQUEST, "%s is given twice, also in %s", name,
                              d->call->in[index].pointer);
    return true;
}

/* An attribute of ONNX becomes the input of the same name. */
static bool read_attribute(struct decoder *d, int index)
{
    struct call_input *input = &d->call->in[index];
    struct shape shape = {.rank = 1};
    struct bytes text;
    if (!check_attribute(d, d->call->op, index) || !read_list_text(d, &text))
        return false;
    int64_t *values = arena_alloc(d->arena, SHAPE_MAX_RANK, sizeof(*values));
    if (values == NULL)
        return problem_memory(d->err);
    if (!parse_list(d, text, values, &shape.dim[0]))
        return decoder_refuse(d, PROBLEM_INVALID_AXES,
                              "%s must be at most %d whole numbers with commas between them, such as \"0,2\"",
                              d->call->op->in[index].name, SHAPE_MAX_RANK);
    tensor_init(&input->tensor, DTYPE_INT64, &shape, values);
    decoder_pointer(d, d->depth, input->pointer);
    input->given = true;
    return true;
}

/* ---- members of the document ------------------------------------------------------------------------------------- */

static bool read_binary_data_output(struct decoder *d)
{
    return decoder_choice(d, &d->binary_all);
}

static bool read_dry_run(struct decoder *d)
{
    return decoder_choice(d, &d->dry_run);
}

/* A parameter with the name of a whole-number input is that input. */
static bool read_parameter(struct json *json, struct bytes name, void *ctx)
{
    static const struct decoder_member members[] = {
        DECODER_MEMBER("binary_data_output", read_binary_data_output),
        DECODER_MEMBER("dry_run", read_dry_run),
        DECODER_NOT_OFFERED,
    };
    struct decoder *d = ctx;
    int index = decoder_find_input(d, name);
    if (index < 0 || d->call->op->in[index].types != DTYPE_BIT(INT64))
        return decoder_member(json, name, DECODER_MEMBERS(d, members));
    decoder_enter(d, bytes_of(d->call->op->in[index].name));
    if (!read_attribute(d, index))
        return false;
    decoder_leave(d);
    return true;
}

static bool read_parameters(struct decoder *d)
{
    if (decoder_null(d))
        return true;
    if (json_peek(&d->json) != JSON_OBJECT)
        return decoder_refuse_kind(d, "an object");
    return json_object(&d->json, read_parameter, d);
}

/* null and "" count as absent. */
static bool read_id(struct decoder *d)
{
    struct bytes token;
    if (decoder_null(d))
        return true;
    if (json_peek(&d->json) != JSON_STRING)
        return decoder_refuse_kind(d, "a string");
    if (!json_string_token(&d->json, &token))
        return false;
    if (token.len > 2)
        d->call->id = token;
    return true;
}

static bool read_inputs(struct decoder *d)
{
    d->has_inputs = true;
    return decoder_array(d, codec_json_input, "an array of inputs");
}

/* ---- outputs ----------------------------------------------------------------------------------------------------- */

static bool read_output_name(struct decoder *d)
{
    struct bytes name;
    const struct op *op = d->call->op;
    if (!decoder_text(d, &name))
        return false;
    if (!bytes_equal(name, op->output))
        return decoder_refuse(d, PROBLEM_UNKNOWN_NAME, "%s has no output \"%.*s\": its output is \"%s\"", op->name,
                              problem_quote(name), (const char *)name.ptr, op->output);
    if (d->has_output)
        return decoder_refuse(d, PROBLEM_INVALID_REQUEST, "the output \"%s\" is asked for twice", op->output);
    d->has_output = true;
    return true;
}

static bool read_binary_data(struct decoder *d)
{
    return decoder_choice(d, &d->binary_one);
}

static bool read_output_parameters(struct decoder *d)
{
    static const struct decoder_member members[] = {DECODER_MEMBER("binary_data", read_binary_data), DECODER_NOT_OFFERED};
    return decoder_null(d) || decoder_object(d, DECODER_MEMBERS(d, members));
}

/* There is one output, so the second element is refused for its name, or for having none. */
static bool read_output(struct json *json, size_t index, void *ctx)
{
    static const struct decoder_member members[] = {
        DECODER_MEMBER("name", read_output_name), DECODER_MEMBER("parameters", read_output_parameters)};
    struct decoder *d = ctx;
    (void)json;
    decoder_enter_element(d, index);
    if (!decoder_object(d, DECODER_MEMBERS(d, members)))
        return false;
    if (!d->has_output || index > 0)
        return decoder_refuse(d, PROBLEM_INVALID_REQUEST, "an output needs a name");
    decoder_leave(d);
    return true;
}

static bool read_outputs(struct decoder *d)
{
    return decoder_null(d) || decoder_array(d, read_output, "an array of outputs");
}

/* ---- the document ------------------------------------------------------------------------------------------------ */

static bool check_whole(struct decoder *d)
{
    if (!json_end(&d->json))
        return false;
    if (!d->has_inputs)
        return problem_set(d->err, PROBLEM_INVALID_REQUEST, "", "the request needs inputs, an array");
    if (d->tail.len > 0)
        return problem_set(d->err, PROBLEM_INVALID_DATA, "/inputs", "%zu bytes are left over after the binary inputs: "
                           "the values of binary_data_size must add up to what follows the JSON document",
                           d->tail.len);
    return true;
}

static bool read_document(struct decoder *d)
{
    static const struct decoder_member members[] = {
        DECODER_MEMBER("id", read_id),
        DECODER_MEMBER("parameters", read_parameters),
        DECODER_MEMBER("inputs", read_inputs),
        DECODER_MEMBER("outputs", read_outputs),
    };
    if (decoder_object(d, DECODER_MEMBERS(d, members)) && check_whole(d))
        return true;
    /* The reader of JSON does not know pointers: a member that is there twice is in the object we were in. */
    if (d->err->code == PROBLEM_INVALID_REQUEST && d->err->pointer[0] == '\0')
        decoder_pointer(d, d->depth, d->err->pointer);
    return false;
}

static bool decode(struct arena *arena, const struct codec_limits *limits, struct bytes head, struct bytes tail,
                   struct call *ret, enum choice *dry_run, struct problem *err)
{
    struct tensor tensor; /* not zeroed, as it is large */
    struct decoder d = {.arena = arena, .err = err, .call = ret, .tail = tail, .tensor = &tensor};
    json_init(&d.json, head, limits->json_depth, arena, err);
    bool good = read_document(&d);
    enum choice binary = d.binary_one != CHOICE_NONE ? d.binary_one : d.binary_all;
    ret->form = binary == CHOICE_YES ? FORM_BINARY : FORM_JSON;
    *dry_run = d.dry_run;
    return good;
}

static bool skip_member(struct json *json, struct bytes name, void *ctx)
{
    static const struct decoder_member dry_run[] = {DECODER_MEMBER("dry_run", read_dry_run)};
    struct decoder *d = ctx;
    if (!bytes_equal(name, "parameters") || json_peek(json) != JSON_OBJECT)
        return json_skip(json);
    return json_object(json, decoder_member, DECODER_MEMBERS(d, dry_run));
}

/* Whether a document that was refused is a dry run by its parameters, which may come after what was at fault. *err stays,
 * unless there is no memory to tell. */
static bool asks_for_dry_run(struct arena *arena, const struct codec_limits *limits, struct bytes head,
                             struct problem *err)
{
    struct problem other = {.code = PROBLEM_NONE};
    struct decoder d = {.arena = arena, .err = &other};
    json_init(&d.json, head, limits->json_depth, arena, &other);
    bool asks = json_object(&d.json, skip_member, &d) && d.dry_run == CHOICE_YES;
    if (other.code == PROBLEM_OUT_OF_MEMORY)
        *err = other;
    return asks;
}

bool codec_json_decode(struct arena *arena, const struct codec_limits *limits, struct bytes head, struct bytes tail,
                       struct call *ret, struct problem *err)
{
    const bool shape_only = ret->dry_run;
    enum choice dry_run;
    bool good = decode(arena, limits, head, tail, ret, &dry_run, err);
    if (!good && err->code == PROBLEM_OUT_OF_MEMORY) /* what a dry run would say of the document is not known then */
        return false;
    if (shape_only || (good ? dry_run != CHOICE_YES : !asks_for_dry_run(arena, limits, head, err)))
        return good;
    if (good) { /* nothing in it needed the leave of a dry run */
        ret->dry_run = true;
        return true;
    }
    call_init(ret, ret->op, true);
    return decode(arena, limits, head, tail, ret, &dry_run, err);
}
