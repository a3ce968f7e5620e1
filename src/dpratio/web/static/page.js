// The page works without this script: a form that is sent. With it, the answer follows
// the text. Everything shown is computed and escaped by the server.
"use strict";

const WAIT = 200; // milliseconds without a change

const form = document.getElementById("planner");
let waiting = 0;
let running = new AbortController();

async function update() {
  running.abort();
  running = new AbortController();
  const place = document.getElementById("answer");
  place.setAttribute("aria-busy", "true");
  try {
    const body = new URLSearchParams(new FormData(form));
    const options = { method: "POST", body, signal: running.signal };
    const text = await (await fetch("/", options)).text();
    const page = new DOMParser().parseFromString(text, "text/html");
    place.replaceChildren(...page.getElementById("answer").childNodes);
  } catch (error) {
    if (error.name === "AbortError") return;
    const message = document.createElement("p");
    message.className = "message";
    message.textContent = "The page does not answer. Is `dpratio page` still running?";
    place.replaceChildren(message);
  }
  place.removeAttribute("aria-busy");
}

form.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(update, WAIT);
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  clearTimeout(waiting);
  update();
});

const release = document.getElementById("release");
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", (event) => {
  event.preventDefault();
  if (event.dataTransfer.files.length !== 1) return;
  release.files = event.dataTransfer.files;
  release.form.requestSubmit();
});
