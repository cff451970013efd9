/* Reads JSON and remembers where in the text each value stands, so that a JSON pointer can be shown as a
 * piece of text. Tokens stay as they were written: a number of JavaScript does not hold every 64-bit
 * integer. More than JSON is read: bare words (NaN, 1+2i, batch) become scalars too. */

export const MAX_DEPTH = 80;

export class NotJson extends Error {
    constructor(message, at) {
        super(message);
        this.at = at;
    }
}

/* The value of `text`:
 *   {kind: "scalar", token, start, end}
 *   {kind: "array", items: [value], start, end}
 *   {kind: "object", members: Map(name -> value), start, end} */
export function parse(text) {
    const reader = { text, at: 0 };
    const value = readValue(reader, 0);
    skipSpace(reader);
    if (reader.at < text.length)
        throw new NotJson(`nothing may follow the value, but there is “${text[reader.at]}”`, reader.at);
    return value;
}

/* The value that a JSON pointer (RFC 6901) leads to, or the nearest one above it. */
export function find(root, pointer) {
    let value = root;
    for (const step of pointer.split("/").slice(1)) {
        const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
        const next = value.kind === "array" ? value.items[Number(name)] : value.members?.get(name);
        if (!next) return value;
        value = next;
    }
    return value;
}

/* The text of a string token. */
export function unquote(token) {
    return token.startsWith('"') ? JSON.parse(token) : token;
}

function skipSpace(reader) {
    while (/\s/.test(reader.text[reader.at] ?? "")) reader.at++;
}

function readValue(reader, depth) {
    skipSpace(reader);
    if (depth > MAX_DEPTH) throw new NotJson(`lists are nested deeper than ${MAX_DEPTH}`, reader.at);
    const start = reader.at;
    const first = reader.text[start];
    if (first === "[")
        return {
            kind: "array",
            items: readList(reader, "]", () => readValue(reader, depth + 1)),
            start,
            end: reader.at,
        };
    if (first === "{")
        return {
            kind: "object",
            members: new Map(readList(reader, "}", () => readMember(reader, depth))),
            start,
            end: reader.at,
        };
    return { kind: "scalar", token: readToken(reader), start, end: reader.at };
}

function readList(reader, close, readOne) {
    const list = [];
    reader.at++;
    skipSpace(reader);
    while (reader.text[reader.at] !== close) {
        list.push(readOne());
        skipSpace(reader);
        const next = reader.text[reader.at];
        if (next === ",") reader.at++;
        else if (next !== close)
            throw new NotJson(
                next === undefined ? `a closing ${close} is missing` : `“,” or “${close}” is missing`,
                reader.at,
            );
        skipSpace(reader);
    }
    reader.at++;
    return list;
}

function readMember(reader, depth) {
    skipSpace(reader);
    const name = unquote(readToken(reader));
    skipSpace(reader);
    if (reader.text[reader.at] !== ":") throw new NotJson("“:” is missing", reader.at);
    reader.at++;
    return [name, readValue(reader, depth + 1)];
}

function readToken(reader) {
    const start = reader.at;
    const pattern = reader.text[start] === '"' ? /"(?:[^"\\]|\\.)*"/sy : /[^\s,:"[\]{}]+/y;
    pattern.lastIndex = start;
    const found = pattern.exec(reader.text);
    if (!found)
        throw new NotJson(
            reader.text[start] === '"' ? 'a closing " is missing' : "a value is missing",
            start,
        );
    reader.at = pattern.lastIndex;
    return found[0];
}
