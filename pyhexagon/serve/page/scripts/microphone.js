// SPDX-License-Identifier: MIT
// The microphone button: records, and puts what was said into the message field.

import { $, icon, notice } from "./dom.js";
import { speechModel } from "./server.js";
import { bearer } from "./settings.js";

const RATE = 16000; // of the samples that speech models take
const LONGEST = 300; // seconds

let recorder = null;
let hasMicrophone = false;

// Browsers offer the microphone only to https and to this machine, not to a board in the network.
async function findMicrophone() {
  const devices = await navigator.mediaDevices?.enumerateDevices?.() ?? [];
  hasMicrophone = devices.some(({ kind }) => kind === "audioinput");
  showMicrophone();
}

export function showMicrophone() {
  $("microphone").hidden = !hasMicrophone || !speechModel();
}

function showState(state) {
  const words = { ready: "Speak", recording: "Stop recording", busy: "Transcribing…" }[state];
  $("microphone").replaceChildren(icon(state === "recording" ? "stop" : "microphone"));
  $("microphone").setAttribute("aria-label", words);
  $("microphone").title = words;
  $("microphone").disabled = state === "busy";
  $("microphone").classList.toggle("recording", state === "recording");
}

async function record() {
  notice("microphone", "");
  try {
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    const pieces = [];
    recorder = new MediaRecorder(stream);
    recorder.ondataavailable = ({ data }) => pieces.push(data);
    recorder.onstop = () => {
      for (const track of stream.getTracks()) track.stop();
      recorder = null;
      transcribe(new Blob(pieces));
    };
    const running = recorder;
    setTimeout(() => { if (running.state === "recording") running.stop(); }, 1000 * LONGEST);
    recorder.start();
    showState("recording");
  } catch (error) {
    notice("microphone", `The microphone cannot be used: ${error.message}`);
    showState("ready");
  }
}

async function transcribe(recording) {
  showState("busy");
  try {
    const form = new FormData();
    form.append("model", speechModel());
    form.append("file", await wav(recording), "speech.wav");
    const response = await fetch("v1/audio/transcriptions", { method: "POST", headers: bearer(), body: form });
    const answer = await response.json();
    if (!response.ok) throw new Error(answer.error.message);
    insert(answer.text);
  } catch (error) {
    notice("microphone", `The recording was not transcribed: ${error.message}`);
  }
  showState("ready");
}

// Returns a recording, which browsers make in formats of their own, as a WAV file.
async function wav(recording) {
  const audio = await new OfflineAudioContext(1, 1, RATE).decodeAudioData(await recording.arrayBuffer());
  const n = audio.length, view = new DataView(new ArrayBuffer(44 + 2 * n));
  const write = (at, text) => [...text].forEach((letter, i) => view.setUint8(at + i, letter.charCodeAt(0)));
  write(0, "RIFF");
  view.setUint32(4, 36 + 2 * n, true);
  write(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true); // integers
  view.setUint16(22, 1, true); // mono
  view.setUint32(24, RATE, true);
  view.setUint32(28, 2 * RATE, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  write(36, "data");
  view.setUint32(40, 2 * n, true);
  audio.getChannelData(0).forEach((value, i) => {
    view.setInt16(44 + 2 * i, 32767 * Math.max(-1, Math.min(1, value)), true);
  });
  return new Blob([view.buffer], { type: "audio/wav" });
}

// Puts text where the cursor is in the message field.
function insert(text) {
  const field = $("question"), before = field.value.slice(0, field.selectionStart);
  const space = before && !/\s$/.test(before) ? " " : "";
  if (!text) { notice("microphone", "No speech was heard.", [], 5); return; }
  field.setRangeText(space + text, field.selectionStart, field.selectionEnd, "end");
  field.dispatchEvent(new Event("input"));
  field.focus();
}

export function startMicrophone() {
  $("microphone").onclick = () => { if (recorder) recorder.stop(); else record(); };
  showState("ready");
  navigator.mediaDevices?.addEventListener?.("devicechange", findMicrophone);
  findMicrophone();
}
