"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const find = document.getElementById("find");
  const filters = [...document.querySelectorAll(".verdict-filter")];

  const cell = (text, css) => {
    const made = document.createElement("td");
    made.setAttribute("role", "cell");
    if (css) made.className = css;
    made.textContent = text;
    return made;
  };

  /* As draw_places of show/chart/strip.py: numbers and our own names, no text of others. */
  const draw = ([name, at, end]) => {
    if (name in data.shapes) return `<svg x="${at}%" y="12"><path d="${data.shapes[name]}"/></svg>`;
    if (name === "rule") return `<line class="rule" x1="${at}%" x2="${at}%" y2="24"/>`;
    return `<line class="reach ${name}" x1="${at}%" x2="${end}%" y1="12" y2="12"/>`;
  };

  function picture(row, css) {
    const told = `${row.labels.join(" · ") || "all"}: ${row.shown[0]}, ${row.shown[1]} to ${row.shown[2]}`;
    const held = cell("", "picture");
    held.innerHTML = `<svg class="dpr strip ${css}" role="img"><title></title>${row.places.map(draw).join("")}</svg>`;
    held.firstChild.setAttribute("aria-label", told);
    held.querySelector("title").textContent = told;
    return held;
  }

  function line_of(row, css, judged) {
    const made = document.createElement("tr");
    made.setAttribute("role", "row");
    row.labels.forEach((label) => {
      const held = cell("", "label");
      const inner = document.createElement("div");
      inner.textContent = label;
      inner.title = label;
      held.append(inner);
      made.append(held);
    });
    made.append(picture(row, css[row.verdict]));
    row.shown.forEach((number, at) => {
      const held = cell(number, "number");
      held.dataset.name = ["ratio", "from", "to"][at];
      made.append(held);
    });
    if (judged) made.append(cell(row.verdict, "verdict"));
    made.append(cell(row.status, "status"));
    return made;
  }

  const key = {
    label: (row, at) => row.labels[at].toLocaleLowerCase(),
    value: (row, at) => row.values[at],
    verdict: (row) => row.verdict,
    status: (row) => row.status,
  };

  function compare(first, second) {
    if (first === null || second === null) return (first === null) - (second === null);
    if (typeof first === "string") return first.localeCompare(second, undefined, { numeric: true });
    return first - second;
  }

  const NAMES = ["labels", "values", "shown", "verdict", "status", "places"];
  const listed = [...document.querySelectorAll(".block")].map((held, at) => {
    const { rows, css } = data.blocks[at];
    return {
      rows: rows.map((row) => Object.fromEntries(NAMES.map((name, place) => [name, row[place]]))),
      css,
      body: held.querySelector(".forest tbody"),
      heads: [...held.querySelectorAll(".forest th[data-sort]")],
      shown: held.querySelector(".shown"),
      fold: held.querySelector(".fold"),
      sorted: null,
    };
  });

  function chosen(block) {
    const wanted = new Set(filters.filter((each) => each.checked).map((each) => each.value));
    const words = find.value.toLocaleLowerCase();
    const rows = block.rows.filter((row) => wanted.has(row.verdict)
      && (!words || row.labels.some((label) => label.toLocaleLowerCase().includes(words))));
    const sorted = block.sorted;
    if (!sorted) return rows;
    const place = (row) => key[sorted.by](row, sorted.at);
    return rows.sort((a, b) => {
      const order = compare(place(a), place(b));
      return place(a) === null || place(b) === null ? order : sorted.down ? -order : order;
    });
  }

  function render(block) {
    const rows = chosen(block);
    const judged = block.heads.some((head) => head.dataset.sort === "verdict");
    block.body.replaceChildren(
      ...rows.slice(0, data.most_rows).map((row) => line_of(row, block.css, judged)));
    const all = block.rows.length;
    block.shown.textContent = rows.length === all && all <= data.most_rows ? ""
      : `${Math.min(rows.length, data.most_rows)} of ${all} are shown.`;
    if (block.fold && (find.value || rows.length < all)) block.fold.open = true;
  }

  listed.forEach((block) => block.heads.forEach((head) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      block.heads.forEach((each) => each.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      block.sorted = { by: head.dataset.sort, at: Number(head.dataset.at || 0), down };
      render(block);
    });
  }));
  const render_all = () => listed.forEach(render);
  find.addEventListener("input", render_all);
  filters.forEach((each) => each.addEventListener("change", render_all));
  const offer = (blob, name) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    URL.revokeObjectURL(link.href);
  };
  document.getElementById("download").addEventListener("click", () => {
    offer(new Blob([data.csv], { type: "text/csv;charset=utf-8" }), data.csv_name);
  });
  const save = document.getElementById("save");
  if (save && data.release) {
    save.hidden = false;
    save.addEventListener("click", async () => {
      const packed = Uint8Array.from(atob(data.release.packed), (letter) => letter.charCodeAt(0));
      if (!("DecompressionStream" in window)) {  /* Browsers of before 2023. */
        offer(new Blob([packed], { type: "application/gzip" }), `${data.release.name}.gz`);
        return;
      }
      const whole = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
      offer(new Blob([await new Response(whole).arrayBuffer()], { type: "application/json" }), data.release.name);
    });
  }
  document.querySelector(".tools").hidden = false;
})();
