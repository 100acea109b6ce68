// SPDX-License-Identifier: MIT
// Conversations in IndexedDB, one record each. All tabs change them: a change is a function of a record, which runs on
// the stored record within a transaction, so that no tab writes over what another one has added.

import { isSame, newConversation, newMessage, putMessage, restore } from "./tree.js";

export const conversations = new Map(); // by id, as this tab knows them
export const storage = {
  problem: "",                // why conversations are not stored; empty: they are
  onProblem: () => {},        // called when the problem changes
  onOtherTab: id => {},       // called when another tab has changed a conversation, or begins or ends an answer in it
};
export const answeredElsewhere = new Map(); // ids of conversations in which another tab answers, with their timers

const STORE = "conversations";
const unsaved = new Set(); // ids of conversations whose last change is in memory only
const channel = new BroadcastChannel("pyhexagon");
let database = null;
let edits = 0; // of this tab

function opened() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open("pyhexagon", 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: "id" });
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
      const found = request.result;
      found.onversionchange = () => found.close(); // a newer page must not wait for this one
      found.onclose = () => { database = null; };
      resolve(found);
    };
  });
}

// Runs work(store) in a transaction and returns the result of the request that it returns.
async function transact(mode, work) {
  for (let isLast = false; ; isLast = true) {
    try {
      database ??= await opened();
      const transaction = database.transaction(STORE, mode);
      return await new Promise((resolve, reject) => {
        const request = work(transaction.objectStore(STORE));
        transaction.oncomplete = () => resolve(request?.result);
        transaction.onabort = () => reject(transaction.error ?? new Error("the browser aborted it"));
      });
    } catch (error) {
      if (isLast || error.name === "QuotaExceededError") throw error;
      database = null; // a browser may close a database while it sleeps
    }
  }
}

function report(error) {
  const isFull = error?.name === "QuotaExceededError";
  const isRefused = ["TypeError", "SecurityError", "InvalidStateError"].includes(error?.name);
  const reason = isRefused ? "this browser does not let the page store anything" : error?.message || error?.name;
  const problem = !error ? "" : isFull ? "the browser's storage is full" : reason;
  if (problem === storage.problem) return;
  storage.problem = problem;
  storage.onProblem();
}

// Reads all conversations; takes over those that an earlier version of the page kept in localStorage.
export async function load() {
  try {
    const old = JSON.parse(localStorage.getItem("pyhexagon.talks") ?? "[]");
    if (old.length) {
      await addNew(old.map(converted));
      localStorage.removeItem("pyhexagon.talks");
    }
    for (const record of await transact("readonly", store => store.getAll())) conversations.set(record.id, record);
  } catch (error) {
    report(error);
  }
}

function converted({ title, messages, tokens }, index) {
  const record = newConversation(title);
  let parent = "";
  for (const { role, content, told, isCut, reasoning } of messages) {
    const message = { ...newMessage(role, parent, content), note: told ?? "", isCut: Boolean(isCut), reasoning: reasoning ?? "" };
    putMessage(record, message);
    parent = message.id;
  }
  record.created = record.changed = Date.now() - index; // the newest was the first
  return { ...record, tokens: tokens ?? 0 };
}

// Stores those records that are not there yet, in one transaction, and returns their number.
export async function addNew(records) {
  const added = [];
  await transact("readwrite", store => {
    const all = store.getAll();
    all.onsuccess = () => {
      for (const record of records) {
        if ([...all.result, ...added].some(known => isSame(known, record))) continue;
        added.push(record);
        store.put(record);
      }
    };
  });
  for (const record of added) {
    conversations.set(record.id, record);
    channel.postMessage({ id: record.id });
  }
  return added.length;
}

// Changes a conversation in memory, and in the database. A new or removed one comes, or comes back.
export async function change(record, edit, isRunning = false) {
  edits++;
  edit(record);
  conversations.set(record.id, record);
  const { id } = record, wasUnsaved = unsaved.has(id);
  const written = structuredClone(record);
  try {
    await transact("readwrite", store => {
      const request = store.get(id);
      request.onsuccess = () => {
        const stored = request.result;
        if (stored && !wasUnsaved) edit(stored);
        else if (stored) { // keeps what other tabs have added
          restore(stored, written);
          stored.title = written.title;
          stored.changed = written.changed;
        }
        store.put(stored ?? written);
      };
    });
    unsaved.delete(id);
    if (!unsaved.size) report(null);
    channel.postMessage({ id, isRunning });
    await saveOthers();
  } catch (error) {
    unsaved.add(id);
    report(error);
  }
}

// Saves what could not be saved before.
async function saveOthers() {
  const [id] = unsaved;
  if (id && conversations.has(id)) await change(conversations.get(id), () => {});
}

export async function remove(record) {
  edits++;
  conversations.delete(record.id);
  unsaved.delete(record.id);
  try {
    await transact("readwrite", store => store.delete(record.id));
    channel.postMessage({ id: record.id });
    await saveOthers();
  } catch (error) {
    report(error);
  }
}

// Tells other tabs that an answer comes in a conversation, or has ended.
export function tellRunning(id, isRunning) {
  channel.postMessage({ id, isRunning, isSameRecord: true });
}

channel.onmessage = async ({ data: { id, isRunning, isSameRecord } }) => {
  for (let before = -1; !isSameRecord && before !== edits && !unsaved.has(id);) {
    before = edits; // a change of this tab meanwhile is in the next answer
    try {
      const stored = await transact("readonly", store => store.get(id));
      if (before !== edits) continue;
      if (stored) conversations.set(id, stored); else conversations.delete(id);
    } catch (error) {
      report(error);
      return;
    }
  }
  markElsewhere(id, isRunning);
};

// Notes whether another tab answers in a conversation. It says so each second, until it ends or is closed.
function markElsewhere(id, isRunning) {
  clearTimeout(answeredElsewhere.get(id));
  answeredElsewhere.delete(id);
  if (isRunning && conversations.has(id)) answeredElsewhere.set(id, setTimeout(() => markElsewhere(id, false), 10000));
  storage.onOtherTab(id);
}

addEventListener("beforeunload", event => {
  if (unsaved.size) event.preventDefault(); // the browser asks whether to leave
});
