#include "tests/conformance/plan.h"

#include <stdlib.h>
#include <string.h>

#include "tests/conformance/text.h"
#include "tests/conformance/walk.h"

static void free_model(void *model)
{
    model_free(model);
}

void plan_init(struct plan *plan)
{
    *plan = (struct plan){0};
    arena_init(&plan->arena, &memory_or_exit, NULL, 0);
}

void plan_free(struct plan *plan)
{
    arena_release(&plan->arena);
}

/* The list doubles whenever its length is a power of two; what it outgrows stays in the arena. */
static struct item *add_item(struct plan *plan, const char *name)
{
    if ((plan->items & (plan->items - 1)) == 0) {
        size_t room = plan->items > 0 ? 2 * plan->items : 1;
        struct item *longer = arena_alloc(&plan->arena, room, sizeof(longer[0]));
        if (plan->items > 0)
            memcpy(longer, plan->item, plan->items * sizeof(longer[0]));
        plan->item = longer;
    }
    struct item *item = &plan->item[plan->items++];
    *item = (struct item){.name = name};
    return item;
}

static void add_decided(struct plan *plan, const char *name, enum outcome outcome, const struct reason *why)
{
    struct item *item = add_item(plan, name);
    item->outcome = outcome;
    item->why = *why;
}

static int codecs_used(const struct plan *plan)
{
    int count = 0;
    for (int i = 0; i < CODEC_COUNT; i++)
        count += plan->codec[i];
    return count;
}

static void add_data_set(struct plan *plan, const struct model *model, const char *data_set)
{
    bool several = codecs_used(plan) > 1;
    for (int i = 0; i < CODEC_COUNT; i++) {
        if (!plan->codec[i])
            continue;
        const struct codec *codec = codec_at(i);
        struct item *item =
            add_item(plan, several ? arena_printf(&plan->arena, "%s (%s)", data_set, codec->name) : data_set);
        item->model = model;
        item->data_set = data_set;
        item->codec = codec;
    }
}

static void add_model(void *ctx, const struct found_model *found)
{
    struct plan *plan = ctx;
    struct model model, *kept = NULL;
    struct reason why = {"there is no folder test_data_set_* beside it"};
    enum model_kind kind = model_read(found->path, &model, &why);
    if (kind != MODEL_RUNS || found->data_sets == 0) {
        add_decided(plan, found->path, kind == MODEL_BROKEN ? FAILED : SKIPPED, &why);
        model_free(&model);
        return;
    }
    kept = arena_alloc(&plan->arena, 1, sizeof(*kept));
    *kept = model;
    if (!arena_defer(&plan->arena, free_model, kept))
        exit(EXIT_FAILURE);
    for (size_t i = 0; i < found->data_sets; i++)
        add_data_set(plan, kept, found->data_set[i]);
}

bool plan_add(struct plan *plan, const char *folder, struct reason *why)
{
    const char *where = folder;
    return walk(folder, &plan->arena, add_model, plan, &where) || because(why, "%s: %m", where);
}
