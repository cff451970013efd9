#include "tests/conformance/text.h"

#include <errno.h>
#include <stdlib.h>

static void out_of_memory(void)
{
    fputs("shaped-conform: out of memory\n", stderr);
    exit(EXIT_FAILURE);
}

static void *alloc_or_exit(void *ctx, size_t size)
{
    (void)ctx;
    void *block = malloc(size);
    if (block == NULL)
        out_of_memory();
    return block;
}

static void free_block(void *ctx, void *block, size_t size)
{
    (void)ctx;
    (void)size;
    free(block);
}

const struct memory memory_or_exit = {.alloc = alloc_or_exit, .free = free_block};

void text_open(struct text *text)
{
    *text = (struct text){0};
    text->out = open_memstream(&text->ptr, &text->len);
    if (text->out == NULL)
        out_of_memory();
}

struct bytes text_close(struct text *text, struct arena *arena)
{
    if (fclose(text->out) != 0 || !arena_defer(arena, free, text->ptr))
        out_of_memory();
    return (struct bytes){.ptr = (const uint8_t *)text->ptr, .len = text->len};
}

void text_discard(struct text *text)
{
    fclose(text->out);
    free(text->ptr);
}

static bool copy_stream(FILE *from, FILE *to)
{
    char block[16384];
    size_t n = 0;
    while ((n = fread(block, 1, sizeof(block), from)) > 0)
        if (fwrite(block, 1, n, to) != n)
            out_of_memory();
    return !ferror(from);
}

bool text_of_file(const char *path, struct arena *arena, struct bytes *ret)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return false;
    struct text text;
    text_open(&text);
    bool fine = copy_stream(file, text.out);
    int error = errno;
    fclose(file);
    *ret = text_close(&text, arena);
    errno = error;
    return fine;
}
