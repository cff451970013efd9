#include "tests/conformance/codec.h"

#include <stddef.h>
#include <string.h>

static const struct codec *const codecs[CODEC_COUNT] = {
    &codec_json,
    &codec_binary,
    &codec_protobuf,
    &codec_multipart,
};

const struct codec *codec_at(int index)
{
    return codecs[index];
}

const struct codec *codec_find(const char *name)
{
    for (int i = 0; i < CODEC_COUNT; i++)
        if (strcmp(codecs[i]->name, name) == 0)
            return codecs[i];
    return NULL;
}
