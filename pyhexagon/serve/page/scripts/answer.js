// SPDX-License-Identifier: MIT
// Requests for answers, and their streams. An answer goes on while another conversation is open.

import { longestRequest, model } from "./server.js";
import { headers, requireKey, sampling, systemPrompt } from "./settings.js";
import { change, conversations, tellRunning } from "./storage.js";
import { newMessage, putMessage, requestMessages } from "./tree.js";

const SAVED_EVERY = 1000; // milliseconds

// Answers on their way, by the id of their conversation: { message, wait, stop(), save() }.
export const running = new Map();

// Answers a question, which the conversation has. An answer that was begun is continued.
// onChange is called when the conversation's messages, or the state of its answer, have changed.
export async function answer(id, parent, begun, onChange) {
  const controller = new AbortController();
  const message = { ...(begun ?? newMessage("assistant", parent, "")), note: "", isWrong: false, isCut: true };
  const clock = new Clock(message);
  const current = {
    message, wait: "", stop: () => controller.abort(), save: () => save(id, message),
    tick: () => { clock.showThinking(); onChange(id); tellRunning(id, true); },
  };
  running.set(id, current);
  tellRunning(id, true);
  onChange(id);
  let problem = "", isLimited = false, isDone = false, saved = -Infinity, tokens = 0;
  try {
    for await (const event of await completion(id, message, Boolean(begun), controller.signal)) {
      if (event.error) throw new Error(event.error.message);
      if (event.usage) {
        clock.tokens = event.usage.completion_tokens;
        tokens = event.usage.prompt_tokens + clock.tokens;
      }
      const { delta = {}, finish_reason: reason } = event.choices?.[0] ?? {};
      isLimited ||= reason === "length";
      isDone ||= Boolean(reason);
      const { content, reasoning_content: reasoning } = delta;
      if (!content && !reasoning) continue;
      clock.count(Boolean(content));
      message.reasoning = (message.reasoning ?? "") + (reasoning ?? "");
      message.content += content ?? "";
      message.note = clock.progress();
      if (performance.now() - saved > SAVED_EVERY) {
        saved = performance.now();
        save(id, message);
      }
      onChange(id);
    }
    if (!isDone) problem = "the connection ended early";
  } catch (error) {
    problem = error.name === "AbortError" ? "stopped" : error.message;
  }
  clock.showThinking();
  message.note = [isLimited ? "stopped at the token limit" : "", clock.summary(), problem].filter(Boolean).join(", ");
  message.isWrong = Boolean(problem) && problem !== "stopped";
  message.isCut = Boolean(message.content && (isLimited || problem));
  running.delete(id);
  if (message.content || message.reasoning || problem !== "stopped") await save(id, message, tokens);
  tellRunning(id, false);
  onChange(id, true);
}

function save(id, message, tokens = 0) {
  const record = conversations.get(id);
  if (!record) return undefined; // it was deleted
  const copy = { ...message }; // later words are no part of this change
  if (running.has(id)) copy.note = "interrupted"; // as long as no later copy replaces this one
  return change(record, stored => {
    putMessage(stored, copy);
    if (tokens) stored.tokens = tokens;
  }, running.has(id));
}

async function completion(id, message, isBegun, signal) {
  const record = conversations.get(id), system = systemPrompt();
  const messages = requestMessages(record, message.parent);
  if (system) messages.unshift({ role: "system", content: system });
  const body = { model: model() || undefined, messages, stream: true, stream_options: { include_usage: true }, ...sampling() };
  if (isBegun) {
    messages.push({ role: "assistant", content: message.content });
    body.continue_final_message = true;
  }
  const text = JSON.stringify(body); // nearly all of a long one are images, in ASCII
  if (text.length > longestRequest()) throw new Error(tooLong(text.length));
  const response = await fetch("v1/chat/completions", { method: "POST", headers: headers(), body: text, signal });
  if (response.status === 401) requireKey();
  if (!response.ok) {
    const error = await response.json().then(({ error }) => error.message, () => `the server answered ${response.status}`);
    throw new Error(error);
  }
  return events(response.body);
}

function tooLong(n) {
  const [size, most] = [n, longestRequest()].map(bytes => (bytes / 2 ** 20).toFixed(1));
  return `the conversation with its images takes ${size} MiB, and the server ${most} MiB at most (serve --max-body)`;
}

async function* events(stream) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      if (line.startsWith("data: {")) yield JSON.parse(line.slice(6));
    }
  }
}

// The times of an answer. The server counts tokens of the reasoning, too, so they begin with the first token of either.
class Clock {
  constructor(message) {
    this.message = message;
    this.started = performance.now();
    this.first = 0;
    this.answered = 0; // when the reasoning ended
    this.tokens = 0;
    this.before = message.thinking ?? 0; // seconds of reasoning of the answer that is continued
  }

  count(isContent) {
    this.first ||= performance.now();
    if (isContent) this.answered ||= performance.now();
    this.tokens++;
    this.showThinking();
  }

  showThinking() {
    if (!this.first || !this.message.reasoning) return;
    this.message.thinking = this.before + ((this.answered || performance.now()) - this.first) / 1000;
  }

  speed() {
    return this.tokens < 2 ? "" : `${((this.tokens - 1) * 1000 / (performance.now() - this.first)).toFixed(1)} tokens/s`;
  }

  progress() {
    return [`${this.tokens} tokens`, this.speed()].filter(Boolean).join(", ");
  }

  summary() {
    if (!this.first) return "";
    return [`${this.tokens} ${this.tokens === 1 ? "token" : "tokens"}`, this.speed(),
      `first token after ${((this.first - this.started) / 1000).toFixed(1)} s`].filter(Boolean).join(", ");
  }
}

// Saves what has come so far, before the browser may end the page.
export function saveAll() {
  for (const current of running.values()) {
    if (current.message.content || current.message.reasoning) current.save();
  }
}
