/* The request for what was typed, and the same as command lines that can be pasted into a shell. */

import { readList } from "./tensor.js";

/* What the models call their inputs and output; and until which version `axes` is an attribute. */
const NAMES = {
    expand: { data: "input", list: "shape", output: "output", attributeBelow: 0 },
    unsqueeze: { data: "data", list: "axes", output: "expanded", attributeBelow: 13 },
};

export function namesOf(model) {
    return NAMES[model];
}

/* {path, body, pointers: {data, list}}: what is posted, and where in it the two inputs stand. With
 * binarySize, the tensor is so many bytes behind the JSON, and the output is wanted in the same form. */
export function buildRequest({ model, version, type, list }, tensor, binarySize = null) {
    const names = NAMES[model];
    const items = readList(list);
    const content =
        binarySize === null ? `"data":${tensor.data}` : `"parameters":{"binary_data_size":${binarySize}}`;
    const inputs = [`{"name":"${names.data}","datatype":"${type}","shape":[${tensor.dims}],${content}}`];
    const parameters = binarySize === null ? [] : ['"binary_data_output":true'];
    const asAttribute = Number(version) < names.attributeBelow;
    if (asAttribute) parameters.push(`"${names.list}":${JSON.stringify(items.join(","))}`);
    else
        inputs.push(
            `{"name":"${names.list}","datatype":"INT64","shape":[${items.length}],"data":[${items}]}`,
        );
    const head = parameters.length > 0 ? `"parameters":{${parameters}},` : "";
    return {
        path: pathOf(model, version),
        body: `{${head}"inputs":[\n  ${inputs.join(",\n  ")}]}`,
        pointers: { data: "/inputs/0", list: asAttribute ? "/parameters" : "/inputs/1" },
    };
}

function pathOf(model, version) {
    return `/v2/models/${model}/versions/${version}`;
}

/* ---- command lines ------------------------------------------------------------------------------------- */

const MAX_WORD = 100000; /* bytes; longer ones do not fit into a command line, and come from a here-document */
const MAX_BYTES = 16384;

/* What a command says of the token, which itself stays out of it. */
const AUTHORIZATION = '-H "Authorization: Bearer $TOKEN"';

/* The command line for a result (playground.js), in pieces: {text, mark: whether an error points there}. `form` is
 * "json", "binary" or "npy"; for the latter two, `bytes` is the tensor in that form, or the Error that tells why there
 * is none. With `token`, the command expects one in the variable TOKEN. */
export function commandLine(form, base, token, { asked, tensor, request, piece }, bytes) {
    const curl = token ? `curl ${AUTHORIZATION}` : "curl";
    if (form === "json") return curlJson(curl, base, request, piece);
    if (bytes instanceof Error)
        return [{ text: `# ${NAMES[asked.model].data} has no bytes: ${bytes.message}` }];
    if (bytes.length > MAX_BYTES)
        return [{ text: `# ${bytes.length} bytes are too many for a command line: take a smaller tensor` }];
    const text =
        form === "npy" ? curlFile(curl, base, asked, bytes) : curlBinary(curl, base, asked, tensor, bytes);
    return [{ text }];
}

function curlJson(curl, base, { path, body }, piece) {
    const url = `${base}${path}/infer`;
    const word = new TextEncoder().encode(body).length < MAX_WORD;
    const escape = (text) => (word ? text.replaceAll("'", "'\\''") : text);
    const { start, end } = piece ?? { start: 0, end: 0 };
    return [
        { text: word ? `${curl} ${url} -d '` : `${curl} ${url} --data-binary @- <<'END'\n` },
        { text: escape(body.slice(0, start)) },
        { text: escape(body.slice(start, end)), mark: true },
        { text: escape(body.slice(end)) },
        { text: word ? "'" : "\nEND" },
    ];
}

/* JSON, its length in a header, and the bytes of the tensor behind it. */
function curlBinary(curl, base, choice, tensor, bytes) {
    const request = buildRequest(choice, tensor, bytes.length);
    return [
        `head=${quote(request.body)}`,
        `{ printf %s "$head"; ${printf(bytes)}; } |`,
        `  ${curl} ${base}${request.path}/infer --data-binary @- \\`,
        '  -H "Inference-Header-Content-Length: $(printf %s "$head" | wc -c | tr -d \' \')" \\',
        "  -H 'Content-Type: application/octet-stream' -D - -o answer.bin",
    ].join("\n");
}

/* A tensor file as one part of a form, the list as the other. */
function curlFile(curl, base, { model, version, type, list }, bytes) {
    const names = NAMES[model];
    return [
        `${printf(bytes)} > ${names.data}.npy`,
        `${curl} '${base}${pathOf(model, version)}/infer?datatype=${type}' \\`,
        `  -F ${names.data}=@${names.data}.npy -F ${quote(`${names.list}=[${readList(list)}]`)} \\`,
        `  -o ${names.output}.npy -w '%{http_code}, %{size_download} bytes in ${names.output}.npy\\n'`,
    ].join("\n");
}

function quote(text) {
    return `'${text.replaceAll("'", "'\\''")}'`;
}

/* A command that writes these bytes. */
function printf(bytes) {
    const escapes = { 0x25: "%%", 0x27: "'\\''", 0x5c: "\\\\", 0x0a: "\\n" };
    const text = Array.from(
        bytes,
        (byte) =>
            escapes[byte] ??
            (byte >= 0x20 && byte < 0x7f
                ? String.fromCharCode(byte)
                : `\\${byte.toString(8).padStart(3, "0")}`),
    ).join("");
    return `printf '${text}'`;
}
