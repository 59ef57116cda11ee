// The controls of the document: buttons, lists, the slider, tabs.

import { byId, make } from "./dom.js";
import { FILTERS } from "./events.js";
import { toggleTheme } from "./theme.js";
import { JUMPS, showHelp } from "./keys.js";
import { readLink } from "./link.js";

/** How many times as fast as it was played a game may be shown. */
export const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64];

/** Connects every control of the document with what it does. */
export function wireControls(page) {
  const on = (id, act, event = "click") => byId(id).addEventListener(event, act);
  for (const button of document.querySelectorAll("[data-page]")) {
    button.addEventListener("click", () => page.showPage(button.dataset.page));
    button.addEventListener("keydown", ({ key }) => {
      if (key !== "ArrowLeft" && key !== "ArrowRight") return;
      const tabs = [...document.querySelectorAll("[data-page]")].filter((tab) => !tab.hidden && !tab.disabled);
      const next = tabs[(tabs.indexOf(button) + (key === "ArrowRight" ? 1 : tabs.length - 1)) % tabs.length];
      next.focus();
      page.showPage(next.dataset.page);
    });
  }
  byId("speed").replaceChildren(...SPEEDS.map((speed) => make("option", { value: String(speed) }, `${speed}×`)));
  byId("speed").value = "1";
  byId("kind").replaceChildren(...Object.keys(JUMPS).map((kind) => make("option", { value: kind }, kind)));
  byId("filter").replaceChildren(...Object.keys(FILTERS).map((name) => make("option", { value: name }, name)));
  on("play", () => page.play());
  on("first", () => page.seek(page.from));
  on("last", () => page.seek(page.game.duration));
  on("step-back", () => page.step(-1));
  on("step-forward", () => page.step(1));
  on("follow-live", () => page.follow(true));
  on("speed", ({ target }) => page.setSpeed(Number(target.value)), "change");
  on("kind-back", () => page.jump(byId("kind").value, -1));
  on("kind-forward", () => page.jump(byId("kind").value, 1));
  on("scrub", ({ target }) => page.seek(Number(target.value)), "input");
  on("link", () => page.copyLink());
  on("view", ({ target }) => page.setView(target.value), "change");
  on("fit", () => { page.tracking = false; page.board.fit(); page.invalidate(); });
  on("zoom-in", () => { page.board.zoom(1.4); page.invalidate(); });
  on("zoom-out", () => { page.board.zoom(1 / 1.4); page.invalidate(); });
  on("theme", () => toggleTheme(page));
  on("help", () => showHelp());
  on("connect", () => page.lobby.connect());
  on("server-change", () => page.settings.focusServer());
  on("join-copy", () => page.lobby.copyCommand());
  on("start", () => page.lobby.start());
  on("stop", (event) => page.lobby.askToStop(event));
  on("span", () => page.charts.paint(), "change");
  on("filter", () => page.list.refilter(), "change");
  window.addEventListener("hashchange", () => {
    if (!page.game.start) return;
    const link = readLink(location.hash);
    page.applyLink(link);
    if (link.t !== null) page.seek(link.t);
  });
  // After a click of the mouse the keys mean the game again, not the button that was clicked.
  document.addEventListener("click", ({ detail, target }) => {
    if (detail > 0) target.closest("button")?.blur();
  });
  let byPointer = false;
  document.addEventListener("pointerdown", () => { byPointer = true; }, true);
  document.addEventListener("keydown", () => { byPointer = false; }, true);
  document.addEventListener("change", ({ target }) => {
    if (byPointer && target.matches("#page-board select, #skip")) target.blur();
  });
  new ResizeObserver(() => {
    if (!page.game.start || page.tab !== "board") return;
    page.board.refresh();
    page.charts.paint();
    page.list.resize();
    page.invalidate(true);
  }).observe(byId("stage"));
}
