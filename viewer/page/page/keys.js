// What keys mean.

import { byId, make } from "./dom.js";
import { fillSigns } from "./signs.js";
import { toggleTheme } from "./theme.js";

/** The events that the keys lead to, with their letters. */
export const JUMPS = { goal: "g", "pick-up": "p", exchange: "x", lie: "l", refusal: "r" };

const jumps = Object.entries(JUMPS).map(([kind, letter]) =>
  [letter, (page, { shiftKey }) => page.jump(kind, shiftKey ? -1 : 1)]);

const pan = (dx, dy) => (page) => {
  const length = Math.max(24, page.board.camera.scale);
  page.tracking = false;
  page.board.pan(dx * length, dy * length);
  page.invalidate();
};

const zoom = (factor) => (page) => {
  page.board.zoom(factor);
  page.invalidate();
};

/** To another page, if there is one. */
const turnTo = (name) => (page) => {
  const tab = byId(`tab-${name}`);
  if (!tab.hidden && !tab.disabled) page.showPage(name, { focus: true });
};

/** A button or a box has the space bar for itself, unless it is gone with the help that was closed. */
const play = (page, { target }) =>
  (target.matches?.("button, input[type=checkbox]") && target.getClientRects().length ? false : page.play());

/** All keys: as they are shown, what they do in words, and what each of them does. A key that is not meant for
 * the page returns false. `everywhere` are those that mean something on every page, not only on the board's. */
export const KEYS = [
  { shown: "Space K", words: "play or pause", keys: { " ": play, "k": (page) => page.play() } },
  {
    shown: "← →", words: "one event back or on; with Shift five seconds",
    keys: {
      ArrowLeft: (page, { shiftKey }) => (shiftKey ? page.leap(-5000) : page.step(-1)),
      ArrowRight: (page, { shiftKey }) => (shiftKey ? page.leap(5000) : page.step(1)),
    },
  },
  {
    shown: ", . Home End", words: "to the start, to the end",
    keys: {
      ",": (page) => page.seek(page.from), "Home": (page) => page.seek(page.from),
      ".": (page) => page.seek(page.game.duration), "End": (page) => page.seek(page.game.duration),
    },
  },
  {
    shown: "↓ ↑", words: "slower, faster: from a quarter to 64 times",
    keys: { ArrowDown: (page) => page.changeSpeed(-1), ArrowUp: (page) => page.changeSpeed(1) },
  },
  { shown: "N", words: "skip waiting", keys: { n: () => { byId("skip").checked = !byId("skip").checked; } } },
  {
    shown: "G P X L R", words: "the next goal, pick-up, exchange, lie, refusal; with Shift the one before",
    keys: Object.fromEntries(jumps),
  },
  {
    shown: "E Q", words: "the next, the previous event of the kind chosen last",
    keys: { e: (page) => page.jump(byId("kind").value, 1), q: (page) => page.jump(byId("kind").value, -1) },
  },
  {
    shown: "[ ] H J", words: "the previous agent, the next",
    keys: {
      "[": (page) => page.selectNext(-1), "h": (page) => page.selectNext(-1),
      "]": (page) => page.selectNext(1), "j": (page) => page.selectNext(1),
    },
  },
  { shown: "Esc", words: "no agent", keys: { Escape: (page) => { page.pointer.unpin(); page.select(-1); } } },
  { shown: "I", words: "what lies on the agent's field, or in the middle", keys: { i: (page) => page.pointer.tellField() } },
  { shown: "B", words: "what the agent believes", keys: { b: (page) => page.toggleBelief() } },
  { shown: "V", words: "whose view: everything, red, blue, the agent", keys: { v: (page) => page.nextView() } },
  { shown: "O", words: "follow the agent", keys: { o: (page) => page.toggleFollowAgent() } },
  {
    shown: "+ − F", words: "nearer, farther, the whole board",
    keys: {
      "+": zoom(1.4), "=": zoom(1.4), "-": zoom(1 / 1.4), "_": zoom(1 / 1.4),
      "f": (page) => { page.tracking = false; page.board.fit(); page.invalidate(); },
    },
  },
  {
    shown: "W A S D", words: "move the look",
    keys: { w: pan(0, 1), a: pan(1, 0), s: pan(0, -1), d: pan(-1, 0) },
  },
  { shown: "C", words: "copy a link to this moment", keys: { c: (page) => { page.copyLink(); } } },
  { shown: "T", words: "light or dark", everywhere: true, keys: { t: toggleTheme } },
  {
    shown: "1 2 3", words: "settings, board, statistics", everywhere: true,
    keys: { 1: turnTo("settings"), 2: turnTo("board"), 3: turnTo("statistics") },
  },
  { shown: "?", words: "all keys and signs", everywhere: true, keys: { "?": () => showHelp() } },
];

const MEANINGS = new Map(KEYS.flatMap((row) => Object.entries(row.keys).map(([key, act]) => [key, { act, row }])));

/** Where it is remembered that keys of one character mean nothing. */
const SINGLE_PLACE = "single-keys";

export function showHelp() {
  const dialog = byId("help-dialog");
  if (dialog.open) {
    dialog.close();
    return;
  }
  byId("help-keys").replaceChildren(...KEYS.flatMap(({ shown, words }) =>
    [make("dt", {}, ...shown.split(" ").map((key) => make("kbd", {}, key))), make("dd", {}, words)]));
  fillSigns(byId("help-signs"));
  dialog.showModal();
}

export function wireKeys(page) {
  const single = byId("single-keys");
  try { single.checked = localStorage.getItem(SINGLE_PLACE) !== "off"; } catch { /* Then they are on each time. */ }
  single.addEventListener("change", () => {
    try { localStorage.setItem(SINGLE_PLACE, single.checked ? "on" : "off"); } catch { /* Then it lasts as long as the page. */ }
  });
  document.addEventListener("keydown", (event) => {
    const { key } = event;
    // Whoever needs AltGr to write a bracket holds what counts as Ctrl and Alt on some systems.
    const combined = (event.ctrlKey || event.metaKey || event.altKey) && !event.getModifierState("AltGraph");
    if (combined || !isFree(event) || (key.length === 1 && key !== " " && !single.checked)) return;
    const meaning = MEANINGS.get(key.length === 1 ? key.toLowerCase() : key);
    if (!meaning || (byId("help-dialog").open && key !== "?")) return;
    if (!meaning.row.everywhere && (page.tab !== "board" || !page.game.start)) return;
    if (meaning.act(page, event) !== false) event.preventDefault();
  });
}

/** Whether what has the focus has no use of its own for a key: texts and lists of choices take all of them, the list
 * of events and the tabs those that lead about in them. */
function isFree({ target, key }) {
  if (target.matches?.("input:not([type=checkbox]):not([type=range]), textarea, select")) return false;
  const leads = key.startsWith("Arrow") || key === "Home" || key === "End";
  return !(leads && target.matches?.("[role=listbox], [role=tab]"));
}
