/* The playground: what is typed is sent, and what comes back is drawn.
 *
 * A result, as the other files take it: {asked: the form's choice, tensor: what was typed as data,
 * request: what was sent, answer: what came, dims: the output's sizes or null after an error, fetched:
 * whether the answer has the data, problem: the error document or null, piece: where in the request it
 * points, or null}. */

import { at } from "./dom.js";
import { EXAMPLES } from "./examples.js";
import { choice, fieldOf, fill, fillTypes, markField, offerExamples } from "./form.js";
import { find, NotJson, parse } from "./json.js";
import { clearPair, drawPair } from "./pair.js";
import { buildRequest, commandLine, namesOf } from "./request.js";
import { bytesOf, catalogue, hasToken, post, problemOf, Refused, Unreachable, useToken } from "./server.js";
import { expandRule, product, readList, readTensor, unsqueezeRule } from "./tensor.js";
import {
    clearView,
    copyText,
    drawAnswer,
    drawCommand,
    drawError,
    drawRule,
    drawStatus,
    summary,
} from "./view.js";
import "./theme.js";

const MAX_FETCHED = 4096n; /* elements; of larger outputs only the shape is asked for */
const TYPING_PAUSE = 300; /* ms */

const form = at("form");
let types = null; /* the server's catalogue, once it is known */
let running = null; /* AbortController of the newest run */
let shown = null; /* its result */

/* ---- a run --------------------------------------------------------------------------------------------- */

async function run() {
    running?.abort();
    const mine = (running = new AbortController());
    at("status").dataset.busy = "";
    try {
        const result = await request(mine.signal);
        if (mine === running) show(result);
    } catch (error) {
        if (error.name !== "AbortError") showFailure(error);
    }
    if (mine === running) delete at("status").dataset.busy;
}

async function request(signal) {
    types ?? (await start());
    const asked = choice();
    history.replaceState(null, "", `#${new URLSearchParams(asked)}`);
    const tensor = readTensor(asked.data, asked.shape, asked.type);
    const sent = buildRequest(asked, tensor);
    return { asked, tensor, request: sent, ...(await answerTo(sent, signal)) };
}

/* The shape first: the data only if there is not too much of it. */
async function answerTo({ path, body }, signal) {
    const shape = await post(`${path}/shape`, body, { signal });
    if (shape.status === 200 && (product(dimsOf(shape)) ?? 0n) > MAX_FETCHED)
        return { answer: shape, dims: dimsOf(shape), fetched: false, problem: null, piece: null };
    const answer = await post(`${path}/infer`, body, { signal });
    if (answer.status === 200)
        return { answer, dims: dimsOf(answer), fetched: true, problem: null, piece: null };
    const problem = problemOf(answer);
    return {
        answer,
        dims: null,
        fetched: true,
        problem,
        piece: problem.pointer ? find(parse(body), problem.pointer) : null,
    };
}

function dimsOf(answer) {
    return find(parse(answer.text), "/outputs/0/shape").items.map((item) => item.token);
}

/* ---- what came of it ----------------------------------------------------------------------------------- */

function show(result) {
    shown = result;
    const { asked, tensor, problem, piece, dims } = result;
    const list = readList(asked.list);
    const columns =
        asked.model === "expand" ? expandRule(tensor.dims, list) : unsqueezeRule(tensor.dims, list);
    askForToken(result.answer.status);
    at("results").classList.remove("blank");
    drawError(
        problem && {
            title: `${result.answer.status} ${problem.code}`,
            sentence: problem.error,
            pointer: problem.pointer,
            piece,
            body: result.request.body,
        },
    );
    markField(problem ? fieldOf(problem.pointer, result.request.pointers) : "");
    drawRule(columns, namesOf(asked.model), placeOf(result), dims ? summary(columns, tensor.dims) : "");
    drawPair(result, columns);
    drawStatus(result);
    drawAnswer(result);
    showCommand();
}

/* Where in the second input an error points, or -1. */
function placeOf({ problem, request }) {
    const data = `${request.pointers.list}/data/`;
    return problem?.pointer.startsWith(data) ? Number(problem.pointer.slice(data.length)) : -1;
}

/* There is nothing to draw: what was typed cannot be sent, nobody answers, or the server does not say what it has. */
function showFailure(error) {
    const failure = describeFailure(error);
    if (!failure) throw error;
    shown = null;
    clearView();
    clearPair();
    markField(error instanceof NotJson ? "data" : "");
    askForToken(error.status);
    at("results").classList.toggle("blank", !(error instanceof NotJson));
    drawError(failure);
    drawStatus(null, failure.title);
}

function describeFailure(error) {
    const { model, data } = choice();
    if (error instanceof NotJson)
        return {
            title: "not sent",
            sentence: `${namesOf(model).data} cannot be read: ${error.message}`,
            piece: { start: error.at, end: error.at + 1 },
            body: `${data} `,
        };
    if (error instanceof Refused)
        return { title: `HTTP ${error.status} ${error.problem.code}`, sentence: error.message };
    if (error instanceof Unreachable)
        return {
            title: "no answer",
            sentence: `${error.message}: is the server running? Run again when it is.`,
        };
    return null;
}

/* The field for a token is there once the server wanted one. */
function askForToken(status) {
    if (status === 401) at("token-field").hidden = false;
}

/* The command line of the chosen tab. What comes late, after another result or another tab, is dropped. */
async function showCommand() {
    const wanted = shown;
    const tab = at("forms").querySelector("[aria-selected=true]");
    if (!wanted) return;
    const { form } = tab.dataset;
    let bytes = null;
    if (form !== "json") {
        drawCommand([]);
        bytes = await bytesOf(wanted.tensor, wanted.asked.type, form).catch((error) => error);
    }
    if (wanted === shown && tab.getAttribute("aria-selected") === "true")
        drawCommand(commandLine(form, location.origin, hasToken(), wanted, bytes));
}

/* ---- the page ------------------------------------------------------------------------------------------ */

/* Begins with what the address says after "#", else with the first example. */
async function start() {
    types = await catalogue();
    const saved = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
    useExample(saved.model in types ? saved : { model: "expand", ...EXAMPLES.expand[0] });
}

function useExample(example) {
    fill(types, example);
    offerExamples((chosen) => {
        useExample(chosen);
        run();
    });
}

function selectForm(tab) {
    for (const other of at("forms").children) {
        other.setAttribute("aria-selected", String(other === tab));
        other.tabIndex = other === tab ? 0 : -1;
    }
    at("command-panel").setAttribute("aria-labelledby", tab.id);
    showCommand();
}

function moveTab(event) {
    const tabs = [...at("forms").children];
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const next = tabs[(tabs.indexOf(event.target) + step + tabs.length) % tabs.length];
    selectForm(next);
    next.focus();
}

async function copyFrom(button) {
    await copyText(at(button.dataset.copies).textContent);
    button.textContent = "Copied";
    setTimeout(() => {
        button.textContent = "Copy";
    }, 1500);
}

function listen() {
    let timer;
    form.addEventListener("input", ({ target }) => {
        if (target === at("token")) useToken(target.value.trim());
        if (types && target.name === "model")
            useExample({ model: target.value, ...EXAMPLES[target.value][0] });
        if (types && target.name === "version") fillTypes(types, choice().type);
        clearTimeout(timer);
        timer = setTimeout(run, TYPING_PAUSE);
    });
    form.addEventListener("submit", (event) => {
        event.preventDefault();
        clearTimeout(timer);
        run();
    });
    form.elements.data.addEventListener("keydown", (event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
    });
    at("forms").addEventListener("click", ({ target }) => target.dataset.form && selectForm(target));
    at("forms").addEventListener("keydown", moveTab);
    for (const button of document.querySelectorAll("[data-copies]"))
        button.addEventListener("click", () => copyFrom(button));
}

listen();
run();
