// SPDX-License-Identifier: MIT
// Sampling parameters, system prompt and API key, and their dialog.

import { $ } from "./dom.js";

const NUMBERS = ["temperature", "top_k", "top_p", "min_p", "repeat_penalty", "max_tokens", "seed"];

// What this browser remembers beside conversations.
export const remembered = {
  read(name, otherwise) {
    try { return JSON.parse(localStorage.getItem(`pyhexagon.${name}`)) ?? otherwise; } catch { return otherwise; }
  },
  write(name, value) {
    try { localStorage.setItem(`pyhexagon.${name}`, JSON.stringify(value)); } catch { /* full, or not allowed */ }
  },
};

let settings = remembered.read("settings", {});
let key = "";
try { key = sessionStorage.getItem("pyhexagon.key") ?? ""; } catch { /* not allowed: asked for again after a reload */ }
let onKey = () => {};

// Returns the header with the API key, if there is one.
export function bearer() {
  return key ? { Authorization: `Bearer ${key}` } : {};
}

// Returns the headers of a request with JSON.
export function headers() {
  return { "Content-Type": "application/json", ...bearer() };
}

// Returns the fields of a request for completions that settings have.
export function sampling() {
  return Object.fromEntries(NUMBERS.filter(name => settings[name] != null).map(name => [name, settings[name]]));
}

export function systemPrompt() {
  return settings.system ?? "";
}

function fields() {
  return [...$("dialog").querySelectorAll("[name]")];
}

// Opens the dialog; with a reason, only for the API key.
function openSettings(reason = "") {
  $("dialog").classList.toggle("key", Boolean(reason));
  $("dialog").querySelector("h2").textContent = reason ? "API key" : "Settings";
  $("reason").textContent = reason;
  for (const field of fields()) field.value = field.name === "key" ? key : settings[field.name] ?? "";
  if (!$("dialog").open) $("dialog").showModal();
  if (reason) $("dialog").querySelector("[name=key]").focus();
}

export function requireKey() {
  openSettings(key ? "The server does not accept this API key." : "The server needs an API key.");
}

function close() {
  const isKeyOnly = $("dialog").classList.contains("key"), before = key;
  key = $("dialog").querySelector("[name=key]").value.trim();
  try { sessionStorage.setItem("pyhexagon.key", key); } catch { /* not allowed */ }
  if (!isKeyOnly) {
    settings = {};
    for (const { name, value } of fields()) {
      const text = value.trim();
      if (!text || name === "key" || text === key) continue; // a key is no system prompt
      settings[name] = NUMBERS.includes(name) ? Number(text) : text;
    }
    remembered.write("settings", settings);
  }
  if (key !== before || !isKeyOnly) onKey();
}

// Connects the dialog. whenKey is called when there may be another API key.
export function startSettings(whenKey) {
  onKey = whenKey;
  $("settings").onclick = () => openSettings();
  $("dialog").onclose = close;
  $("defaults").onclick = () => {
    for (const field of fields()) if (field.name !== "key") field.value = "";
  };
}
