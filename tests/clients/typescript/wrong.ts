// Calls that the types must refuse: tsc complains about each expected error that is none.
import createClient from "openapi-fetch";
import type { components, paths } from "./contract.js";

const client = createClient<paths>({ baseUrl: "http://127.0.0.1:8000" });
type ExpandCall = components["schemas"]["ExpandCall"];
const shape = { name: "shape", datatype: "INT64", shape: [1], data: [2] } as const;

// @ts-expect-error: there is no such path
client.GET("/v2/modles");

// @ts-expect-error: the path has no GET
client.GET("/v2/models/expand/infer");

// @ts-expect-error: the version is missing
client.POST("/v2/models/expand/versions/{version}/infer", { params: { path: {} }, body: { inputs: [shape] } });

// @ts-expect-error: the input is missing
export const incomplete: ExpandCall = { inputs: [shape] };

// @ts-expect-error: Expand has no such type
export const mistyped: ExpandCall = { inputs: [{ name: "input", datatype: "INT4", shape: [1], data: [1] }, shape] };

// @ts-expect-error: 14 is no version of Unsqueeze
client.POST("/v2/models/unsqueeze/versions/{version}/infer", { params: { path: { version: "14" } }, body: { inputs: [] } });
