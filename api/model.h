/* What is known of a model, an operator under its lower-case name: the Open Inference Protocol's metadata and
 * Triton's model configuration, printed from the operator's descriptor.
 *
 * The protocol has neither a wildcard for types nor one for ranks. Where ONNX has the type variable T, FP32
 * stands for it, and every shape is [-1]; `properties` say which types are permitted in truth.
 */
#ifndef API_MODEL_H
#define API_MODEL_H

#include "api/dispatch.h"

route_handler model_list;     /* GET /v2/models */
route_handler model_metadata; /* GET /v2/models/{model} */
route_handler model_ready;    /* GET /v2/models/{model}/ready; 503 while draining */
route_handler model_config;   /* GET /v2/models/{model}/config */

#endif
