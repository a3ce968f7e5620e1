"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const body = document.querySelector("#forest tbody");
  const shown = document.getElementById("shown");
  const find = document.getElementById("find");
  const filters = [...document.querySelectorAll(".verdict-filter")];
  const DRAWN = "http://www.w3.org/2000/svg";
  const judged = data.reference_at !== null;
  let sorted = null;

  const drawn = (name, attributes) => {
    const made = document.createElementNS(DRAWN, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };
  const cell = (text, css) => {
    const made = document.createElement("td");
    made.setAttribute("role", "cell");
    if (css) made.className = css;
    made.textContent = text;
    return made;
  };
  const line = (css, from, to, top, bottom) =>
    drawn("line", { class: css, x1: from, x2: to, y1: top, y2: bottom });

  function picture(row) {
    const held = cell("", "picture");
    const svg = drawn("svg", {
      class: `interval ${row.css}`, viewBox: "0 0 1000 24", preserveAspectRatio: "none",
      role: "img", "aria-label": row.told,
    });
    const title = drawn("title", {});
    title.textContent = row.told;
    svg.append(title);
    if (judged) svg.append(line("reference", data.reference_at, data.reference_at, 0, 24));
    svg.append(line("reach", row.at[1], row.at[2], 12, 12));
    if (row.at[0] !== null) svg.append(line("middle", row.at[0], row.at[0], 5, 19));
    held.append(svg);
    return held;
  }

  function verdict(row) {
    const held = cell("", "verdict");
    const svg = drawn("svg", { class: `key ${row.css}`, viewBox: "-6 -6 12 12", "aria-hidden": "true" });
    svg.append(drawn("use", { href: `#${row.css}` }));
    held.append(svg, ` ${row.verdict}`);
    return held;
  }

  function line_of(row) {
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
    made.append(picture(row));
    row.shown.forEach((number, at) => {
      const held = cell(number, "number");
      held.dataset.name = ["ratio", "from", "to"][at];
      made.append(held);
    });
    if (judged) made.append(verdict(row));
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

  function chosen() {
    const wanted = new Set(filters.filter((each) => each.checked).map((each) => each.value));
    const words = find.value.toLocaleLowerCase();
    const rows = data.rows.filter((row) => wanted.has(row.verdict)
      && row.labels.some((label) => label.toLocaleLowerCase().includes(words)));
    if (!sorted) return rows;
    const place = (row) => key[sorted.by](row, sorted.at);
    return rows.sort((a, b) => {
      const order = compare(place(a), place(b));
      return place(a) === null || place(b) === null ? order : sorted.down ? -order : order;
    });
  }

  function render() {
    const rows = chosen();
    body.replaceChildren(...rows.slice(0, data.most_rows).map(line_of));
    const all = data.rows.length;
    shown.textContent = rows.length === all && all <= data.most_rows ? ""
      : `${Math.min(rows.length, data.most_rows)} of ${all} are shown.`;
  }

  document.querySelectorAll("#forest th[data-sort]").forEach((head) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      document.querySelectorAll("#forest th[aria-sort]").forEach((each) => each.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      sorted = { by: head.dataset.sort, at: Number(head.dataset.at || 0), down };
      render();
    });
  });
  find.addEventListener("input", render);
  filters.forEach((each) => each.addEventListener("change", render));
  document.getElementById("download").addEventListener("click", () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([data.csv], { type: "text/csv;charset=utf-8" }));
    link.download = data.csv_name;
    link.click();
    URL.revokeObjectURL(link.href);
  });
  document.querySelector(".tools").hidden = false;
})();
