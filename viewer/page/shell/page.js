// The whole page: what it is made of, its pages, and the room of the game that it shows.

import { byId, write } from "./dom.js";
import { clearNotice, warn } from "./notices.js";
import { restoreTheme } from "./theme.js";
import { wireKeys } from "./keys.js";
import { Connection } from "./connection.js";
import { readFeed } from "./feed.js";
import { wireControls, wireRoom } from "./controls.js";
import { EventList } from "./events.js";
import { Address } from "./link.js";
import { Lobby } from "./lobby.js";
import { Loop } from "./loop.js";
import { Matches } from "./matches.js";
import { Messages } from "./messages.js";
import { SettingsForm } from "./settings.js";
import { Study } from "./study.js";
import { Time } from "./time.js";
import { Timeline } from "./timeline.js";

/** How often the statistics of a game under way are worked out again while they are looked at. */
const STATISTICS_EVERY_MS = 950;

/** The whole page. */
export class Page {
  /** `rooms` are classes of rooms, by the names of their games. */
  constructor(rooms) {
    this.rooms = rooms;
    /** The room of the game that the feed names, once it does. */
    this.room = null;
    this.game = new Timeline([]);
    this.isConnected = false;
    /** Whether somebody serves the page, and it is no file. */
    this.isServed = false;
    this.live = false;
    this.ended = false;
    this.statisticsAt = -Infinity;
    /** The page that the user has turned to, until a match is chosen. */
    this.chosenTab = null;
    this.time = new Time(this);
    this.loop = new Loop(this);
    this.messages = new Messages(this);
    this.address = new Address(this);
    this.connection = new Connection({
      take: (messages) => this.messages.takeAll(messages), lost: (how, why) => this.messages.disconnected(how, why),
    });
    const calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.motion = !calm.matches;
    calm.addEventListener("change", () => { this.motion = !calm.matches; this.invalidate(); });
    this.settings = new SettingsForm(this);
    this.lobby = new Lobby(this);
    this.matches = new Matches(this);
    this.list = new EventList(this);
    this.study = new Study(this);
    wireControls(this);
    wireKeys(this);
    restoreTheme(this);
  }

  /** Makes the room of a game, unless there is one already, and forgets all that was told of a game before. Whether
   * there is a room for it. */
  enter(name) {
    if (!this.room) {
      const Room = this.rooms[name];
      if (!Room) return false;
      for (const part of [...byId(`room-${name}`).content.cloneNode(true).children]) {
        byId(`place-${part.dataset.place}`).replaceWith(...part.childNodes);
      }
      document.body.dataset.game = name;
      write(byId("brand-name"), Room.title);
      this.room = new Room(this);
      wireRoom(this);
    }
    this.game = this.room.timeline();
    this.list.reset();
    return true;
  }

  /** Has the next frame painted; `panels` for the texts beside the board as well. */
  invalidate(panels = false) {
    this.loop.invalidate(panels);
  }

  /** Reads the feed of an exported file, or connects to the server of the page. */
  connect() {
    const embedded = byId("feed");
    this.isServed = !embedded;
    if (!embedded) {
      write(byId("waiting"), "Waiting for the host…");
      this.connection.open();
      return;
    }
    const { messages, fault } = readFeed(embedded.textContent);
    this.messages.takeAll(messages);
    if (this.game.start) {
      if (fault) warn("feed", `The feed is faulty: ${fault}. The game is shown up to there.`);
      return;
    }
    byId("waiting").hidden = false;
    write(byId("waiting"), `There is no game in this file${fault ? `: ${fault}` : ""}.`);
  }

  /** Turns to a page that the user has chosen: where one match follows the other, it stays when the next one begins. */
  turnToPage(name, options) {
    this.chosenTab = name;
    this.showPage(name, options);
  }

  /** Turns to a page; `focus` if the focus is to go there as well. It does by itself if it was on the page before. */
  showPage(name, { focus = false } = {}) {
    const left = document.activeElement?.closest("main > section");
    this.tab = name;
    for (const button of document.querySelectorAll("[data-page]")) {
      const chosen = button.dataset.page === name;
      button.setAttribute("aria-selected", String(chosen));
      button.tabIndex = chosen ? 0 : -1;
      byId(`page-${button.dataset.page}`).hidden = !chosen;
    }
    // The bar's points and clock are those of the moment on the board; the statistics have their own.
    byId("score").hidden = !this.game.start || ["statistics", "matches", "faults"].includes(name);
    if (name === "statistics") clearNotice("end");
    if (name === "board") {
      this.room.resize();
      this.list.resize();
      this.study.paint();
    }
    if (name === "statistics") this.showStatistics();
    if (name === "settings") this.settings.refreshEditors();
    if (focus || left?.hidden) byId(`page-${name}`).focus({ preventScroll: true });
    this.invalidate(true);
  }

  restyle() {
    this.room?.restyle();
    this.study.paint();
    this.settings.refreshEditors();
    if (this.game.start && this.tab === "statistics") this.showStatistics();
    if (this.room) byId("help-signs").replaceChildren(...this.room.signs());
    this.invalidate(true);
  }

  showStatistics() {
    if (!this.game.start) return;
    this.statisticsAt = performance.now();
    const statistics = this.game.statistics ?? this.room.statisticsSoFar();
    const page = byId("statistics");
    // While a game goes on they are written anew under the user's hands: what was scrolled and focused stays so.
    const scrolled = () => [...page.querySelectorAll(".table-scroll")];
    const places = scrolled().map(({ scrollLeft }) => scrollLeft);
    const focused = page.contains(document.activeElement) ? document.activeElement.id : "";
    page.replaceChildren(...this.room.statistics(statistics));
    scrolled().forEach((element, place) => { element.scrollLeft = places[place] ?? 0; });
    if (focused) byId(focused)?.focus({ preventScroll: true });
    this.room.statisticsShown();
  }

  /** Writes the statistics of a game under way again, if they are looked at and have grown old. */
  refreshStatistics() {
    const isOld = performance.now() - this.statisticsAt > STATISTICS_EVERY_MS;
    if (this.tab === "statistics" && !this.game.statistics && isOld) this.showStatistics();
  }
}
