// The matches of a host, and the seat of the person who plays in one of them.
//
// The list comes with every feed of such a host. One match is watched at a time; another one is another feed.

import { byId, make, teamShape, write } from "./dom.js";
import { readNumber } from "./link.js";
import { announce, clearNotice, warn } from "./notices.js";
import { endingText, SIDES } from "./players.js";

/** How long the end of a match is shown before the newest one is. */
const NEXT_AFTER_MS = 2500;

/** Where the name of a person is kept for the next time. */
const NAME_PLACE = "name";

/** All matches, and who plays here. */
export class Matches {
  constructor(page) {
    this.page = page;
    /** Whether the page is one of a host of several matches. */
    this.isOn = false;
    this.list = null;
    /** What the person's seat is told last; null if nobody plays here. */
    this.person = null;
    /** Whether an action is under way. */
    this.isActing = false;
    this.nextTimer = 0;
    const named = new URLSearchParams(location.hash.replace(/^#/, ""));
    page.connection.match = readNumber(named, "match");
    /** The offer that the address names. */
    this.wanted = named.get("play");
    this.isLed = false;
    /** Whether the host is asked for a seat. */
    this.isJoining = false;
    byId("newest").checked = page.connection.match === null;
    byId("newest").addEventListener("change", () => { this.page.address.writeSoon(); this.goOn(); });
    byId("play-form").addEventListener("submit", (event) => { event.preventDefault(); this.join(event.submitter?.value); });
    byId("seat-leave").addEventListener("click", () => this.leave());
    byId("next-move").addEventListener("click", () => this.next());
    byId("seat-go").addEventListener("click", () => this.choose(this.person.match));
    try { byId("play-name").value = localStorage.getItem(NAME_PLACE) ?? ""; } catch { /* Then it is asked for each time. */ }
  }

  // ---- which match

  /** A feed begins. */
  greet({ match, seat }) {
    this.isOn = match !== undefined;
    byId("tab-matches").hidden = !this.isOn;
    document.body.classList.toggle("has-matches", this.isOn);
    if (!this.isOn) return;
    write(byId("lobby").querySelector("h2"), "Start");
    write(byId("start"), "Start");
    write(byId("stop"), "Stop");
    const { connection } = this.page;
    if (match === null && connection.match !== null) {
      warn("match", `Match ${connection.match} is not here, or not any more.`);
      connection.match = null;
      this.page.address.awaited = "";
    }
    if (connection.seat !== null && !seat) {
      this.forget();
      warn("seat", "Your seat is gone: you have left on another page, you were away for too long, or the host has started anew.");
    }
    write(byId("match-name"), "");
    byId("match-name").hidden = match === null;
  }

  /** The match that is watched begins, or is told anew. */
  begin() {
    if (this.isOn) this.offerOptions();
  }

  takeList(list) {
    const isFirst = this.list === null;
    this.list = list;
    this.showOffers();
    this.drawRows(list.matches);
    const note = list.closed !== null ? `The host has ended: ${list.closed}` : list.more ? `and ${list.more} more, older ones`
      : list.matches.length ? "" : "No match has begun yet.";
    write(byId("matches-note"), note);
    const entry = this.watched;
    if (entry) write(byId("match-name"), `${entry.title}: ${entry.players.map(({ name }) => name).join(" – ")}`);
    this.showOrders();
    // Before the first match, all that the operator can use are the settings that start one.
    const isEmpty = !list.matches.length && !list.offers.length;
    if (isFirst && isEmpty && this.mayStart && this.page.game.hello?.operator) this.page.showPage("settings");
    this.goOn();
  }

  /** Draws the standings that the host has computed, or nothing where it has none. */
  takeStandings({ table }) {
    byId("standings").hidden = table === null;
    if (table !== null) drawTable("standings", table);
  }

  /** Draws the faults of players on their tab, which is there as long as the host shows some. */
  takeFaults({ table }) {
    byId("tab-faults").hidden = table === null;
    if (table !== null) drawTable("faults", table);
    else if (this.page.tab === "faults") this.page.showPage("matches");
  }

  // ---- what the operator can do

  showOrders() {
    const { list, page } = this, isOperator = Boolean(page.game.hello?.operator);
    byId("tab-settings").hidden = !list.hasSettings;
    byId("stop").hidden = !(isOperator && list.running);
    byId("next-move").hidden = !(isOperator && list.byHand);
    page.settings.enable();
  }

  /** Whether the operator may start what the settings describe. */
  get mayStart() {
    return Boolean(this.isOn && this.list?.hasSettings && !this.list.running);
  }

  /** Has the host start what the settings describe. */
  async start() {
    const { settings, connection } = this.page;
    const answer = await connection.request("POST", "start", settings.changes());
    if (answer?.ok) {
      clearNotice("start");
      this.page.showPage("matches");
      byId("newest").checked = true;
    } else if (answer?.said?.faults) settings.showFaults(answer.said.faults);
    else if (answer) warn("start", `Nothing was started: ${answer.said?.why ?? answer.status}`);
  }

  /** Has the host make the next move, where moves are made by hand. */
  async next() {
    if (byId("next-move").hidden) return;
    this.page.time.follow(true);
    const answer = await this.page.connection.request("POST", "next", {});
    if (answer?.ok) clearNotice("next");
    else if (answer) warn("next", `There is no next move: ${answer.said?.why ?? answer.status}`);
  }

  /** The entry of the match that is watched, if it is listed. */
  get watched() {
    return this.list?.matches.find(({ id }) => id === this.page.connection.match) ?? null;
  }

  /** Draws the list. The row of a match stays: a browser forgets a click, and the focus, whose link is gone. */
  drawRows(matches) {
    const list = byId("matches-list"), rows = new Map([...list.children].map((row) => [row.dataset.names, row]));
    const { activeElement } = document;
    const order = matches.map((entry) => {
      const names = JSON.stringify([entry.id, entry.title, entry.players.map(({ name, team }) => [name, team])]);
      const row = rows.get(names) ?? this.row(entry, names);
      rows.delete(names);
      const link = row.firstElementChild;
      link.dataset.state = entry.state;
      if (entry.id === this.page.connection.match) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
      write(link.lastElementChild, stateText(entry));
      return row;
    });
    for (const row of rows.values()) row.remove();
    // From the end on: a match that is over goes down in the list, and no other row moves.
    order.reduceRight((next, row) => {
      if (row.parentNode !== list || row.nextElementSibling !== next) list.insertBefore(row, next);
      return row;
    }, null);
    if (list.contains(activeElement)) activeElement.focus({ preventScroll: true });
  }

  row(entry, names) {
    const players = entry.players.flatMap(({ name, team }, place) =>
      [place ? " – " : null, teamShape(SIDES[team] ?? ""), make("span", { "class": "who" }, name)]);
    return make("li", { "data-names": names }, make("a", {
      href: `#match=${entry.id}`, "class": "match", "data-id": entry.id,
      click: (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        this.choose(entry.id);
      },
    }, make("span", { "class": "title" }, entry.title), make("span", { "class": "versus-names" }, ...players),
    make("span", { "class": "how" })));
  }

  /** Whether the user reads a page of their choice, or is about to play: the next match does not take that away. */
  get isRead() {
    const { tab, chosenTab } = this.page, isChosen = tab === chosenTab && tab !== "board";
    return this.isOn && (isChosen || (!this.isPlaying && byId("play-form").contains(document.activeElement)));
  }

  /** Watches a match that the user has chosen. */
  choose(id) {
    byId("newest").checked = false;
    this.page.chosenTab = null;
    this.turnTo(id);
  }

  turnTo(id) {
    clearTimeout(this.nextTimer);
    this.nextTimer = 0;
    clearNotice("match");
    const { page } = this;
    page.address.awaited = "";
    if (id === page.connection.match && page.game.start) {
      page.showPage("board");
      return;
    }
    page.room?.play(null);
    page.connection.turnTo(id);
  }

  /** Goes on to the newest match, if that is wanted and the one that is watched is over. */
  goOn() {
    const { page, list, watched } = this;
    const isNew = list !== null && list.newest !== null && list.newest !== page.connection.match;
    if (!byId("newest").checked || !isNew || this.person?.state === "seated") {
      clearTimeout(this.nextTimer);
      this.nextTimer = 0;
      return;
    }
    if (page.connection.match === null) this.turnTo(list.newest);
    else if (watched?.state !== "playing" && !this.nextTimer) {
      this.nextTimer = setTimeout(() => {
        this.nextTimer = 0;
        // Users who look back at the match go on looking.
        const isAtEnd = page.time.following || page.time.t >= page.game.duration;
        if (byId("newest").checked && isAtEnd && this.list.newest !== page.connection.match) this.turnTo(this.list.newest);
      }, NEXT_AFTER_MS);
    }
  }

  /** Names the match in an address: a moment is one of its match, and a page without one may go on to the newest. */
  linkParts(hasMoment) {
    const isNamed = this.isOn && this.page.connection.match !== null && (hasMoment || !byId("newest").checked);
    return isNamed ? [`match=${this.page.connection.match}`] : [];
  }

  /** Follows an address that was changed by hand; whether it names another match. */
  follow(named) {
    const id = readNumber(named, "match");
    if (!this.isOn || id === null || id === this.page.connection.match) return false;
    this.choose(id);
    return true;
  }

  // ---- who plays

  showOffers() {
    // The one that the address names comes first: Enter in the name takes the first.
    const offers = [...this.list.offers].sort((one, other) => (other.name === this.wanted) - (one.name === this.wanted));
    byId("play-form").hidden = !offers.length || this.isPlaying;
    const key = JSON.stringify(offers);
    if (byId("play-form").dataset.offers === key) return;
    byId("play-form").dataset.offers = key;
    // What was chosen stays chosen, as far as it is still offered.
    const chosen = new Map([...byId("play-offers").querySelectorAll("select")].map((select) => [`${select.dataset.offer}/${select.name}`, select.value]));
    byId("play-offers").replaceChildren(...offers.map(({ name, text, choices }, place) => {
      const button = make("button", { type: "submit", value: name, "class": place === 0 ? "primary" : null }, text);
      if (!choices) return button;
      const field = (choice) => {
        const select = make("select", { name: choice.name, "data-offer": name }, ...choice.options.map((option) => make("option", {}, option)));
        const before = chosen.get(`${name}/${choice.name}`);
        if (choice.options.includes(before)) select.value = before;
        return make("label", {}, `${choice.text} `, select);
      };
      return make("fieldset", { "class": "offer" }, make("legend", { "class": "unseen" }, text), ...choices.map(field), button);
    }));
    if (this.wanted === null || offers[0]?.name !== this.wanted || this.isLed) return;
    // A link leads to the button, and presses nothing.
    this.isLed = true;
    this.page.showPage("matches");
    byId("play-offers").querySelector(".primary").focus();
  }

  get isPlaying() {
    return this.person !== null && !(this.person.state === "seated" && this.person.over);
  }

  async join(offer) {
    const name = byId("play-name").value.trim();
    if (!offer || this.isJoining) return;
    if (!name) {
      this.setPlayFault("Enter a name: others see it.");
      byId("play-name").focus();
      return;
    }
    try { localStorage.setItem(NAME_PLACE, name); } catch { /* Then it is asked for the next time. */ }
    // A second click would be a second player, who waits for nobody else than this one.
    this.isJoining = true;
    try {
      await this.take(offer, name);
    } finally {
      this.isJoining = false;
    }
  }

  /** Asks the host for a seat. */
  async take(offer, name) {
    const { connection } = this.page;
    if (connection.seat !== null) await this.leave();
    const fields = [...byId("play-offers").querySelectorAll("select")].filter((select) => select.dataset.offer === offer);
    const choices = Object.fromEntries(fields.map((select) => [select.name, select.value]));
    const answer = await connection.request("POST", "play", { offer, name, choices });
    this.setPlayFault(answer?.ok ? null : answer?.said?.why ?? "the host does not answer");
    if (!answer?.ok) return;
    connection.takeSeat(answer.said.seat);
    connection.turnTo(connection.match);
  }

  /** The person's seat is told how things stand. */
  takePerson(person) {
    const before = this.person;
    this.person = person;
    this.isActing = false;
    byId("seat").hidden = false;
    if (person.state === "refused") {
      this.forget();
      // Somebody who was about to play is told where the name and the choices are.
      if (before === null || before.state === "waiting") {
        this.setPlayFault(`You cannot play: ${person.why}.`);
        this.page.showPage("matches");
      } else warn("seat", `You cannot play: ${person.why}.`);
      return;
    }
    clearNotice("seat");
    if (person.state === "seated" && before?.match !== person.match) {
      byId("newest").checked = false;
      this.page.chosenTab = null;
      if (person.match !== this.page.connection.match) this.turnTo(person.match);
      else this.page.showPage("board");
    }
    if (JSON.stringify(before?.options) !== JSON.stringify(person.options)) this.setFault(null);
    if (person.options?.length && !before?.options?.length) announce("It is your turn");
    this.writeSeat();
    this.offerOptions();
    if (this.list) this.showOffers();
  }

  writeSeat() {
    const { person } = this, { connection, game, room } = this.page;
    if (!person) return;
    const isElsewhere = person.state === "seated" && person.match !== connection.match;
    byId("seat-go").hidden = !isElsewhere;
    const over = isElsewhere || !game.statistics ? "The match is over"
      : game.isBrokenOff ? "The match is broken off" : `The match is over: ${room.result(game.statistics)}`;
    const text = person.state === "waiting" ? `${person.name}, ${person.note ?? "you wait for a match"}.`
      : person.note && !person.over ? `${person.name}, ${person.note}.`
      : person.over ? `${over}.`
      : person.options.length ? `${person.name}, it is your turn.` : `${person.name}, ${game.start?.agents.length > 2 ? "others are" : "the other player is"} to move.`;
    write(byId("seat-text"), text);
    write(byId("seat-leave"), person.over ? "Close" : person.state === "waiting" ? "Do not wait" : "Leave the match");
    byId("seat").dataset.turn = String(Boolean(person.options?.length));
  }

  /** Gives the room the options of the seat, if it is one in the match that is watched. */
  offerOptions() {
    const { person, page } = this;
    this.writeSeat();
    // The page has turned to the match before its game begins: until then it shows the one before.
    const isHere = person?.state === "seated" && person.match === page.connection.match && page.game.start?.match === person.match && !person.over;
    page.room?.play(isHere ? { agent: person.agent, options: this.isActing ? [] : person.options, act: (option) => this.act(option) } : null);
    page.invalidate(true);
  }

  setPlayFault(why) {
    write(byId("play-fault"), why ?? "");
    byId("play-fault").hidden = !why;
  }

  setFault(why) {
    write(byId("seat-fault"), why ?? "");
    byId("seat-fault").hidden = !why;
  }

  /** Plays one of the options. */
  async act(option) {
    if (this.isActing) return;
    this.isActing = true;
    this.setFault(null);
    this.page.time.follow(true);
    const { person } = this;
    const answer = await this.page.connection.ask("POST", "act", { match: person.match, moves: person.moves, action: option }, true);
    if (answer?.ok) return;
    this.setFault(answer ? `This was not played: ${answer.said?.why ?? answer.status}.` : "The host does not answer: perhaps this was played.");
    this.isActing = false;
    this.offerOptions();
  }

  async leave() {
    const answer = await this.page.connection.ask("POST", "leave", {}, true);
    if (answer === null) {
      this.setFault("The host does not answer.");
      return;
    }
    this.forget();
    this.page.connection.turnTo(this.page.connection.match);
  }

  /** Nobody plays here any more. */
  forget() {
    this.person = null;
    this.isActing = false;
    this.page.connection.takeSeat(null);
    byId("seat").hidden = true;
    this.setFault(null);
    this.page.room?.play(null);
    if (this.list) this.showOffers();
  }
}

/** Draws a table of the host into its place, row by row. */
function drawTable(place, { title, columns, rows, note }) {
  const style = { text: "text-cell", verbatim: "text-cell verbatim" };
  const cell = (tag, text, column) => make(tag, { "class": style[columns[column].kind] ?? null, scope: tag === "th" ? "col" : null }, text);
  write(byId(`${place}-title`), title);
  write(byId(`${place}-note`), note);
  byId(`${place}-columns`).replaceChildren(...columns.map(({ heading }, column) => cell("th", heading, column)));
  byId(`${place}-rows`).replaceChildren(...rows.map((row) => make("tr", {}, ...row.map((text, column) => cell("td", text, column)))));
}

/** How a match stands, for the list. */
function stateText({ state, moves, outcome, players }) {
  const count = moves === 1 ? "1 move" : `${moves} moves`;
  if (state === "broken") return `broken off after ${count}`;
  if (state === "playing" || !outcome) return `${count}, being played`;
  const points = outcome.points.join(" : ");
  const winners = players.filter(({ team }) => team === outcome.winner).map(({ name }) => name);
  return `${winners.length ? `${winners.join(" and ")} ${winners.length > 1 ? "win" : "wins"}` : "nobody wins"}, ${points}${outcome.termination === "normal" ? "" : `, ${endingText(outcome.termination, "")}`}`;
}
