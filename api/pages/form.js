/* The form: what can be chosen, and what was. */

import { at, make } from "./dom.js";
import { EXAMPLES } from "./examples.js";
import { namesOf } from "./request.js";

const HINTS = {
    expand: { list: "the target shape, such as 3, 4", placeholder: "3, 4" },
    unsqueeze: { list: "places in the output; negative ones count from its end", placeholder: "0, -1" },
};

const form = at("form");

/* {model, version, type, data, shape, list}, all texts. */
export function choice() {
    return Object.fromEntries(new FormData(form));
}

/* Puts a choice or an example into the form. `types` is the server's catalogue: {model: {version:
 * [type]}}. */
export function fill(types, { model, version, type = "FP32", data = "", shape = "", list = "" }) {
    const { elements } = form;
    elements.model.value = model;
    const versions = Object.keys(types[model]).sort((a, b) => b - a);
    elements.version.replaceChildren(...versions.map((value) => make("option", { value }, value)));
    elements.version.value = versions.includes(version) ? version : versions[0];
    fillTypes(types, type);
    Object.entries({ data, shape, list }).forEach(([name, text]) => {
        elements[name].value = text;
    });
    nameFields(model);
}

/* Types that the version does not permit can be chosen too: to see what the server says. */
export function fillTypes(types, type) {
    const { model, version } = choice();
    const permitted = types[model][version];
    const others = [...new Set(Object.values(types).flatMap(Object.values).flat())].filter(
        (name) => !permitted.includes(name),
    );
    const group = (label, names) =>
        make("optgroup", { label }, ...names.map((value) => make("option", { value }, value)));
    const groups = [group(`permitted in version ${version}`, permitted)];
    if (others.length > 0) groups.push(group("not permitted", others));
    form.elements.type.replaceChildren(...groups);
    form.elements.type.value = [...permitted, ...others].includes(type) ? type : permitted[0];
}

function nameFields(model) {
    const names = namesOf(model);
    for (const kind of ["data", "list"]) {
        for (const label of form.querySelectorAll(`.${kind}-name`)) label.textContent = names[kind];
    }
    at("list-hint").textContent = HINTS[model].list;
    form.elements.list.placeholder = HINTS[model].placeholder;
}

/* Buttons for the examples of the chosen operator. */
export function offerExamples(start) {
    const { model } = choice();
    at("examples").replaceChildren(
        ...EXAMPLES[model].map((example) =>
            make(
                "button",
                {
                    type: "button",
                    className: example.wrong ? "wrong" : "",
                    onclick: () => start({ model, ...example }),
                },
                example.name,
            ),
        ),
    );
}

/* Shows which field an error is about: "type", "data", "shape", "list" or "". */
export function markField(name) {
    for (const field of ["type", "data", "shape", "list"]) {
        if (field === name) form.elements[field].setAttribute("aria-invalid", "true");
        else form.elements[field].removeAttribute("aria-invalid");
    }
}

/* The field that a JSON pointer is about; `pointers` are those of the two inputs. */
export function fieldOf(pointer, pointers) {
    if (pointer.startsWith(pointers.list)) return "list";
    if (!pointer.startsWith(pointers.data)) return "";
    if (pointer.endsWith("/datatype")) return "type";
    return pointer.includes("/shape") && form.elements.shape.value !== "" ? "shape" : "data";
}
