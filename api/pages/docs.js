/* The API reference: Swagger UI, which its own script has put into the window. */

import { at } from "./dom.js";
import { themeIsDark } from "./theme.js";

const root = document.documentElement;

function showTheme() {
    root.classList.toggle("dark-mode", themeIsDark());
}

/* Swagger UI fills the example of each parameter into every request, also of those that are for other bodies or other
 * clients. So those that may be absent go without. */
function withoutOptionalExamples(contract) {
    for (const parameter of Object.values(contract.components?.parameters ?? {})) {
        if (!parameter.required) delete parameter.examples;
    }
    return contract;
}

async function show() {
    const contract = await (await fetch("/openapi.json")).json();
    window.SwaggerUIBundle({
        spec: withoutOptionalExamples(contract),
        domNode: at("reference"),
        deepLinking: true,
        defaultModelsExpandDepth: 0,
        displayRequestDuration: true,
        tryItOutEnabled: true,
        validatorUrl: null /* nothing goes anywhere else */,
    });
}

root.addEventListener("themechange", showTheme);
showTheme();
show().catch((error) => {
    at("reference").textContent = `The contract cannot be shown: ${error.message}. Is the server running?`;
});
