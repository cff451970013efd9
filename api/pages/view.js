/* The parts of the page around the grids: rule, error, status, command line, answer. */

import { at, make } from "./dom.js";
import { product } from "./tensor.js";

const VERDICTS = {
    new: (column) => (column.output === "1" ? "new" : `new, ×${column.output}`),
    same: () => "same",
    keep: () => "1 keeps it",
    repeat: (column) => `×${column.output}`,
    conflict: () => "differ",
    twice: () => "twice",
    open: () => "?",
};
const MAX_ANSWER = 40000; /* characters shown of an answer */

export function shapeText(dims) {
    return `[${dims.join(", ")}]`;
}

export function count(n, one, many = `${one}s`) {
    return `${n.toLocaleString("en")} ${BigInt(n) === 1n ? one : many}`;
}

/* ---- the rule ------------------------------------------------------------------------------------------ */

/* Shapes below each other, as the rule aligns them: a column for each axis of the output. `faultyAt` is
 * the place in the second input that the server's error points at, or -1. */
export function drawRule(columns, names, faultyAt, sentence) {
    const isFaulty = (column) => faultyAt >= 0 && column.askedAt === faultyAt;
    const kind = (column) =>
        isFaulty(column) || column.verdict === "twice" ? `${column.verdict} conflict` : column.verdict;
    const row = (className, title, text) =>
        make(
            "tr",
            { className },
            make("th", { scope: "row" }, title),
            ...columns.map((column) => make("td", { className: kind(column) }, text(column))),
        );
    const head = make(
        "tr",
        {},
        make("th", { scope: "row" }, "axis"),
        ...columns.map((_, axis) => make("th", { scope: "col" }, String(axis))),
    );
    at("rule").replaceChildren(
        make("thead", {}, head),
        make(
            "tbody",
            {},
            row("", names.data, (column) => column.input ?? ""),
            row("", names.list, (column) => column.asked ?? ""),
            row("output", names.output, (column) => column.output ?? "–"),
            row("verdict", "rule", (column) => VERDICTS[column.verdict](column)),
        ),
    );
    at("rule").hidden = columns.length === 0;
    at("rule-title").textContent =
        names.list === "shape" ? "Shapes, aligned at the right" : "Shapes, axis by axis";
    at("summary").textContent = columns.length === 0 ? `A scalar: no axes. ${sentence}` : sentence;
}

/* What the rule comes to, in a sentence. */
export function summary(columns, dims) {
    const added = columns.filter((column) => column.verdict === "new").length;
    const elements = product(dims);
    const all = product(columns.map((column) => column.output ?? "?"));
    if (all === null || elements === null) return "";
    const axes = added === 0 ? "" : `; ${count(added, "new axis", "new axes")}`;
    if (all === elements) return `${count(elements, "element")}, each once${axes}.`;
    const copies = elements > 0n ? `, ${(all / elements).toLocaleString("en")} of each` : "";
    return `${count(elements, "element")} become ${all.toLocaleString("en")}${copies}${axes}.`;
}

/* ---- errors and status --------------------------------------------------------------------------------- */

/* {title, sentence, pointer, piece: {start, end} of body}, the last three if there are any; or null: no
 * error. */
export function drawError(error) {
    at("error").hidden = error === null;
    at("error").replaceChildren();
    if (error === null) return;
    at("error").append(
        make("p", { className: "title" }, error.title),
        make("p", { className: "sentence" }, error.sentence),
    );
    if (error.pointer)
        at("error").append(make("p", { className: "points" }, "points at ", make("code", {}, error.pointer)));
    if (error.piece) at("error").append(make("pre", {}, ...excerpt(error.body, error.piece)));
}

/* The line of the text with the piece, and the piece marked. */
function excerpt(text, { start, end }) {
    const from = Math.max(text.lastIndexOf("\n", start - 1) + 1, start - 100);
    const lineEnd = text.indexOf("\n", end);
    const to = Math.min(lineEnd < 0 ? text.length : lineEnd, end + 60);
    const piece = text.slice(start, Math.min(end, start + 300));
    return [text.slice(from, start), make("mark", {}, piece), text.slice(end, to)];
}

/* One line about a result, or about there being none. */
export function drawStatus(result, otherwise = "") {
    at("status").className = result?.dims ? "good" : "bad";
    at("status").textContent = result ? describe(result) : otherwise;
}

function describe({ answer, dims, asked }) {
    const output = dims ? [`${asked.type} ${shapeText(dims)}`, count(product(dims), "element")] : [];
    return [`HTTP ${answer.status}`, ...output, `${answer.ms.toFixed(1)} ms`].join(" · ");
}

/* ---- command and answer -------------------------------------------------------------------------------- */

export function drawCommand(pieces) {
    at("command").replaceChildren(
        ...pieces.map(({ text, mark }) => (mark && text !== "" ? make("mark", {}, text) : text)),
    );
}

export function drawAnswer({ answer, fetched, dims }) {
    at("answer-head").textContent =
        `HTTP ${answer.status} · ${answer.headers.get("Content-Type")} · ${count(answer.bytes.length, "byte")}`;
    at("answer").textContent = answer.text.slice(0, MAX_ANSWER);
    const cut =
        answer.text.length > MAX_ANSWER
            ? `Only the first ${MAX_ANSWER.toLocaleString("en")} characters are shown.`
            : "";
    at("answer-note").textContent = fetched
        ? cut
        : `${count(product(dims), "element")} are too many for a page: this is the answer of …/shape, ` +
          "and the grid shows where each element will be. The command above asks for all of them.";
}

export function clearView() {
    at("rule").hidden = true;
    for (const id of ["summary", "command", "answer", "answer-head", "answer-note"]) at(id).textContent = "";
}

/* Copies a text; also where the page did not come over HTTPS, and the clipboard is closed to scripts. */
export async function copyText(text) {
    try {
        await navigator.clipboard.writeText(text);
    } catch {
        const area = make("textarea", { value: text, className: "offscreen" });
        document.body.append(area);
        area.select();
        document.execCommand("copy");
        area.remove();
    }
}
