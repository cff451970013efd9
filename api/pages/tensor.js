/* Tensors as people type them, and the rules of Expand and Unsqueeze, for drawing. What is right or wrong
 * the server says. */

import { parse, unquote, NotJson } from "./json.js";

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const WORDS = {
    nan: '"NaN"',
    inf: '"Infinity"',
    infinity: '"Infinity"',
    "+inf": '"Infinity"',
    "-inf": '"-Infinity"',
    "-infinity": '"-Infinity"',
    true: "true",
    false: "false",
};
const COMPLEX = /^([+-]?[\d.]+(?:[eE][+-]?\d+)?)(?:([+-][\d.]*(?:[eE][+-]?\d+)?)[ij])?$/;

/* Counting up stays within what these types hold exactly. */
const COUNTED = {
    BOOL: 2,
    INT2: 2,
    UINT2: 4,
    INT4: 8,
    UINT4: 16,
    FP4_E2M1: 4,
    FP8_E8M0: 8,
    INT8: 128,
    UINT8: 256,
    FP8_E4M3FN: 16,
    FP8_E4M3FNUZ: 16,
    FP8_E5M2: 8,
    FP8_E5M2FNUZ: 8,
};
const MAX_COUNTED = 4096;

/* ---- reading ------------------------------------------------------------------------------------------- */

/* What was typed as a tensor: {dims: [text], cells: [text], data: JSON text, root: parsed data, regular}.
 * Without an explicit shape, the nesting tells it. Throws NotJson. */
export function readTensor(text, shape, type) {
    const explicit = shape.trim() === "" ? null : readList(shape);
    const source = text.trim() === "" && explicit ? count(explicit, type) : text;
    const root = parse(source);
    if (root.kind === "object")
        throw new NotJson("a tensor is a list, such as [[1], [2], [3]], or one value", root.start);
    const cells = [];
    const data = writeNested(root, type, cells);
    const dims = explicit ?? nesting(root);
    return {
        dims,
        cells,
        data: root.kind === "array" ? data : `[${data}]`,
        regular: product(dims) === BigInt(cells.length),
    };
}

/* The items of a list such as "3, 4", "[3,4]" or "(3, 4)", as JSON texts. */
export function readList(text) {
    const bare = text
        .trim()
        .replace(/^[[(]/, "")
        .replace(/[\])]$/, "")
        .trim();
    if (bare === "") return [];
    return bare
        .split(/\s*,\s*|\s+/)
        .filter((item) => item !== "")
        .map((item) => (NUMBER.test(item) ? item : JSON.stringify(unquoted(item))));
}

function unquoted(item) {
    return item.replace(/^"(.*)"$/, "$1");
}

function nesting(root) {
    const dims = [];
    for (let value = root; value?.kind === "array"; value = value.items[0])
        dims.push(String(value.items.length));
    return dims;
}

function writeNested(value, type, cells) {
    if (value.kind === "array")
        return `[${value.items.map((item) => writeNested(item, type, cells)).join(",")}]`;
    const text = elementJson(value.token ?? "{}", type);
    cells.push(value.token?.startsWith('"') ? unquote(value.token) : value.token);
    return text;
}

/* How an element is sent: as typed, but what is not JSON becomes a string, and a complex number two
 * numbers. */
function elementJson(token, type) {
    const complex = type.startsWith("COMPLEX") && COMPLEX.exec(token);
    if (complex) return `${plain(complex[1])},${plain(complex[2] ?? "0")}`;
    if (token.startsWith('"') || NUMBER.test(token) || token === "null") return token;
    return WORDS[token.toLowerCase()] ?? JSON.stringify(token);
}

function plain(part) {
    return part === "+" || part === "-" ? `${part === "-" ? "-" : ""}1` : part.replace(/^\+/, "");
}

function count(dims, type) {
    const total = product(dims);
    if (total === null || total > MAX_COUNTED)
        throw new NotJson(`type the values: only up to ${MAX_COUNTED} are counted up`, 0);
    const every = COUNTED[type] ?? MAX_COUNTED;
    const value = (i) =>
        type === "BOOL"
            ? String(i % 2 === 1)
            : type === "BYTES"
              ? `"s${i}"`
              : String(type === "FP8_E8M0" ? 2 ** (i % every) : i % every);
    return `[${Array.from({ length: Number(total) }, (_, i) => value(i)).join(",")}]`;
}

/* ---- sizes --------------------------------------------------------------------------------------------- */

/* A size as a BigInt, or null if the text is none. */
export function size(text) {
    return /^\d{1,19}$/.test(text) ? BigInt(text) : null;
}

/* The number of elements, or null if that is unknown. */
export function product(dims) {
    return dims.reduce((all, dim) => (all === null || size(dim) === null ? null : all * size(dim)), 1n);
}

/* ---- the rules ----------------------------------------------------------------------------------------- */

/* One column for each axis of the output, from the left: {input, asked, output, source, verdict}. Texts
 * are null where there is nothing; `source` is the axis of the input; `asked` is what the second input
 * says there, `askedAt` where in it. */

export function expandRule(dims, target) {
    const rank = Math.max(dims.length, target.length);
    return Array.from({ length: rank }, (_, axis) => {
        const source = axis - (rank - dims.length);
        const askedAt = axis - (rank - target.length);
        const column = {
            input: dims[source] ?? null,
            asked: target[askedAt] ?? null,
            askedAt,
            source: source < 0 ? null : source,
        };
        return { ...column, ...broadcast(column.input, column.asked) };
    });
}

function broadcast(input, asked) {
    if (input === null) return { output: asked, verdict: "new" };
    if (asked === null || asked === input) return { output: input, verdict: "same" };
    if (asked === "1") return { output: input, verdict: "keep" };
    if (input === "1") return { output: asked, verdict: "repeat" };
    return { output: null, verdict: "conflict" };
}

export function unsqueezeRule(dims, axes) {
    const rank = dims.length + axes.length;
    const places = axes.map((axis) => (Number(axis) < 0 ? Number(axis) + rank : Number(axis)));
    const columns = [];
    let source = 0;
    for (let axis = 0; axis < rank; axis++) {
        const asked = axes.filter((_, i) => places[i] === axis);
        columns.push(asked.length > 0 ? inserted(asked, places.lastIndexOf(axis)) : kept(dims, source++));
    }
    return columns;
}

function inserted(asked, askedAt) {
    const once = asked.length === 1;
    return {
        input: null,
        asked: asked.join(", "),
        askedAt,
        output: once ? "1" : null,
        source: null,
        verdict: once ? "new" : "twice",
    };
}

/* Past the last axis of the input there is nothing to keep: an axis in the list was wrong. */
function kept(dims, source) {
    const input = dims[source] ?? null;
    return {
        input,
        asked: null,
        askedAt: -1,
        output: input,
        source,
        verdict: input === null ? "open" : "same",
    };
}

/* From an index of the output to the flat index of the element that it shows. */
export function sourceFinder(columns, dims) {
    const sizes = dims.map(Number);
    const stride = sizes.map((_, axis) => sizes.slice(axis + 1).reduce((a, b) => a * b, 1));
    return (index) =>
        columns.reduce(
            (flat, { source }, axis) =>
                source === null || sizes[source] === 1 ? flat : flat + index[axis] * stride[source],
            0,
        );
}
