// Notices: what went wrong, and what was done.

import { byId, make, write } from "./dom.js";

/** How long a short word stays. */
const TOAST_MS = 4000;

/** A space that no screen reader reads. */
const UNREAD = "\u00a0";

let toastTimer = 0;

/** Says above the page what is wrong with something, until it is closed or that thing succeeds. */
export function warn(about, text) {
  showNotice(about, "warning", text);
}

/** Says above the page what is worth knowing; `act` is offered as a button. */
export function offer(about, text, button, act) {
  showNotice(about, "news", text, make("button", { type: "button", click: () => { clearNotice(about); act(); } }, button));
}

function showNotice(about, kind, text, ...more) {
  const close = make("button", {
    type: "button", "class": "icon", "aria-label": "Close", title: "Close", click: () => clearNotice(about),
  }, "×");
  clearNotice(about);
  byId("banner").append(make("div", { "class": `notice ${kind}`, "data-about": about }, make("p", {}, text), ...more, close));
  byId("banner").hidden = false;
}

/** Takes back what was said of something. */
export function clearNotice(about) {
  const banner = byId("banner");
  banner.querySelector(`[data-about="${about}"]`)?.remove();
  banner.hidden = !banner.children.length;
}

/** A short word on what was done, for everybody: it is seen for a while, and read out. */
export function toast(text) {
  const element = byId("toast");
  write(element, text);
  element.classList.add("shown");
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => {
    element.classList.remove("shown");
    write(element, "");
  }, TOAST_MS);
}

/** Announces a text to people who do not see the page. A screen reader reads only what changes, so a text that is
 * announced again gets a space at its end. */
export function announce(text) {
  const element = byId("announce");
  element.textContent = element.textContent === text ? text + UNREAD : text;
}
