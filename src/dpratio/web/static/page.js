// The page works without this script: a form that is sent. With it, the forecast follows
// the sliders. Everything shown is computed and escaped by the server.
"use strict";

document.documentElement.classList.add("js");

// Milliseconds without a change before the forecast is asked for, and then the charts:
// the server would still draw those that nobody waits for while a slider moves.
const WAIT = 100;
const WAIT_FOR_CHARTS = 300;

function sliderToNumber(slider) {
  const { low, high, scale, digits } = slider.dataset;
  const share = slider.value / slider.max;
  if (scale === "log") {
    const number = low * (high / low) ** share;
    return String(Number(number.toPrecision(digits)));
  }
  const number = Number(low) + share * (high - low);
  return String(Number(number.toFixed(digits)));
}

function numberToSlider(slider, number) {
  const { low, high, scale } = slider.dataset;
  const inside = Math.min(Math.max(number, low), high);
  const share =
    scale === "log"
      ? Math.log(inside / low) / Math.log(high / low)
      : (inside - low) / (high - low);
  slider.value = Math.round(share * slider.max);
}

function joinSlider(slider) {
  const field = document.getElementById(slider.dataset.for);
  const show = () => {
    if (field.value !== "") numberToSlider(slider, Number(field.value));
    slider.setAttribute("aria-valuetext", field.value);
  };
  slider.addEventListener("input", () => {
    field.value = sliderToNumber(slider);
    slider.setAttribute("aria-valuetext", field.value);
  });
  field.addEventListener("input", show);
  show();
}

function queryOf(form) {
  return new URLSearchParams(new FormData(form)).toString();
}

async function fetchPart(path, query, signal) {
  const answer = await fetch(`${path}?${query}`, { signal });
  if (answer.status !== 200 && answer.status !== 422) {
    throw new Error(await answer.text());
  }
  const found = new DOMParser().parseFromString(await answer.text(), "text/html");
  return found.body;
}

function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => reject(signal.reason));
  });
}

function replacePart(id, found) {
  document.getElementById(id).replaceChildren(...found.childNodes);
}

// Say beside a field what is wrong with it, and open its fold. The focus moves only when
// the form is sent: whoever is still typing elsewhere keeps their place.
function showWrong(form, message, isSent) {
  for (const said of form.querySelectorAll(".wrong")) said.remove();
  for (const field of form.querySelectorAll("[aria-invalid]")) {
    field.removeAttribute("aria-invalid");
    describe(field, "");
  }
  const field = message && document.getElementById(message.dataset.field);
  if (!field) return;
  const fold = field.closest("details");
  if (fold) fold.open = true;
  const said = document.createElement("p");
  said.className = "wrong";
  said.id = `${field.id}-wrong`;
  said.textContent = message.dataset.says;
  field.closest(".field, .slide, fieldset").append(said);
  field.setAttribute("aria-invalid", "true");
  describe(field, said.id);
  if (isSent) field.focus();
}

function describe(field, wrong) {
  const hint = document.getElementById(`${field.id}-hint`);
  const ids = [hint ? hint.id : "", wrong].filter(Boolean).join(" ");
  if (ids) field.setAttribute("aria-describedby", ids);
  else field.removeAttribute("aria-describedby");
}

function followForm(form) {
  let waiting = 0;
  let running = new AbortController();

  async function update(isSent) {
    running.abort();
    running = new AbortController();
    const { signal } = running;
    const query = queryOf(form);
    document.body.setAttribute("aria-busy", "true");
    try {
      const parts = await fetchPart("/forecast", query, signal);
      const message = parts.querySelector("#trouble .message");
      replacePart("trouble", parts.querySelector("#trouble"));
      showWrong(form, message, isSent);
      document.body.classList.toggle("stale", message !== null);
      history.replaceState(null, "", `/?${query}`);
      if (!message) {
        for (const id of ["figures", "answer"]) {
          replacePart(id, parts.querySelector(`#${id}`));
        }
        await pause(WAIT_FOR_CHARTS, signal);
        replacePart("charts", await fetchPart("/charts", query, signal));
      }
    } catch (error) {
      if (error.name === "AbortError") return;
      const silent = "The page does not answer. Is `dpratio page` still running?";
      const said = document.createElement("div");
      said.className = "message";
      said.textContent = error instanceof TypeError ? silent : error.message;
      document.getElementById("trouble").replaceChildren(said);
      document.body.classList.add("stale");
    }
    document.body.removeAttribute("aria-busy");
  }

  form.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(update, WAIT, false);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(waiting); // It would take the place of what is sent.
    update(true);
  });
}

async function copyStudy() {
  const study = document.getElementById("study");
  const said = document.getElementById("copied");
  try {
    await navigator.clipboard.writeText(`${study.textContent}\n`);
    said.textContent = "Copied.";
  } catch {
    getSelection().selectAllChildren(study);
    said.textContent = "Selected: copy it with your keyboard.";
  }
}

function takeFiles(form) {
  const place = form.querySelector(".drop");
  const field = form.querySelector("input[type=file]");
  for (const name of ["dragenter", "dragover"]) {
    place.addEventListener(name, (event) => {
      event.preventDefault();
      place.classList.add("over");
    });
  }
  place.addEventListener("dragleave", () => place.classList.remove("over"));
  place.addEventListener("drop", (event) => {
    event.preventDefault();
    place.classList.remove("over");
    const { files } = event.dataTransfer;
    if (files.length === 1 || (field.multiple && files.length > 1)) {
      field.files = files;
      form.requestSubmit();
    }
  });
  if (form.classList.contains("open")) {
    field.addEventListener("change", () => form.requestSubmit());
  }
}

document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll("input[type=range]").forEach(joinSlider);
  const planner = document.getElementById("planner");
  if (planner) followForm(planner);
  document.querySelectorAll("form:has(.drop)").forEach(takeFiles);
  document.addEventListener("click", (event) => {
    if (event.target.id === "copy") copyStudy();
  });
});
