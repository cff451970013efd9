/* Elements in one call. */

/* Properties are set as they are; those of `attributes` that are only attributes (role, aria-..., data-...) as such. */
export function make(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (name === "role" || name.includes("-")) element.setAttribute(name, value);
        else element[name] = value;
    }
    element.append(...children);
    return element;
}

export function at(id) {
    return document.getElementById(id);
}
