/* A tensor as grids: the last axis goes across, the one before it down, and each index of the axes before those has a grid
 * of its own. What is too long is shown in part (mover.js). Cells that show the same element have the same data-source. */

import { make } from "./dom.js";
import { mover, windowSizes } from "./mover.js";

const MAX_TEXT = 20; /* characters in a cell */
const ARROWS = ["→", "↓"];

export class Grid {
    constructor(element) {
        this.element = element;
        element.addEventListener("keydown", (event) => this.walk(event));
    }

    /* Shows {name, dims: [number], marked: [whether an axis is new], source(index): the number of the element there,
     * text(index, source), hue(source), faulty(source): whether an error points there}. */
    draw(tensor) {
        this.tensor = tensor;
        this.sizes = windowSizes(tensor.dims, matchMedia("(max-width: 40rem)").matches);
        this.offsets = tensor.dims.map(() => 0);
        this.paint();
    }

    clear(text) {
        this.element.replaceChildren(make("p", { className: "nothing" }, text));
    }

    paint() {
        const { dims } = this.tensor;
        if (dims.includes(0)) {
            this.clear(`no elements: axis ${dims.indexOf(0)} has size 0`);
            return;
        }
        const outer = this.outerIndices();
        const blocks = make("div", { className: "blocks" }, ...outer.map((index) => this.block(index)));
        const across =
            this.sizes
                .slice(0, -2)
                .filter((n) => n > 1)
                .at(-1) ?? 1;
        blocks.style.setProperty("--across", across);
        this.element.replaceChildren(this.axes(), this.movers(), blocks);
        this.cells = [...blocks.querySelectorAll(".element")];
        this.cells[0].tabIndex = 0;
    }

    /* "new" for what belongs to a new axis. */
    kind(axis) {
        return this.tensor.marked[axis] ? "new" : "";
    }

    /* Which axis goes where. */
    axes() {
        const { dims } = this.tensor;
        const names = dims.map((_, axis) => {
            const way = ARROWS[dims.length - 1 - axis] ?? "by grid";
            return make("span", { className: this.kind(axis) }, `${this.kind(axis)} axis ${axis} ${way}`);
        });
        return make("p", { className: "axes" }, ...(names.length > 0 ? names : ["scalar"]));
    }

    /* The shown indices of an axis; [null] stands for an axis that is not there. */
    shown(axis) {
        return axis < 0 ? [null] : Array.from({ length: this.sizes[axis] }, (_, i) => this.offsets[axis] + i);
    }

    /* Every shown index of the axes before the last two. */
    outerIndices() {
        return this.sizes
            .slice(0, -2)
            .reduce(
                (all, _, axis) => all.flatMap((index) => this.shown(axis).map((i) => [...index, i])),
                [[]],
            );
    }

    /* The grid of the last two axes. */
    block(outer) {
        const rank = this.tensor.dims.length;
        const label = [...outer, ":", ":"].slice(0, rank).join(", ");
        const rows = this.shown(rank - 2).map((row) => this.row(outer, row));
        const table = make("table", { role: "grid", "aria-label": `${this.tensor.name}[${label}]` }, ...rows);
        if (rank > 0) table.prepend(this.headRow());
        return make("figure", {}, ...(rank > 2 ? [this.caption(outer)] : []), table);
    }

    caption(outer) {
        const indices = outer.map((i, axis) => make("span", { className: this.kind(axis) }, String(i)));
        return make("figcaption", {}, "[", ...indices.flatMap((index) => [index, ", "]), ":, :]");
    }

    headRow() {
        const rank = this.tensor.dims.length;
        const head = (i) => make("th", { role: "columnheader", className: this.kind(rank - 1) }, String(i));
        const corner = rank > 1 ? [make("td", { className: "corner" })] : [];
        return make("tr", { role: "row" }, ...corner, ...this.shown(rank - 1).map(head));
    }

    row(outer, i) {
        const rank = this.tensor.dims.length;
        const head = make("th", { role: "rowheader", className: this.kind(rank - 2) }, String(i));
        const cells = this.shown(rank - 1).map((j) => this.cell([...outer, i, j].filter((n) => n !== null)));
        return make("tr", { role: "row" }, ...(rank > 1 ? [head] : []), ...cells);
    }

    cell(index) {
        const { name, source, text, hue, faulty } = this.tensor;
        const from = source(index);
        const whole = text(index, from);
        const cut = whole.length > MAX_TEXT;
        const attributes = {
            role: "gridcell",
            className: faulty(from) ? "element faulty" : "element",
            tabIndex: -1,
            title: cut ? whole : "",
            "aria-label": `${name}[${index.join(", ")}] is ${whole}`,
            "data-source": from,
            "data-index": index.join(", "),
        };
        const cell = make("td", attributes, cut ? `${whole.slice(0, MAX_TEXT - 1)}…` : whole);
        cell.style.setProperty("--hue", hue(from).toFixed(1));
        return cell;
    }

    /* Controls for each axis that is shown only in part. */
    movers() {
        const { name, dims } = this.tensor;
        const parts = dims.map((dim, axis) => ({
            axis,
            name,
            dim,
            size: this.sizes[axis],
            offset: this.offsets[axis],
        }));
        const long = parts.filter(({ dim, size }) => size < dim);
        return make("div", { className: "movers" }, ...long.map((part) => mover(part, this.goer(part.axis))));
    }

    /* Moves the window along an axis; the control that was used keeps the focus. */
    goer(axis) {
        return (to, part) => {
            this.offsets[axis] = to;
            this.paint();
            this.element.querySelector(`[data-axis="${axis}"] [data-part="${part}"]`).focus();
        };
    }

    /* Arrow keys go from cell to cell as they lie on the screen; Home and End to the first and last. */
    walk(event) {
        const from = this.cells?.indexOf(event.target) ?? -1;
        if (from < 0) return;
        const row = event.target.parentElement.querySelectorAll(".element").length;
        const steps = {
            ArrowRight: from + 1,
            ArrowLeft: from - 1,
            ArrowDown: from + row,
            ArrowUp: from - row,
            Home: 0,
            End: this.cells.length - 1,
        };
        if (!(event.key in steps)) return;
        event.preventDefault();
        const to = this.cells[steps[event.key]];
        if (!to) return;
        this.cells[from].tabIndex = -1;
        to.tabIndex = 0;
        to.focus();
    }
}
