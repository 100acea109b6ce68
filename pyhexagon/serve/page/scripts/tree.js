// SPDX-License-Identifier: MIT
// A conversation: a tree of messages, of which one path is shown. Versions of a message have the same parent.
//
// record:  { id, title, created, changed, messages, chosen, tokens }: chosen has the child shown below each parent,
//          tokens what the last request took of the context
// message: { id, parent, role, content, created }, parent is "" for the first one; of a question also { images }, as
//          data: URLs, if there are any; of an answer also { reasoning, thinking, note, isWrong, isCut }: seconds of
//          reasoning, the line below, whether that is an error

export function newId() {
  return [...crypto.getRandomValues(new Uint8Array(10))].map(byte => byte.toString(36).padStart(2, "0")).join("");
}

export function newConversation(title) {
  const now = Date.now();
  return { id: newId(), title, created: now, changed: now, messages: [], chosen: {}, tokens: 0 };
}

export function newMessage(role, parent, content, images = []) {
  const message = { id: newId(), parent, role, content, created: Date.now() };
  return images.length ? { ...message, images } : message;
}

export function find(record, id) {
  return record.messages.find(message => message.id === id);
}

// Returns the versions at a place: the children of a parent.
export function children(record, parent) {
  return record.messages.filter(message => message.parent === parent);
}

// Returns the messages that are shown.
export function path(record) {
  const shown = [];
  for (let parent = ""; ;) {
    const versions = children(record, parent);
    if (!versions.length) return shown;
    const next = versions.find(message => message.id === record.chosen[parent]) ?? versions.at(-1);
    shown.push(next);
    parent = next.id;
  }
}

// Returns the messages from the first one to the one with this id.
function pathTo(record, id) {
  const found = [];
  for (let message = find(record, id); message && !found.includes(message); message = find(record, message.parent)) {
    found.unshift(message);
  }
  return found;
}

// --- Changes: each may run twice, on the record in memory and on the stored one ---

// Adds a message and shows it, or replaces the one with its id.
export function putMessage(record, message) {
  const copy = { ...message }, index = record.messages.findIndex(known => known.id === copy.id);
  if (index >= 0) record.messages[index] = copy;
  else {
    record.messages.push(copy);
    record.chosen[copy.parent] = copy.id;
  }
  record.changed = Date.now();
}

export function choose(record, message) {
  record.chosen[message.parent] = message.id;
}

// Removes a message. What follows it goes on below the version shown instead of it, or below its parent.
export function removeMessage(record, id) {
  const message = find(record, id);
  if (!message) return;
  const versions = children(record, message.parent), at = versions.indexOf(message);
  const instead = versions[at - 1] ?? versions[at + 1];
  const parent = instead ? instead.id : message.parent;
  const following = children(record, id);
  for (const child of following) child.parent = parent;
  if (instead) record.chosen[message.parent] = instead.id;
  const next = following.find(child => child.id === record.chosen[id]) ?? following.at(-1);
  if (next) record.chosen[parent] = next.id;
  delete record.chosen[id];
  record.messages = record.messages.filter(known => known !== message);
}

// Brings back the messages of an earlier copy of a record; those that came later stay.
export function restore(record, earlier) {
  const known = new Set(earlier.messages.map(message => message.id));
  const { messages, chosen } = structuredClone(earlier);
  record.messages = [...messages, ...record.messages.filter(message => !known.has(message.id))];
  record.chosen = { ...record.chosen, ...chosen };
}

// --- What is made of a conversation ---

// Returns the messages of a request, up to the one with this id. Questions without an answer become one with the next,
// because templates want roles to alternate; a question whose answer failed is left out.
export function requestMessages(record, id) {
  const messages = [], all = pathTo(record, id);
  for (const [at, message] of all.entries()) {
    const { role } = message, content = requestContent(message);
    if (!content || (role === "user" && all[at + 1]?.content === "")) continue;
    const last = messages.at(-1);
    if (last?.role === role) last.content = joined(last.content, content);
    else messages.push({ role, content });
  }
  return messages;
}

// Returns a text, or images and a text as parts in OpenAI's form.
function requestContent({ content, images = [] }) {
  const parts = images.map(url => ({ type: "image_url", image_url: { url } }));
  if (!parts.length) return content;
  return content ? [...parts, { type: "text", text: content }] : parts;
}

function joined(first, second) {
  if (typeof first === "string" && typeof second === "string") return `${first}\n\n${second}`;
  return [first, second].flatMap(content => typeof content === "string" ? [{ type: "text", text: content }] : content);
}

export function asMarkdown(record) {
  const heads = { user: "You", assistant: "Assistant" };
  const parts = path(record).map(({ role, content, images = [] }) => {
    const paragraphs = [...images.map(url => `![Image](${url})`), content].filter(Boolean);
    return `## ${heads[role]}\n\n${paragraphs.join("\n\n")}\n`;
  });
  return `# ${record.title}\n\n${parts.join("\n")}`;
}

// Whether a conversation has the same title, texts and images as another one.
export function isSame(record, other) {
  const contents = ({ messages }) => JSON.stringify(messages.map(({ role, content, images }) => [role, content, images]));
  return record.title === other.title && contents(record) === contents(other);
}

export function matches(record, words) {
  return [record.title, ...record.messages.map(message => message.content)].some(text => text.toLowerCase().includes(words));
}
