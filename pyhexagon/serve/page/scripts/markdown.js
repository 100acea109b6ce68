// SPDX-License-Identifier: MIT
// Shows the Markdown of answers: first what marked() makes of it, then the server's HTML.

import { copy, follow, iconButton, make } from "./dom.js";
import { headers } from "./settings.js";

const INTERVAL = 250; // milliseconds between two requests for a text that grows
const LONGEST = 1 << 15; // characters of a text that the server takes
const MOST_KEPT = 200;
const kept = new Map(); // HTML of texts, the newest last: a conversation that is opened again needs no requests

async function htmlOf(text) {
  if (!kept.has(text)) {
    if (text.length > LONGEST) throw new RangeError("too long");
    const response = await fetch("markdown", { method: "POST", headers: headers(), body: JSON.stringify({ text }) });
    if (!response.ok) throw new Error(`status ${response.status}`);
    kept.set(text, (await response.json()).html);
    if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value);
  }
  return kept.get(text);
}

function put(content, html) {
  content.innerHTML = html; // the server has sanitised it
  content.classList.add("rendered");
  content.querySelectorAll("pre").forEach(nameCode);
}

// Shows a text in an element. While it grows, the server is asked for the newest text at most four times a second.
export async function render(content, text) {
  const isBusy = "text" in content;
  content.text = text;
  if (!isBusy && kept.has(text)) put(content, kept.get(text));
  else if (!content.classList.contains("rendered")) content.replaceChildren(...marked(text));
  if (isBusy) return;
  for (let shown = kept.has(text) ? text : null; shown !== content.text && content.text;) {
    shown = content.text;
    try {
      const html = await htmlOf(shown);
      follow(() => put(content, html));
    } catch {
      content.classList.remove("rendered");
      follow(() => content.replaceChildren(...marked(content.text)));
    }
    await new Promise(resolve => setTimeout(resolve, INTERVAL));
  }
  delete content.text;
}

// Puts the language of a code block and a button that copies it above the block.
function nameCode(pre) {
  const language = pre.firstElementChild?.className.match(/language-(\S+)/)?.[1] ?? "";
  const copying = iconButton("copy", "Copy the code", () => copy(pre.textContent, copying));
  const block = make("div", { className: "code" }, make("div", { className: "about" }, make("span", {}, language), copying));
  pre.replaceWith(block);
  block.append(pre);
}

// Yields what a model marks as code or as bold; all else stays as it was written. Nothing becomes HTML.
function* marked(text) {
  const pieces = text.split(/^```[^\n`]*\n([^]*?)(?:^```[ \t]*$\n?|(?![^]))/m);
  for (const [at, piece] of pieces.entries()) {
    if (at % 2) {
      yield make("pre", {}, make("code", {}, piece.replace(/\n$/, "")));
      continue;
    }
    const around = at + 1 < pieces.length ? piece.replace(/\n+$/, "") : piece; // a block keeps its own distance
    for (const [part, words] of around.split(/(`[^`\n]+`|\*\*[^*\n]+\*\*)/).entries()) {
      if (part % 2) yield words[0] === "`" ? make("code", {}, words.slice(1, -1)) : make("strong", {}, words.slice(2, -2));
      else if (words) yield words;
    }
  }
}
