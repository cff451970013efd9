/* Input and output side by side. An element has one colour, and so have its copies; when one is pointed
 * at, all light up. */

import { at } from "./dom.js";
import { Grid } from "./grid.js";
import { find, parse, unquote } from "./json.js";
import { namesOf } from "./request.js";
import { product, sourceFinder } from "./tensor.js";
import { shapeText } from "./view.js";

const HOW = "Point at an element, or walk with the arrow keys: its copies light up.";

const input = new Grid(at("input-grid"));
const output = new Grid(at("output-grid"));
let shown = null;

/* `result` is what a run gave (playground.js), `columns` its rule. */
export function drawPair(result, columns) {
    const { tensor, dims, asked } = result;
    const names = namesOf(asked.model);
    shown = result;
    at("input-title").textContent = names.data;
    at("input-shape").textContent = `${asked.type} ${shapeText(tensor.dims)}`;
    at("output-title").textContent = names.output;
    at("output-shape").textContent = dims ? `${asked.type} ${shapeText(dims)}` : "";
    at("lit").textContent = dims ? HOW : "";
    if (!tensor.regular) {
        input.clear(`the values do not fill the shape ${shapeText(tensor.dims)}`);
        output.clear("no output");
        return;
    }
    const hue = (source) => 20 + (300 * source) / Math.max(tensor.cells.length - 1, 4);
    drawInput(result, names, hue);
    if (dims) drawOutput(result, columns, names, hue);
    else output.clear("no output");
}

export function clearPair() {
    shown = null;
    for (const id of ["input-shape", "output-shape", "lit"]) at(id).textContent = "";
    input.clear("–");
    output.clear("–");
}

function drawInput(result, names, hue) {
    const { tensor } = result;
    const dims = tensor.dims.map(Number);
    const faulty = faultyCells(result);
    input.draw({
        name: names.data,
        dims,
        hue,
        marked: dims.map(() => false),
        source: flatIndex(dims),
        text: (_, source) => tensor.cells[source],
        faulty: (source) => faulty.has(source),
    });
}

function drawOutput(result, columns, names, hue) {
    const { tensor } = result;
    const dims = result.dims.map(Number);
    const values = result.fetched ? valuesOf(result) : null;
    const position = flatIndex(dims);
    output.draw({
        name: names.output,
        dims,
        hue,
        marked: columns.map((column) => column.verdict === "new"),
        source: sourceFinder(columns, tensor.dims),
        text: (index, source) => (values ? values[position(index)] : tensor.cells[source]),
        faulty: () => false,
    });
}

function flatIndex(dims) {
    return (index) => index.reduce((flat, i, axis) => flat * dims[axis] + i, 0);
}

/* The values of the answer as texts. */
function valuesOf({ answer, asked }) {
    const texts = find(parse(answer.text), "/outputs/0/data").items.map((item) => unquote(item.token));
    if (!asked.type.startsWith("COMPLEX")) return texts;
    const signed = (text) => (text.startsWith("-") ? text : `+${text}`);
    return texts.flatMap((text, i) => (i % 2 === 0 ? [`${text}${signed(texts[i + 1])}i`] : []));
}

/* The elements that an error points at. */
function faultyCells({ piece, request, asked }) {
    const data = find(parse(request.body), `${request.pointers.data}/data`);
    if (!piece || data.kind !== "array" || piece.start < data.start || piece.end > data.end) return new Set();
    const width = asked.type.startsWith("COMPLEX") ? 2 : 1;
    return new Set(
        leaves(data).flatMap((leaf, i) =>
            leaf.start >= piece.start && leaf.end <= piece.end ? [Math.floor(i / width)] : [],
        ),
    );
}

function leaves(value) {
    return value.kind === "array" ? value.items.flatMap(leaves) : [value];
}

/* ---- lighting ------------------------------------------------------------------------------------------ */

/* Lights every cell that shows the element of `cell`; none if it is null. */
function light(cell) {
    const grids = at("grids");
    grids.classList.toggle("lit", cell !== null);
    for (const other of grids.querySelectorAll(".copy")) other.classList.remove("copy");
    if (cell === null || shown === null) return;
    for (const other of grids.querySelectorAll(`[data-source="${cell.dataset.source}"]`))
        other.classList.add("copy");
    at("lit").textContent = tell(cell);
}

function tell(cell) {
    const { tensor, dims, asked } = shown;
    const names = namesOf(asked.model);
    const source = Number(cell.dataset.source);
    const element = `${names.data}[${indexOf(source, tensor.dims.map(Number)).join(", ")}]`;
    const here = cell.closest("#output-grid")
        ? `${names.output}[${cell.dataset.index}] is ${element}`
        : element;
    if (!dims) return `${here} is ${tensor.cells[source]}`;
    const copies = product(dims) / product(tensor.dims);
    return `${here}, ${tensor.cells[source]}: ${copies === 1n ? "once" : `${copies.toLocaleString("en")} times`} in ${names.output}`;
}

function indexOf(flat, dims) {
    const index = [];
    for (const dim of [...dims].reverse()) {
        index.unshift(flat % dim);
        flat = Math.floor(flat / dim);
    }
    return index;
}

const cellOf = (event) => event.target.closest?.("td[data-source]") ?? null;
at("grids").addEventListener("mouseover", (event) => light(cellOf(event)));
at("grids").addEventListener("mouseleave", () => light(null));
at("grids").addEventListener("focusin", (event) => light(cellOf(event)));
at("grids").addEventListener("focusout", () => light(null));
