// SPDX-License-Identifier: MIT
// What people do on the page, and what follows from it.

import { answer, running, saveAll } from "./answer.js";
import { $, button, icon, notice, offerUndo } from "./dom.js";
import { exportAll, importAll } from "./files.js";
import { arePreparing, hasImages, refusal, showAttach, startImages, takeImages } from "./images.js";
import { showMicrophone, startMicrophone } from "./microphone.js";
import { model, readFigures, readModels, showContext, startModels, takesImages } from "./server.js";
import { startSettings } from "./settings.js";
import { markRead, markUnread, showSidebar, startSidebar } from "./sidebar.js";
import { change, conversations, load, storage } from "./storage.js";
import { openId, showConversation, showThread, startThread } from "./thread.js";
import { choose, find, newConversation, newMessage, path, putMessage, removeMessage, restore } from "./tree.js";

const hasKeyboard = matchMedia("(hover: hover)").matches; // else the focus opens one over the page

// --- Which conversation is open ---

function idOfAddress() {
  const id = decodeURIComponent(location.hash.slice(1));
  return conversations.has(id) ? id : "";
}

// Opens a conversation, or a new one; the address names it, so that a reload, Back and a second tab know it.
function open(id) {
  const address = id ? `#${id}` : location.pathname + location.search;
  if (id !== idOfAddress() || (!id && location.hash)) history.pushState(null, "", address);
  show(id);
}

function show(id) {
  markRead(id);
  showConversation(id);
  showSidebar();
  showSending();
  showContext(conversations.get(id)?.tokens);
  warnOfImages();
  document.body.classList.remove("side");
  if (hasKeyboard) $("question").focus();
}

// Says so if the model does not see the images here: the server tells it only that there are some.
function warnOfImages() {
  const record = conversations.get(openId());
  const has = hasImages() || Boolean(record && path(record).some(({ images }) => images));
  notice("images", has && model() && !takesImages() ? refusal() : "");
}

// --- Questions and answers ---

function showSending() {
  const isRunning = running.has(openId());
  $("send").replaceChildren(icon(isRunning ? "stop" : "send"));
  $("send").setAttribute("aria-label", isRunning ? "Stop" : "Send");
  $("send").title = isRunning ? "Stop" : "Send";
  $("send").disabled = !isRunning && (arePreparing() || !($("question").value.trim() || hasImages()));
}

function changed(id, isEnd = false) {
  if (isEnd && id !== openId() && conversations.has(id)) markUnread(id);
  if (isEnd || !running.get(id)?.isListed) showSidebar();
  if (running.has(id)) running.get(id).isListed = true;
  if (id !== openId()) return;
  showThread();
  showSending();
}

function begin(id, parent, begun) {
  return answer(id, parent, begun, changed);
}

async function ask(text, images) {
  const isNew = !openId();
  const record = isNew ? newConversation(text.slice(0, 200).replace(/\s+/g, " ") || "Image") : conversations.get(openId());
  const last = document.querySelector(".message:last-child")?.dataset.id ?? "";
  const question = newMessage("user", last, text, images);
  change(record, stored => putMessage(stored, question));
  if (isNew) open(record.id);
  showThread();
  showSidebar();
  $("thread").scrollTop = $("thread").scrollHeight;
  navigator.storage?.persist?.();
  await begin(record.id, question.id);
}

function edited(edit) {
  change(conversations.get(openId()), edit);
  showThread();
}

const actions = {
  choose: message => edited(record => choose(record, message)),
  edit: (message, text) => edited(record => {
    const stored = find(record, message.id);
    if (stored) stored.content = text;
  }),
  send(message, text) {
    const question = newMessage("user", message.parent, text, message.images);
    edited(record => putMessage(record, question));
    begin(openId(), question.id);
  },
  answer: message => begin(openId(), message.id),
  regenerate(message) {
    if (!message.content) edited(record => removeMessage(record, message.id)); // nothing to keep of it
    begin(openId(), message.parent);
  },
  proceed: message => begin(openId(), message.parent, message),
  remove(message) {
    const record = conversations.get(openId()), before = structuredClone(record), id = openId();
    edited(stored => removeMessage(stored, message.id));
    offerUndo("The message was deleted.", () => {
      change(conversations.get(id) ?? before, stored => restore(stored, before));
      showThread();
    });
  },
};

// --- Fields, buttons, keys ---

const DRAFT = "pyhexagon.draft"; // what was written and not sent, until this tab is closed

function keepDraft() {
  try { sessionStorage.setItem(DRAFT, $("question").value); } catch { /* full, or not allowed */ }
  showSending();
}

function startFields() {
  try { $("question").value = sessionStorage.getItem(DRAFT) ?? ""; } catch { /* not allowed */ }
  $("question").oninput = keepDraft;
  $("ask").onsubmit = event => {
    event.preventDefault();
    const text = $("question").value.trim();
    if (running.has(openId())) running.get(openId()).stop();
    else if (!$("send").disabled) {
      const images = takeImages();
      $("question").value = "";
      keepDraft();
      ask(text, images);
    }
  };
  $("question").onkeydown = event => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    if (!running.has(openId())) $("ask").requestSubmit();
  };
  for (const id of ["new", "new-small"]) $(id).onclick = () => open("");
  $("toggle").onclick = () => document.body.classList.toggle("side");
  $("export-all").onclick = exportAll;
  $("import-all").onclick = () => $("file").click();
  $("file").onchange = async () => {
    const [file] = $("file").files;
    $("file").value = "";
    if (file) await importAll(file);
    showSidebar();
  };
}

document.addEventListener("click", event => {
  if (!event.target.closest?.("aside, #toggle, #menu, #notices")) document.body.classList.remove("side");
});

document.addEventListener("keydown", event => {
  if (event.target.closest?.("dialog, [popover]")) return;
  const isWriting = event.target.closest?.("input, textarea, select");
  if (event.key === "Escape") {
    if (document.body.classList.contains("side")) document.body.classList.remove("side");
    else running.get(openId())?.stop();
  } else if (event.key === "/" && !isWriting) {
    event.preventDefault();
    $("question").focus();
  } else if (event.code === "KeyN" && event.altKey) {
    event.preventDefault();
    open("");
  }
});

// --- Storage, other tabs, time ---

storage.onProblem = () => {
  const words = `Conversations are not saved: ${storage.problem}. Export them, or delete some, before you leave this page.`;
  notice("storage", storage.problem && words, [button("Export all", exportAll)]);
};

storage.onOtherTab = id => {
  showSidebar();
  if (id !== openId()) return;
  if (conversations.has(id)) showThread(); else open("");
};

addEventListener("popstate", () => show(idOfAddress()));
addEventListener("pagehide", saveAll);
document.addEventListener("visibilitychange", () => { if (document.hidden) saveAll(); });

async function everySecond() {
  const isWaiting = [...running.values()].some(({ message }) => !message.note);
  if (!document.hidden) {
    const wait = await readFigures(isWaiting);
    showContext(conversations.get(openId())?.tokens);
    for (const each of running.values()) each.wait = wait;
  }
  for (const each of running.values()) each.tick();
  setTimeout(everySecond, 1000);
}

function showInputs() {
  showMicrophone();
  showAttach();
  warnOfImages();
}

startThread(actions);
startSidebar(open);
startSettings(() => readModels().then(showInputs));
startModels(showInputs);
startFields();
startImages(showSending);
startMicrophone();
showSending();
load().then(() => show(idOfAddress()));
readModels().then(showInputs).then(everySecond);
