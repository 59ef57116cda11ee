// What keys mean.

import { byId, make } from "./dom.js";
import { fillSigns } from "./signs.js";

/** The events that the keys lead to, with their letters. */
export const JUMPS = { goal: "g", "pick-up": "p", exchange: "x", lie: "l", refusal: "r" };

const KEYS = [
  ["Space", "play or pause"], ["← →", "one event back or on"], ["Shift ← →", "five seconds back or on"],
  [", . Home End", "to the start, to the end"], ["↓ ↑", "slower, faster"], ["N", "skip waiting"],
  ["G P X L R", "next goal, pick-up, exchange, lie, refusal; with Shift the one before"],
  ["E Q", "next, previous event of the chosen kind"], ["[ ]", "previous, next agent; Esc for none"],
  ["B", "what the agent believes"], ["V", "whose view: everything, a team, the agent"],
  ["O", "follow the agent"], ["+ − F", "nearer, farther, whole board"], ["W A S D", "move the look"],
  ["C", "copy a link to this moment"], ["T", "light or dark"], ["1 2 3", "settings, board, statistics"], ["?", "this help"],
];

export function showHelp() {
  const dialog = byId("help-dialog");
  if (dialog.open) {
    dialog.close();
    return;
  }
  byId("help-keys").replaceChildren(...KEYS.flatMap(([keys, text]) =>
    [make("dt", {}, ...keys.split(" ").map((key) => make("kbd", {}, key))), make("dd", {}, text)]));
  fillSigns(byId("help-signs"));
  dialog.showModal();
}

export function wireKeys(page) {
  document.addEventListener("keydown", (event) => {
    const { target, key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const writes = target.matches?.("input:not([type=checkbox]):not([type=range]), textarea");
    if (writes) return;
    if (key === "?") {
      showHelp();
      event.preventDefault();
      return;
    }
    if (byId("help-dialog").open) return;
    if (pressed(page, event)) event.preventDefault();
  });
}

/** Does what a key means; whether it means anything. */
function pressed(page, { key, shiftKey, target }) {
  const letter = key.length === 1 ? key.toLowerCase() : key;
  if (letter === "t") return page.toggleTheme(), true;
  const tab = { 1: "settings", 2: "board", 3: "statistics" }[key];
  if (tab) {
    const button = byId(`tab-${tab}`);
    if (!button.hidden && !button.disabled) page.showPage(tab);
    return true;
  }
  if (page.tab !== "board" || !page.game.start) return false;
  // In a list of choices, the list of events and on tabs the arrows belong to those, and so do letters in lists.
  const owned = target.matches?.("select, [role=listbox], [role=tab]");
  if (owned && (key.startsWith("Arrow") || key === "Home" || key === "End" || target.matches("select"))) return false;
  const press = target.matches?.("button, select, input[type=checkbox]");
  const kind = Object.keys(JUMPS).find((one) => JUMPS[one] === letter);
  if (kind) return page.jump(kind, shiftKey ? -1 : 1), true;
  const pan = Math.max(24, page.board.camera.scale);
  const move = (dx, dy) => { page.tracking = false; page.board.pan(dx, dy); page.invalidate(); };
  switch (letter) {
    case " ": if (press) return false; page.play(); break;
    case "k": page.play(); break;
    case "ArrowLeft": if (shiftKey) page.seek(page.t - 5000); else page.step(-1); break;
    case "ArrowRight": if (shiftKey) page.seek(page.t + 5000); else page.step(1); break;
    case "ArrowUp": page.changeSpeed(1); break;
    case "ArrowDown": page.changeSpeed(-1); break;
    case "Home": case ",": page.seek(page.from); break;
    case "End": case ".": page.seek(page.game.duration); break;
    case "e": page.jump(byId("kind").value, 1); break;
    case "q": page.jump(byId("kind").value, -1); break;
    case "n": byId("skip").checked = !byId("skip").checked; break;
    case "]": page.selectNext(1); break;
    case "[": page.selectNext(-1); break;
    case "Escape": page.select(-1); break;
    case "b": page.toggleBelief(); break;
    case "o": page.toggleFollowAgent(); break;
    case "v": {
      const views = ["truth", "red", "blue", ...(page.selected >= 0 ? ["agent"] : [])];
      page.setView(views[(views.indexOf(page.view) + 1) % views.length]);
      break;
    }
    case "+": case "=": page.board.zoom(1.4); page.invalidate(); break;
    case "-": case "_": page.board.zoom(1 / 1.4); page.invalidate(); break;
    case "f": page.tracking = false; page.board.fit(); page.invalidate(); break;
    case "w": move(0, pan); break;
    case "s": move(0, -pan); break;
    case "a": move(pan, 0); break;
    case "d": move(-pan, 0); break;
    case "c": page.copyLink(); break;
    default: return false;
  }
  return true;
}
