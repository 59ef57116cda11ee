// The controls of the page: what clicks and choices do.

import { byId, make } from "./dom.js";
import { showHelp } from "./keys.js";
import { toggleTheme } from "./theme.js";
import { SPEEDS } from "./time.js";

/** Connects every control of the document with what it does. */
export function wireControls(page) {
  const on = (id, act, event = "click") => byId(id).addEventListener(event, act);
  for (const button of document.querySelectorAll("[data-page]")) {
    button.addEventListener("click", () => page.turnToPage(button.dataset.page));
    button.addEventListener("keydown", ({ key }) => {
      if (key !== "ArrowLeft" && key !== "ArrowRight") return;
      const tabs = [...document.querySelectorAll("[data-page]")].filter((tab) => !tab.hidden && !tab.disabled);
      const next = tabs[(tabs.indexOf(button) + (key === "ArrowRight" ? 1 : tabs.length - 1)) % tabs.length];
      next.focus();
      page.turnToPage(next.dataset.page);
    });
  }
  byId("speed").replaceChildren(...SPEEDS.map((speed) => make("option", { value: String(speed) }, `${speed}×`)));
  byId("speed").value = "1";
  on("play", () => page.time.play());
  on("first", () => page.time.seek(page.time.from));
  on("last", () => page.time.seekEnd());
  on("step-back", () => page.time.step(-1));
  on("step-forward", () => page.time.step(1));
  on("follow-live", () => page.time.follow(true));
  on("speed", ({ target }) => page.time.setSpeed(Number(target.value)), "change");
  on("kind-back", () => page.time.jump(byId("kind").value, -1));
  on("kind-forward", () => page.time.jump(byId("kind").value, 1));
  on("scrub", ({ target }) => page.time.seek(Number(target.value)), "input");
  on("link", () => page.address.copy());
  on("theme", () => toggleTheme(page));
  on("help", () => showHelp(page));
  on("connect", () => page.lobby.connect());
  on("server-change", () => page.settings.focusServer());
  on("join-copy", () => page.lobby.copyCommand());
  on("start", () => page.lobby.start());
  on("stop", (event) => page.lobby.askToStop(event));
  on("filter", () => page.list.refilter(), "change");
  window.addEventListener("hashchange", () => page.address.follow(location.hash));
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
}

/** Fills the lists of choices with what a room's events are, and keeps the room's size. */
export function wireRoom(page) {
  const { jumps } = page.room.constructor;
  const options = (names) => names.map((name) => make("option", { value: name }, name));
  byId("kind").replaceChildren(...options(Object.keys(jumps)));
  byId("filter").replaceChildren(...options(Object.keys(page.list.filters)));
  new ResizeObserver(() => {
    if (!page.game.start || page.tab !== "board") return;
    page.room.resize();
    page.list.resize();
    page.study.paint();
    page.invalidate(true);
  }).observe(byId("stage"));
}
