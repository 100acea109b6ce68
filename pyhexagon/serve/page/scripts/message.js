// SPDX-License-Identifier: MIT
// A message on the page: its text, its reasoning, its versions and buttons.

import { button, copy, icon, iconButton, make } from "./dom.js";
import { render } from "./markdown.js";

// Returns an image as a button, which shows it in its own size, and small again.
function enlarged(src, at) {
  const shown = make("button", {
    type: "button", title: "Enlarge", label: `Enlarge image ${at + 1}`, onclick: () => shown.classList.toggle("large"),
  }, make("img", { src, alt: `Image ${at + 1}` }));
  return shown;
}

// Shows a message. `actions` has what its buttons do, each a function of the message and more:
// choose (a version), edit (its new text), send (another version of a question), answer, regenerate, proceed, remove.
export class MessageView {
  constructor(message, actions) {
    this.message = message;
    this.actions = actions;
    this.element = make("div", { className: `message ${message.role}` });
    this.element.dataset.id = message.id;
    this.content = make("div", { className: "content" });
    this.below = make("div", { className: "below" });
    this.thoughts = null;
    this.text = null;
    if (message.images) this.element.append(make("div", { className: "images" }, ...message.images.map(enlarged)));
    this.element.append(this.content, this.below);
  }

  // Shows the message's present state, which thread.js also leaves in `this.state`: versions of the message; isLast; isRunning: more of it comes; isBusy: the conversation waits for an answer;
  // wait: what is shown in place of an answer that has not begun
  update(message, state) {
    const { isRunning = false, wait = "" } = state;
    this.message = message;
    this.element.classList.toggle("running", isRunning);
    this.element.classList.toggle("last", Boolean(state.isLast));
    if (message.reasoning) this.showThoughts(isRunning && !message.content);
    if (!this.content.querySelector("textarea")) this.showText(isRunning && !message.reasoning ? wait || "…" : "");
    const key = JSON.stringify([state.versions.map(({ id }) => id), state.isLast, isRunning, state.isBusy, message.isCut]);
    if (key !== this.key) this.below.replaceChildren(this.note = make("span", { className: "note" }), ...this.tools(state));
    this.key = key;
    this.note.textContent = message.note ?? "";
    this.note.classList.toggle("wrong", Boolean(message.isWrong));
  }

  showText(wait) {
    const { content, role } = this.message;
    if (!content && role === "assistant") {
      this.content.replaceChildren(...(wait ? [make("span", { className: "waits" }, wait)] : []));
    } else if (content !== this.text) {
      if (role === "user") this.content.textContent = content; else render(this.content, content);
    }
    this.text = content;
  }

  showThoughts(isThinking) {
    if (!this.thoughts) {
      this.thoughts = make("details", { className: "thoughts" }, make("summary"), make("div"));
      this.element.prepend(this.thoughts);
    }
    const [summary, body] = this.thoughts.children, seconds = Math.max(1, Math.round(this.message.thinking ?? 0));
    summary.textContent = isThinking ? `Thinking, ${seconds} s` : this.message.thinking ? `Thought for ${seconds} s` : "Thoughts";
    this.thoughts.classList.toggle("thinking", isThinking);
    if (body.textContent !== this.message.reasoning) body.textContent = this.message.reasoning;
  }

  tools({ versions, isLast, isBusy, isRunning }) {
    if (isRunning) return [];
    const { message } = this, isAnswer = message.role === "assistant", tools = [];
    const act = name => this.actions[name](this.message);
    if (versions.length > 1) tools.push(this.arrows(versions, isBusy));
    if (message.content) {
      const copying = iconButton("copy", "Copy", () => copy(this.message.content, copying));
      tools.push(copying);
    }
    if (isBusy) return tools;
    if (message.content || !isAnswer) tools.push(iconButton("edit", "Edit", () => this.edit()));
    if (isAnswer) tools.push(iconButton("again", message.content ? "Regenerate" : "Try again", () => act("regenerate")));
    if (isAnswer && isLast && message.isCut && message.content) tools.push(this.wordy("continue", "Continue", () => act("proceed")));
    if (!isAnswer && isLast) tools.push(this.wordy("again", "Answer", () => act("answer")));
    return [...tools, iconButton("trash", "Delete", () => act("remove"))];
  }

  wordy(name, words, act) {
    return make("button", { type: "button", className: "wordy", onclick: act }, icon(name), words);
  }

  arrows(versions, isBusy) {
    const at = versions.findIndex(({ id }) => id === this.message.id);
    const [back, next] = [["left", "Earlier version", -1], ["right", "Later version", 1]].map(([name, label, step]) => {
      const arrow = iconButton(name, label, () => this.actions.choose(versions[at + step]));
      arrow.disabled = isBusy || !versions[at + step];
      return arrow;
    });
    return make("span", { className: "versions" }, back, `${at + 1}/${versions.length}`, next);
  }

  // Puts a field in the place of the text. A changed question is sent as another version, or only kept.
  edit() {
    const { message, actions } = this, isQuestion = message.role === "user";
    const field = make("textarea", { value: message.content, label: "Message" });
    const close = act => {
      this.text = null;
      this.content.classList.remove("rendered");
      this.content.replaceChildren();
      this.element.classList.remove("editing");
      act?.();
      this.update(this.message, this.state);
    };
    const act = name => {
      const text = field.value.trim();
      if (text || message.images) close(() => actions[name](message, text));
    };
    const buttons = [button("Cancel", () => close()), button("Save", () => act("edit"))];
    if (isQuestion) buttons.push(button("Send", () => act("send")));
    buttons.at(-1).classList.add("main");
    field.onkeydown = event => {
      if (event.key === "Escape") close();
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) buttons.at(-1).click();
      if (event.key === "Escape") event.stopPropagation();
    };
    this.element.classList.add("editing");
    this.content.classList.remove("rendered");
    this.content.replaceChildren(field, make("div", { className: "row" }, ...buttons));
    field.focus();
  }
}
