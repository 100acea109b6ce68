// SPDX-License-Identifier: MIT
// Elements of the page, icon buttons, notices; copying and saving text.

export const $ = id => document.getElementById(id);

// Returns an element with properties; children that are strings become text.
export function make(tag, properties = {}, ...children) {
  const { label, ...others } = properties;
  const element = Object.assign(document.createElement(tag), others);
  if (label) element.setAttribute("aria-label", label);
  element.append(...children);
  return element;
}

// Returns an icon of the page: a symbol of page.html.
export function icon(name) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.append(document.createElementNS(space, "use"));
  svg.firstChild.setAttribute("href", `#icon-${name}`);
  svg.setAttribute("aria-hidden", "true");
  return svg;
}

export function iconButton(name, label, act) {
  return make("button", { type: "button", className: "icon", title: label, label, onclick: act }, icon(name));
}

export function button(words, act) {
  return make("button", { type: "button", onclick: act }, words);
}

// Runs a step that makes the thread longer; a reader at its end stays at its end.
export function follow(step) {
  const thread = $("thread");
  const isAtEnd = thread.scrollHeight - thread.scrollTop - thread.clientHeight < 60;
  step();
  if (isAtEnd) thread.scrollTop = thread.scrollHeight;
}

// --- Notices ---

const timers = {}; // after which a notice goes

// Shows a message above the message field, in the place of an earlier one of the same kind; without words, removes it.
export function notice(kind, words, buttons = [], seconds = 0) {
  clearTimeout(timers[kind]);
  const old = document.querySelector(`#notices [data-kind=${kind}]`);
  if (!words) { old?.remove(); return; }
  const close = iconButton("close", "Close this message", () => notice(kind, ""));
  const shown = make("div", { className: "notice" }, make("span", {}, words), ...buttons, close);
  shown.dataset.kind = kind;
  if (old) old.replaceWith(shown); else $("notices").append(shown);
  if (seconds) timers[kind] = setTimeout(() => notice(kind, ""), 1000 * seconds);
}

// Offers for ten seconds to undo what was done.
export function offerUndo(words, undo) {
  notice("undo", words, [button("Undo", () => { notice("undo", ""); undo(); })], 10);
}

// --- Copying and saving ---

// Copies text. Browsers offer navigator.clipboard only to https and to this machine, not to a board in the network.
export async function copy(text, from) {
  try {
    if (navigator.clipboard) await navigator.clipboard.writeText(text);
    else copySelected(text);
  } catch {
    copySelected(text);
  }
  if (!from) return;
  from.classList.add("done");
  setTimeout(() => from.classList.remove("done"), 1500);
}

function copySelected(text) {
  const field = make("textarea", { value: text, className: "hidden", readOnly: true });
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
}

// Saves text as a file.
export function download(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

// --- Dates ---

// Returns the time of today, the day of this year, or the date.
export function shortDate(milliseconds) {
  const date = new Date(milliseconds), now = new Date();
  if (date.toDateString() === now.toDateString()) {
    return date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  }
  const year = date.getFullYear() === now.getFullYear() ? {} : { year: "numeric" };
  return date.toLocaleDateString([], { day: "numeric", month: "short", ...year });
}
