/* Raw bytes: the values alone, as the binary tensor extension has them. Type and shape are told beside them. */
#include "api/codec.h"

#include <inttypes.h>

#include "api/file.h"

bool codec_raw_decode(struct arena *arena, const struct codec_limits *limits, const struct tensor_file *file,
                      struct call_input *ret, struct problem *err)
{
    (void)limits;
    char shape[96];
    int64_t bytes = 0;
    if (file->dtype == DTYPE_NONE || file->dims == NULL)
        return file_refuse(ret, err, PROBLEM_INVALID_REQUEST, "raw bytes do not tell type and shape: add them to the "
                           "query, e.g. ?datatype=FP32&dims=3,1, or send a .npy or .pb file");
    if (!shape_bytes(file->dims, file->dtype, &bytes))
        return file_refuse(ret, err, PROBLEM_INVALID_SHAPE, "the size that ?dims= makes is not representable");
    tensor_init(&ret->tensor, file->dtype, file->dims, NULL);
    if (file->dry_run && file->content.len == 0)
        return true;
    if (codec_binary_decode(arena, file->content, ret, err))
        return true;
    if (err->code == PROBLEM_OUT_OF_MEMORY)
        return false;
    shape_text(file->dims, shape, sizeof(shape));
    if (file->dtype == DTYPE_BYTES)
        return file_refuse(ret, err, PROBLEM_INVALID_DATA, "BYTES of shape %s take a uint32 length and that many bytes "
                           "for each element, which the %zu bytes of the file are not", shape, file->content.len);
    return file_refuse(ret, err, PROBLEM_INVALID_DATA, "%s of shape %s takes %" PRId64 " bytes, but the file has %zu",
                       dtype_info(file->dtype)->name, shape, bytes, file->content.len);
}
