// A client as people write them: types generated from the contract of the server (contract.d.ts), calls by openapi-fetch.
// Prints one JSON document: what each call gave.
import createClient from "openapi-fetch";
import type { components, paths } from "./contract.js";

const client = createClient<paths>({ baseUrl: process.argv[2] ?? "http://127.0.0.1:8000" });
const given: Record<string, unknown> = {};

// ---- documents ------------------------------------------------------------------------------------------------------

async function documents() {
  const live = await client.GET("/v2/health/live");
  given.live = live.data?.live;

  const models = await client.GET("/v2/models");
  given.models = models.data?.models;

  const metadata = await client.GET("/v2/models/{model}", { params: { path: { model: "unsqueeze" } } });
  given.versions = metadata.data?.versions;
}

// ---- inference ------------------------------------------------------------------------------------------------------

type Problem = components["schemas"]["Problem"];

// What the web server itself refuses, a head that is too large, is a page of text; all else is a document.
function problem(error: Problem | string): Problem {
  return typeof error === "string" ? { error, code: "head_too_large", pointer: "" } : error;
}

function expansion(data: number[], target: number[]): components["schemas"]["ExpandCall"] {
  return {
    inputs: [
      { name: "input", datatype: "FP32", shape: [data.length, 1], data },
      { name: "shape", datatype: "INT64", shape: [target.length], data: target },
    ],
  };
}

async function expand() {
  const { data, error } = await client.POST("/v2/models/expand/infer", { body: expansion([1, 2.5, -3], [3, 2]) });
  if (error) throw new Error(problem(error).error);
  given.expanded = data;
}

async function unsqueeze() {
  const { data, error } = await client.POST("/v2/models/unsqueeze/versions/{version}/infer", {
    params: { path: { version: "11" } },
    body: {
      parameters: { axes: "0,2" },
      inputs: [{ name: "data", datatype: "BYTES", shape: [2], data: ["na\u00efve", "\u2200x"] }],
    },
  });
  if (error) throw new Error(problem(error).error);
  given.unsqueezed = data;
}

// A number of JavaScript has 53 bits, so that 64-bit integers are exact only as bytes.
async function integers() {
  const call = {
    params: { query: { datatype: "INT64" as const, dims: [2], axes: [0] } },
    querySerializer: { array: { style: "form" as const, explode: false } },
    body: BigInt64Array.of(-1n, 9007199254740993n) as never,
    bodySerializer: (body: unknown) => body as BigInt64Array,
  };
  const type = "application/octet-stream";

  const { data, response } = await client.POST("/v2/models/unsqueeze/infer", {
    ...call,
    headers: { "Content-Type": type },
    parseAs: "arrayBuffer",
  });
  given.raw = { shape: response.headers.get("Tensor-Shape"), values: [...new BigInt64Array(data as ArrayBuffer)].map(String) };

  const json = await client.POST("/v2/models/unsqueeze/infer", {
    ...call,
    headers: { "Content-Type": type, Accept: "application/json" },
  });
  given.rounded = json.data;
}

// ---- errors ---------------------------------------------------------------------------------------------------------

async function refused() {
  const { data, error, response } = await client.POST("/v2/models/expand/infer", { body: expansion([1, 2], [3, 4]) });
  if (!error) throw new Error("not refused");
  const { code, pointer } = problem(error);
  given.refused = { data: data ?? null, status: response.status, code, pointer };
}

await documents();
await expand();
await unsqueeze();
await integers();
await refused();
console.log(JSON.stringify(given));
