// SPDX-License-Identifier: MIT
// Images of the next message: chosen, pasted or dropped. Each becomes a data: URL that a request and the storage have
// room for.

import { $, iconButton, make, notice } from "./dom.js";
import { model, seeingModel, takesImages } from "./server.js";

const LONGEST = 2048;    // pixels of a side; image encoders take fewer
const LARGEST = 1 << 20; // bytes of a file that is sent as it is
const SENT = ["image/png", "image/jpeg", "image/webp", "image/gif", "image/bmp"]; // what servers decode

let urls = [];
let preparing = 0; // files that are not in urls yet
let onChange = () => {};

// Connects the button, the clipboard and the mouse. whenChanged is called when there are other images.
export function startImages(whenChanged) {
  onChange = whenChanged;
  $("attach").onclick = () => $("images-file").click();
  $("images-file").onchange = () => {
    const files = [...$("images-file").files];
    $("images-file").value = "";
    add(files);
  };
  document.addEventListener("paste", event => {
    const { files, types } = event.clipboardData;
    if (!files.length || types.includes("text/plain")) return; // office programs add a picture of what is copied
    event.preventDefault();
    add([...files]);
  });
  document.addEventListener("dragover", event => {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  document.addEventListener("dragleave", event => {
    if (!event.relatedTarget) document.body.classList.remove("dropping");
  });
  document.addEventListener("drop", event => {
    document.body.classList.remove("dropping");
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    add([...event.dataTransfer.files]);
  });
}

// Shows the button if the model takes images.
export function showAttach() {
  $("attach").hidden = !takesImages();
}

export function hasImages() {
  return urls.length > 0;
}

export function arePreparing() {
  return preparing > 0;
}

// Returns the images, and begins a message without any.
export function takeImages() {
  const taken = urls;
  urls = [];
  show();
  return taken;
}

async function add(files) {
  notice("images", takesImages() ? "" : refusal());
  if (!takesImages()) return;
  preparing += files.length;
  onChange();
  for (const file of files) {
    try {
      urls.push(await prepared(file));
    } catch {
      notice("images", `${file.name} is no image that this browser can read.`);
    }
    preparing--;
    show();
  }
}

export function refusal() {
  const other = seeingModel();
  return `${model()} takes no images. ${other ? `${other} does.` : "The server needs the mmproj file of a model: pyhexagon serve --mmproj FILE."}`;
}

// Returns an image file as a data: URL, scaled down if it is large: a phone's photo has ten megabytes.
async function prepared(file) {
  const bitmap = await createImageBitmap(file);
  const scale = Math.min(1, LONGEST / Math.max(bitmap.width, bitmap.height));
  if (scale === 1 && file.size <= LARGEST && SENT.includes(file.type)) return read(file);
  const [width, height] = [bitmap.width, bitmap.height].map(side => Math.max(1, Math.round(side * scale)));
  const canvas = make("canvas", { width, height }), context = canvas.getContext("2d");
  context.fillStyle = "white"; // JPEG has no transparency
  context.fillRect(0, 0, width, height);
  context.imageSmoothingQuality = "high";
  context.drawImage(bitmap, 0, 0, width, height);
  bitmap.close();
  return canvas.toDataURL("image/jpeg", 0.9);
}

function read(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result);
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

function show() {
  $("images").replaceChildren(...urls.map((src, at) => {
    const remove = iconButton("close", "Remove the image", () => {
      urls.splice(at, 1);
      show();
      $("question").focus();
    });
    return make("div", {}, make("img", { src, alt: `Image ${at + 1}` }), remove);
  }));
  onChange();
}
