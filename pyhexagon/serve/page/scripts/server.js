// SPDX-License-Identifier: MIT
// What the server says: its models and their states, and the figures at the foot of the conversations.

import { $, make, notice } from "./dom.js";
import { headers, remembered, requireKey } from "./settings.js";

let models = []; // as of /v1/models: those that answer
let speech = null; // one that transcribes
let chosen = null;
let maxBytes = Infinity; // of a request
const facts = {}; // of loaded models, by name: { n_ctx, hasTemplate }

export function model() {
  return chosen?.id ?? "";
}

// Returns the name of a model that transcribes; empty if there is none.
export function speechModel() {
  return speech?.id ?? "";
}

function takes({ architecture }) {
  return Boolean(architecture?.input_modalities?.includes("image"));
}

export function takesImages() {
  return Boolean(chosen) && takes(chosen);
}

// Returns the name of a model that takes images; empty if there is none.
export function seeingModel() {
  return models.find(takes)?.id ?? "";
}

// Returns the most bytes of a request.
export function longestRequest() {
  return maxBytes;
}

// Returns "loaded", "loading" or "unloaded".
function modelState() {
  return chosen?.status?.value ?? "loaded";
}

// Only "cdsp" is a DSP: "cpu" and the loopback compute on this machine's CPU.
function deviceName() {
  const names = { cdsp: "DSP", cpu: "CPU", loopback: "CPU (loopback)", "loopback:qemu": "QEMU (loopback)" };
  return names[chosen?.device] ?? chosen?.device ?? "Device";
}

export async function readModels() {
  try {
    const response = await fetch("v1/models", { headers: headers() });
    if (response.status === 401) { requireKey(); return; }
    const all = (await response.json()).data;
    models = all.filter(({ kind }) => kind !== "speech");
    speech = all.find(({ kind }) => kind === "speech");
    const wanted = model() || remembered.read("model", "");
    chosen = models.find(({ id }) => id === wanted) ?? models[0];
    showModels();
    await readFacts();
  } catch { /* the figures say it */ }
}

function showModels() {
  $("name").textContent = document.title = model();
  $("name").title = model();
  $("name").hidden = models.length > 1;
  $("model-field").hidden = models.length < 2;
  $("models").replaceChildren(...models.map(({ id }) => new Option(id, id, false, id === model())));
}

async function readFacts() {
  if (!facts[model()] && modelState() === "loaded") await readProps();
  const isBase = facts[model()]?.hasTemplate === false;
  const words = `${model()} has no chat template: it can go on with a text, but not answer. Choose a model for chats (instruct).`;
  notice("template", isBase ? words : "");
}

async function readProps() {
  const response = await fetch(`props?model=${encodeURIComponent(model())}`, { headers: headers() });
  if (!response.ok) return;
  const props = await response.json();
  maxBytes = props.max_body_bytes ?? Infinity;
  if (!props.default_generation_settings) return; // it has been unloaded
  facts[model()] = { n_ctx: props.default_generation_settings.n_ctx, hasTemplate: Boolean(props.chat_template) };
}

// Connects the list of models. whenChosen is called after another one has been chosen.
export function startModels(whenChosen) {
  $("models").onchange = () => {
    chosen = models.find(({ id }) => id === $("models").value);
    remembered.write("model", model());
    showModels();
    whenChosen();
    readModels();
  };
}

// --- Figures ---

let before = null;

// Reads and shows the figures, and returns what an answer waits for. isAsking: a conversation waits for an answer.
export async function readFigures(isAsking) {
  try {
    if (isAsking || modelState() !== "loaded") await readModels();
    const response = await fetch("metrics", { headers: headers() });
    if (!response.ok) throw new Error(response.status === 401 ? "needs an API key" : `status ${response.status}`);
    const figures = read(await response.text());
    show(figures);
    if (modelState() !== "loaded") return `Loading ${model()}…`;
    return figures.waiting ? "Waiting for other requests…" : "Reading the prompt…";
  } catch (error) {
    before = null;
    showState(error instanceof TypeError ? "no server" : error.message, "wrong");
    return "";
  }
}

// Returns the sums of Prometheus' figures over all models, and speeds since the last call.
function read(text) {
  const sums = {};
  for (const [, name, value] of text.matchAll(/^pyhexagon_(\w+)(?:\{model="[^"]*"\})? (.*)$/mg)) {
    sums[name] = (sums[name] ?? 0) + Number(value);
  }
  const of = name => sums[name] ?? 0;
  const now = { at: performance.now() / 1000, busy: of("dsp_seconds_total") / (of("boards") || 1), tokens: of("generated_tokens_total") };
  const span = before ? Math.max(now.at - before.at, 1e-3) : 1, last = before ?? now;
  before = now;
  return {
    load: Math.min(1, (now.busy - last.busy) / span), speed: (now.tokens - last.tokens) / span,
    running: of("running"), waiting: of("waiting"),
    bytes: of("memory_model_bytes") + of("memory_context_bytes") + of("memory_compute_bytes"),
  };
}

function show({ load, speed, running, waiting, bytes }) {
  const rows = [
    [deviceName(), `${Math.round(100 * load)} %`], ["Speed", `${speed.toFixed(1)} tokens/s`],
    ["Requests", waiting ? `${running}, ${waiting} waiting` : `${running}`],
    ["Memory of models", `${(bytes / 2 ** 20).toFixed(0)} MiB`],
  ];
  const lines = rows.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value)));
  lines[0].lastChild.prepend(make("meter", { value: load, label: `load of ${deviceName()}` }));
  $("figures").replaceChildren(...lines);
  const state = { loaded: deviceName(), loading: "loading…", unloaded: "not loaded" }[modelState()];
  showState(state, modelState() === "loaded" && running ? "busy" : modelState());
}

function showState(words, kind) {
  $("state").textContent = words;
  $("state").className = kind;
  $("state").title = { unloaded: "The first question loads the model", busy: "computing", loaded: "ready" }[kind] ?? words;
}

// Shows how much of the model's context the open conversation takes.
export function showContext(tokens) {
  const n_ctx = tokens ? facts[model()]?.n_ctx : 0;
  if (!n_ctx) { $("context").replaceChildren(); return; }
  const meter = make("meter", { value: tokens / n_ctx, high: 0.9, label: "context" });
  $("context").replaceChildren(`${tokens.toLocaleString("en")} of ${n_ctx.toLocaleString("en")} tokens`, meter);
}
