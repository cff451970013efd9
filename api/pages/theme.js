/* Dark and light: as the system has it, or as chosen with the button, which is remembered. The root
 * element gets data-theme, and an event "themechange" when what is shown may have changed. */

const THEMES = ["auto", "light", "dark"];
const root = document.documentElement;
const button = document.getElementById("theme");
const system = matchMedia("(prefers-color-scheme: dark)");

export function themeIsDark() {
    return root.dataset.theme === "dark" || (root.dataset.theme === "auto" && system.matches);
}

function remembered() {
    try {
        return localStorage.getItem("theme");
    } catch {
        return null; /* the browser keeps nothing */
    }
}

function use(theme) {
    root.dataset.theme = theme;
    button.textContent = `Theme: ${theme}`;
    root.dispatchEvent(new Event("themechange"));
    try {
        localStorage.setItem("theme", theme);
    } catch {
        /* it holds until the page is left */
    }
}

button.addEventListener("click", () => use(THEMES[(THEMES.indexOf(root.dataset.theme) + 1) % THEMES.length]));
system.addEventListener("change", () => root.dispatchEvent(new Event("themechange")));
use(THEMES.includes(remembered()) ? remembered() : "auto");
