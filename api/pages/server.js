/* Talking to the server that the page came from. */

export class Unreachable extends Error {}

/* An answer that is an error, where another one is needed to go on; `problem` as of problemOf. */
export class Refused extends Error {
    constructor(answer) {
        super(problemOf(answer).error);
        this.status = answer.status;
        this.problem = problemOf(answer);
    }
}

let token = "";

/* Sends a token with every request from now on; none if it is "". It is kept nowhere else. */
export function useToken(text) {
    token = text;
}

export function hasToken() {
    return token !== "";
}

/* One request. Resolves to {status, headers, bytes, text, ms, json()}; rejects with Unreachable. */
export async function call(path, options = {}) {
    const started = performance.now();
    const authorization = hasToken() ? { Authorization: `Bearer ${token}` } : {};
    try {
        const headers = { ...options.headers, ...authorization };
        const answer = await fetch(path, { cache: "no-store", ...options, headers });
        const bytes = new Uint8Array(await answer.arrayBuffer());
        const text = new TextDecoder().decode(bytes);
        return {
            status: answer.status,
            headers: answer.headers,
            bytes,
            text,
            ms: performance.now() - started,
            json: () => JSON.parse(text),
        };
    } catch (error) {
        if (error.name === "AbortError") throw error;
        throw new Unreachable(`${location.origin} does not answer`);
    }
}

export function post(path, body, { signal, headers = {} } = {}) {
    return call(path, {
        method: "POST",
        body,
        signal,
        headers: { "Content-Type": "application/json", ...headers },
    });
}

/* The error document of an answer; a proxy's answer may have none. */
export function problemOf(answer) {
    try {
        return { code: "", pointer: "", ...answer.json() };
    } catch {
        return {
            code: "",
            pointer: "",
            error: "the answer is no error of this server: is there a proxy before it?",
        };
    }
}

async function get(path) {
    const answer = await call(path);
    if (answer.status !== 200) throw new Refused(answer);
    return answer.json();
}

/* What there is: {model: {version: [type]}}. */
export async function catalogue() {
    const all = {};
    for (const model of (await get("/v2/models")).models) {
        const { versions } = await get(`/v2/models/${model}`);
        const rows = await Promise.all(
            versions.map((version) => get(`/v2/models/${model}/versions/${version}`)),
        );
        all[model] = Object.fromEntries(rows.map((row, i) => [versions[i], row.properties.types.split(",")]));
    }
    return all;
}

/* The bytes of a tensor as they go over the wire ("binary") or as a file ("npy"), made by the server
 * itself: Unsqueeze without axes gives back what it was given. */
export async function bytesOf(tensor, type, form) {
    const npy = form === "npy";
    const parameters = npy ? "" : '"parameters":{"binary_data_output":true},';
    const body =
        `{${parameters}"inputs":[{"name":"data","datatype":"${type}","shape":[${tensor.dims}],"data":${tensor.data}},` +
        '{"name":"axes","datatype":"INT64","shape":[0],"data":[]}]}';
    const answer = await post("/v2/models/unsqueeze/infer", body, {
        headers: npy ? { Accept: "application/x-npy" } : {},
    });
    if (answer.status !== 200) throw new Refused(answer);
    return answer.bytes.slice(Number(answer.headers.get("Inference-Header-Content-Length") ?? 0));
}
