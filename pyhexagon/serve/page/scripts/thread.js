// SPDX-License-Identifier: MIT
// The messages of the open conversation.

import { running } from "./answer.js";
import { $, follow } from "./dom.js";
import { MessageView } from "./message.js";
import { answeredElsewhere, conversations } from "./storage.js";
import { children, find, path } from "./tree.js";

let views = new Map(); // by id of the message
let open = ""; // id of the conversation; empty: a new one
let actions = {};

export function startThread(given) {
  actions = given;
}

export function openId() {
  return open;
}

// Shows another conversation, at its end; an empty id: none.
export function showConversation(id) {
  open = id;
  views = new Map();
  $("thread").replaceChildren();
  showThread();
  $("thread").scrollTop = $("thread").scrollHeight;
}

// Shows the present state of the open conversation, with the answer on its way.
export function showThread() {
  const record = conversations.get(open), answer = running.get(open);
  const shown = record ? path(record) : [];
  if (answer && !find(record, answer.message.id)) { // nothing of it has come yet
    const at = shown.findIndex(message => message.id === answer.message.parent);
    shown.splice(at + 1, shown.length, answer.message);
  }
  const used = new Map();
  for (const [at, message] of shown.entries()) {
    const view = views.get(message.id) ?? new MessageView(message, actions);
    const isRunning = answer?.message.id === message.id;
    const siblings = children(record, message.parent);
    view.state = {
      versions: siblings.includes(message) ? siblings : [...siblings, message], isLast: at === shown.length - 1,
      isRunning, isBusy: Boolean(answer) || answeredElsewhere.has(open), wait: answer?.wait ?? "",
    };
    used.set(message.id, view);
  }
  const isSame = [...used.values()].every((view, at) => $("thread").children[at] === view.element);
  follow(() => {
    if (!isSame || used.size !== views.size) $("thread").replaceChildren(...[...used.values()].map(view => view.element));
    views = used;
    for (const message of shown) {
      const view = views.get(message.id);
      view.update(view.state.isRunning ? answer.message : message, view.state);
    }
  });
}
