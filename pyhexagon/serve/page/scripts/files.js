// SPDX-License-Identifier: MIT
// Conversations as files: one as Markdown, all of them as JSON, which can be read again.

import { download, notice } from "./dom.js";
import { addNew, conversations } from "./storage.js";
import { asMarkdown, newId } from "./tree.js";

const FORMAT = "pyhexagon conversations";
const IMAGE = /^data:image\/[a-z]+;base64,[A-Za-z0-9+/=]+$/;

export function exportOne(record) {
  const name = record.title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "").slice(0, 50) || "conversation";
  download(`${name}.md`, "text/markdown", asMarkdown(record));
}

export function exportAll() {
  const day = new Date().toISOString().slice(0, 10);
  const content = { format: FORMAT, version: 1, conversations: [...conversations.values()] };
  download(`conversations-${day}.json`, "application/json", JSON.stringify(content, null, 1));
}

// Adds the conversations of a file that exportAll wrote; those that are there already stay as they are.
export async function importAll(file) {
  try {
    const content = JSON.parse(await file.text());
    if (content?.format !== FORMAT || !Array.isArray(content.conversations)) throw new SyntaxError();
    const records = content.conversations.map(checked).filter(record => record.messages.length);
    const added = await addNew(records);
    const rest = records.length - added;
    notice("import", `${added} imported${rest ? `, ${rest} were there already` : ""}.`, [], 10);
  } catch (error) {
    const isOther = error instanceof SyntaxError;
    notice("import", isOther ? `${file.name} is no export of conversations.` : `The import failed: ${error.message}`);
  }
}

const text = value => typeof value === "string" ? value : "";
const number = (value, otherwise) => Number.isFinite(value) ? value : otherwise;

// Returns a record with the fields and kinds that the page expects, whatever a file has.
function checked(given) {
  const messages = [], ids = new Map([["", ""]]);
  for (const message of Array.isArray(given?.messages) ? given.messages : []) {
    if (!message || typeof message !== "object") continue;
    const role = message.role === "assistant" ? "assistant" : "user", id = newId();
    const parent = ids.get(text(message.parent)) ?? messages.at(-1)?.id ?? "";
    ids.set(text(message.id) || id, id);
    const images = (Array.isArray(message.images) ? message.images : []).filter(url => IMAGE.test(url));
    messages.push({
      ...(images.length && { images }), id, parent, role, content: text(message.content), created: number(message.created, Date.now()),
      reasoning: text(message.reasoning), thinking: number(message.thinking, 0), note: text(message.note),
      isWrong: message.isWrong === true, isCut: message.isCut === true,
    });
  }
  const chosen = Object.entries(given?.chosen ?? {}).map(([parent, child]) => [ids.get(parent), ids.get(child)]);
  return {
    id: newId(), title: text(given?.title) || "Imported", created: number(given?.created, Date.now()),
    changed: number(given?.changed, Date.now()), messages, tokens: number(given?.tokens, 0),
    chosen: Object.fromEntries(chosen.filter(([parent, child]) => parent !== undefined && child)),
  };
}
