/* Talking to the server that the page came from. */

export class Unreachable extends Error {}

/* One request. Resolves to {status, type, length, text, ms, json()}; rejects with Unreachable. */
export async function call(path, options = {}) {
    const started = performance.now();
    try {
        const answer = await fetch(path, { cache: "no-store", ...options });
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

/* What there is: {model: {version: [type]}}. */
export async function catalogue() {
    const { models } = (await call("/v2/models")).json();
    const all = {};
    for (const model of models) {
        const { versions } = (await call(`/v2/models/${model}`)).json();
        const rows = await Promise.all(
            versions.map((version) => call(`/v2/models/${model}/versions/${version}`)),
        );
        all[model] = Object.fromEntries(
            rows.map((row, i) => [versions[i], row.json().properties.types.split(",")]),
        );
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
    if (answer.status !== 200) throw new Error(answer.json().error);
    return answer.bytes.slice(Number(answer.headers.get("Inference-Header-Content-Length") ?? 0));
}
