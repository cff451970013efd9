/* The part of a long tensor that is shown, and the controls that move it. */

import { make } from "./dom.js";

const MAX_CELLS = 480;
const WIDE = [12, 12, 4, 3]; /* indices shown of the last axis, the one before it, ... */
const NARROW = [6, 10, 3, 2];

/* How many indices of each axis are shown at once, so that all is at most MAX_CELLS cells. */
export function windowSizes(dims, narrow) {
    const caps = narrow ? NARROW : WIDE;
    const sizes = dims.map(() => 1);
    let room = MAX_CELLS;
    for (let axis = dims.length - 1; axis >= 0; axis--) {
        const cap = caps[dims.length - 1 - axis] ?? 2;
        sizes[axis] = Math.max(1, Math.min(dims[axis], cap, room));
        room = Math.floor(room / sizes[axis]);
    }
    return sizes;
}

/* The controls of one axis: it shows `size` of `dim` indices from `offset` on. `go(to, part)` is called with where to go,
 * and the part of the controls that was used. */
export function mover({ axis, name, dim, size, offset }, go) {
    const last = dim - size;
    const clamp = (to) => Math.max(0, Math.min(last, to));
    const of = `of axis ${axis} of ${name}`;
    const step = (text, part, label, to) =>
        make(
            "button",
            {
                type: "button",
                onclick: () => go(clamp(to), part),
                "aria-label": `${label} ${of}`,
                "aria-disabled": clamp(to) === offset,
                "data-part": part,
            },
            text,
        );
    const from = make("input", {
        type: "number",
        min: 0,
        max: last,
        value: offset,
        onchange: ({ target }) => go(clamp(Math.trunc(Number(target.value)) || 0), "from"),
        "aria-label": `first shown index ${of}`,
        "data-part": "from",
    });
    const range = `– ${(offset + size - 1).toLocaleString("en")} of ${dim.toLocaleString("en")}`;
    return make(
        "div",
        { className: "mover", "data-axis": axis },
        make("span", {}, `axis ${axis}`),
        step("‹", "back", "previous part", offset - size),
        from,
        make("span", {}, range),
        step("›", "on", "next part", offset + size),
    );
}
