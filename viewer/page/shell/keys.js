// What keys mean.

import { byId, make } from "./dom.js";
import { toggleTheme } from "./theme.js";

/** To another page, if there is one. */
const turnTo = (name) => (page) => {
  const tab = byId(`tab-${name}`);
  if (!tab.hidden && !tab.disabled) page.turnToPage(name, { focus: true });
};

/** A button or a box has the space bar for itself, unless it is gone with the help that was closed. */
const play = (page, { target }) =>
  (target.matches?.("button, input[type=checkbox]") && target.getClientRects().length ? false : page.time.play());

/** Keys as they are shown, what they do in words, and what each of them does. A key that is not meant for the page
 * returns false. `everywhere` are those that mean something on every page, not only on the board's. */
const FIRST_KEYS = [
  { shown: "Space K", words: "play or pause", keys: { " ": play, "k": (page) => page.time.play() } },
  {
    shown: "← →", words: "previous event, next event; with Shift five seconds, or five moves",
    keys: {
      ArrowLeft: (page, { shiftKey }) => (shiftKey ? page.time.leap(-5000) : page.time.step(-1)),
      ArrowRight: (page, { shiftKey }) => (shiftKey ? page.time.leap(5000) : page.time.step(1)),
    },
  },
  {
    shown: ", . Home End", words: "to the start, to the end",
    keys: {
      ",": (page) => page.time.seek(page.time.from), "Home": (page) => page.time.seek(page.time.from),
      ".": (page) => page.time.seekEnd(), "End": (page) => page.time.seekEnd(),
    },
  },
  {
    shown: "↓ ↑", words: "slower, faster: from a quarter to 64 times",
    keys: { ArrowDown: (page) => page.time.changeSpeed(-1), ArrowUp: (page) => page.time.changeSpeed(1) },
  },
  { shown: "N", words: "skip waiting", keys: { n: () => { byId("skip").checked = !byId("skip").checked; } } },
];

/** The keys behind those of the room. */
const LAST_KEYS = [
  { shown: "C", words: "copy a link to this moment", keys: { c: (page) => { page.address.copy(); } } },
  { shown: "T", words: "light or dark", everywhere: true, keys: { t: toggleTheme } },
  {
    shown: "1 2 3", words: "settings, board, statistics", everywhere: true,
    keys: { 1: turnTo("settings"), 2: turnTo("board"), 3: turnTo("statistics") },
  },
  { shown: "4", words: "the matches of a host that has several", everywhere: true, when: (page) => page.matches.isOn, keys: { 4: turnTo("matches") } },
  { shown: "5", words: "the faults of players", everywhere: true, when: () => !byId("tab-faults").hidden, keys: { 5: turnTo("faults") } },
  { shown: "?", words: "all keys and signs", everywhere: true, keys: { "?": (page) => showHelp(page) } },
];

/** The keys of the page over a room: its own are in the middle. */
export function keysOf({ jumps, keys }) {
  const letters = Object.values(jumps).map((letter) => letter.toUpperCase()).join(" ");
  return [
    ...FIRST_KEYS,
    {
      shown: letters, words: `next ${Object.keys(jumps).join(", ")}; with Shift the previous one`,
      keys: Object.fromEntries(Object.entries(jumps).map(([kind, letter]) =>
        [letter, (page, { shiftKey }) => page.time.jump(kind, shiftKey ? -1 : 1)])),
    },
    {
      shown: "E Q", words: "next, previous event of the kind chosen last",
      keys: { e: (page) => page.time.jump(byId("kind").value, 1), q: (page) => page.time.jump(byId("kind").value, -1) },
    },
    ...keys, ...LAST_KEYS,
  ];
}

/** The keys before the feed has named a game. */
const NO_ROOM = { jumps: {}, keys: [] };

/** Where it is remembered that keys of one character mean nothing. */
const SINGLE_PLACE = "single-keys";

export function showHelp(page) {
  const dialog = byId("help-dialog");
  if (dialog.open) {
    dialog.close();
    return;
  }
  byId("help-keys").replaceChildren(...keysOf(page.room?.constructor ?? NO_ROOM).filter(({ when }) => when?.(page) ?? true).flatMap(({ shown, words }) =>
    [make("dt", {}, ...shown.split(" ").map((key) => make("kbd", {}, key))), make("dd", {}, words)]));
  byId("help-signs").replaceChildren(...(page.room?.signs() ?? []));
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
    // Users who need AltGr to write a bracket hold what counts as Ctrl and Alt on some systems.
    const combined = (event.ctrlKey || event.metaKey || event.altKey) && !event.getModifierState("AltGraph");
    if (combined || !isFree(event) || (key.length === 1 && key !== " " && !single.checked)) return;
    const meant = key.length === 1 ? key.toLowerCase() : key;
    const row = keysOf(page.room?.constructor ?? NO_ROOM).find(({ keys }) => Object.hasOwn(keys, meant));
    if (!row || (byId("help-dialog").open && key !== "?")) return;
    if (!row.everywhere && (page.tab !== "board" || !page.game.start)) return;
    if (row.keys[meant](page, event) !== false) event.preventDefault();
  });
}

/** Keys that scroll down or up what has the focus, and keys that turn the pages of whatever is around it. */
const SCROLLING = ["ArrowDown", "ArrowUp", "Home", "End", " "], PAGING = ["PageDown", "PageUp"];

/** Whether an element, or the whole page, is higher than its place and can be scrolled. */
function scrolls(element) {
  const { overflowY } = getComputedStyle(element), isPage = element === document.scrollingElement;
  return element.scrollHeight > element.clientHeight && (isPage || overflowY === "auto" || overflowY === "scroll");
}

/** Whether a key scrolls something: a list that has the focus, or the page around what has it except the board. */
function isScroll({ target, key }) {
  if (!(target instanceof Element)) return false;
  if (SCROLLING.includes(key)) return target.matches("main > section :not([role=listbox])") && scrolls(target);
  if (!PAGING.includes(key) || target.closest("#stage")) return false;
  for (let element = target; element; element = element.parentElement) if (scrolls(element)) return true;
  return false;
}

/** Whether what has the focus has no use of its own for a key: texts and lists of choices take all of them, the list
 * of events and the tabs those that lead about in them, and what scrolls those that scroll it. */
function isFree(event) {
  const { target, key } = event;
  if (target.matches?.("input:not([type=checkbox]):not([type=range]), textarea, select")) return false;
  const leads = key.startsWith("Arrow") || key === "Home" || key === "End";
  return !(leads && target.matches?.("[role=listbox], [role=tab]")) && !isScroll(event);
}
