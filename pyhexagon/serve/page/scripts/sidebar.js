// SPDX-License-Identifier: MIT
// The list of conversations, with a menu for each of them.

import { running } from "./answer.js";
import { $, iconButton, make, offerUndo, shortDate } from "./dom.js";
import { exportOne } from "./files.js";
import { answeredElsewhere, change, conversations, remove } from "./storage.js";
import { openId } from "./thread.js";
import { matches } from "./tree.js";

const unread = new Set(); // ids of conversations with an answer that was not shown yet
let chosen = null; // the conversation whose menu is open
let open = () => {};

// whenOpened is called with the id of a conversation that is to be shown.
export function startSidebar(whenOpened) {
  open = whenOpened;
  $("search").oninput = showSidebar;
  $("menu-rename").onclick = () => { $("menu").hidePopover(); rename(chosen); };
  $("menu-export").onclick = () => { $("menu").hidePopover(); exportOne(chosen); };
  $("menu-delete").onclick = () => { $("menu").hidePopover(); removeConversation(chosen); };
}

export function markUnread(id) {
  if (id !== openId()) unread.add(id);
}

export function markRead(id) {
  unread.delete(id);
}

export function showSidebar() {
  if ($("history").querySelector("input")) return; // a title is being written
  const words = $("search").value.trim().toLowerCase();
  const shown = [...conversations.values()].filter(record => !words || matches(record, words));
  shown.sort((a, b) => b.changed - a.changed);
  $("history").replaceChildren(...shown.map(item));
  if (!shown.length && words) $("history").append(make("li", { className: "none" }, "Nothing found"));
}

function item(record) {
  const isRunning = running.has(record.id) || answeredElsewhere.has(record.id);
  const date = new Date(record.changed);
  const lines = [make("span", { className: "title" }, record.title), make("time", { dateTime: date.toISOString() }, shortDate(record.changed))];
  const opening = make("button", {
    type: "button", className: "open", title: `${record.title}\n${date.toLocaleString()}`, onclick: () => open(record.id),
  }, ...lines);
  if (isRunning || unread.has(record.id)) {
    const words = isRunning ? "An answer is on its way" : "A new answer";
    opening.append(make("span", { className: isRunning ? "dot running" : "dot", role: "img", title: words, label: words }));
  }
  const more = iconButton("more", `Menu of ${record.title}`, () => openMenu(record, more));
  const element = make("li", {}, opening, more);
  element.dataset.id = record.id;
  if (record.id === openId()) {
    element.className = "now";
    opening.setAttribute("aria-current", "page");
  }
  return element;
}

function openMenu(record, from) {
  chosen = record;
  const menu = $("menu"), place = from.getBoundingClientRect();
  menu.showPopover();
  menu.style.left = `${Math.max(8, Math.min(place.left, innerWidth - menu.offsetWidth - 8))}px`;
  menu.style.top = `${Math.min(place.bottom + 2, innerHeight - menu.offsetHeight - 8)}px`;
  menu.querySelector("button").focus();
}

// Puts a field in the place of a title. Enter or another place on the page keeps what it has, Escape does not.
function rename(record) {
  const opening = document.querySelector(`#history [data-id="${record.id}"] .open`);
  if (!opening) return;
  const field = make("input", { className: "open", value: record.title, label: "Title" });
  field.onkeydown = event => {
    if (event.key === "Escape") field.value = record.title;
    if (["Enter", "Escape"].includes(event.key) && !event.isComposing) field.blur();
    event.stopPropagation();
  };
  field.onblur = () => {
    const title = field.value.trim();
    field.remove();
    if (title && title !== record.title) change(conversations.get(record.id) ?? record, stored => { stored.title = title; });
    showSidebar();
  };
  opening.replaceWith(field);
  field.focus();
  field.select();
}

function removeConversation(record) {
  running.get(record.id)?.stop();
  const wasOpen = record.id === openId(), present = conversations.get(record.id) ?? record;
  remove(present);
  if (wasOpen) open("");
  showSidebar();
  offerUndo("The conversation was deleted.", () => {
    change(present, () => {});
    if (wasOpen) open(present.id);
    showSidebar();
  });
}
