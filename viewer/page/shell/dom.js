// Small helpers around the document.

export const byId = (id) => document.getElementById(id);

/** An element with attributes and children; a listener for each attribute that is a function. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** An SVG element with attributes and children. */
export function makeShape(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** The same at the end of another element. */
export function addShape(parent, ...shape) {
  const element = makeShape(...shape);
  parent.append(element);
  return element;
}

/** A table that scrolls sideways where it is wider than its place, also by keys. */
export function scrollTable(id, name, ...rows) {
  return make("div", { "class": "table-scroll", id, tabindex: "0", role: "region", "aria-label": name }, make("table", {}, ...rows));
}

/** Writes a text only where it changes, so that the browser has nothing to lay out otherwise. */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Scrolls a box no farther than it takes to see a part of what is in it. */
export function keepInSight(box, top, height) {
  if (top < box.scrollTop) box.scrollTop = top;
  else if (top + height > box.scrollTop + box.clientHeight) box.scrollTop = top + height - box.clientHeight;
}

export function teamShape(team) {
  return make("span", { "class": `shape ${team}`, "aria-hidden": "true" });
}

/** The leader's mark, behind the name of an agent that leads. */
export function leaderMark({ leader }) {
  return leader ? make("span", { "class": "crown", title: "leader" }, "♛") : null;
}

/** Hands a file to the user: a text of JSON, or a file that was loaded. */
export function download(name, content) {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type: "application/json" }));
  make("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
