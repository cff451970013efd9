/* The API reference: Swagger UI, which its own script has put into the window. */

import { themeIsDark } from "./theme.js";

const { classList } = document.documentElement;
const showTheme = () => classList.toggle("dark-mode", themeIsDark());

document.documentElement.addEventListener("themechange", showTheme);
showTheme();

window.SwaggerUIBundle({
    url: "/openapi.json",
    domNode: document.getElementById("reference"),
    deepLinking: true,
    displayRequestDuration: true,
    tryItOutEnabled: true,
    validatorUrl: null /* nothing goes anywhere else */,
});
