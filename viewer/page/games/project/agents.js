// Beside the board: the agents, and what is to be said of the one that is selected.

import { clockText } from "../../shell/clock.js";
import { EITHER, EMPTY, TEAMS, VERDICTS } from "./model/terms.js";
import { VERDICT_SIGNS } from "./drawing/verdicts.js";
import { byId, keepInSight, leaderMark, make, teamShape, write } from "../../shell/dom.js";
import { agentTitle } from "./words.js";

const MOST_REMARKS = 12;
const MOST_EXCHANGES = 6;

/** The list of agents and the panel of the selected one. */
export class AgentPanel {
  constructor(room) {
    this.room = room;
    this.page = room.page;
    this.rows = [];
    this.panel = null;
    /** The agent whose row was scrolled to. */
    this.scrolledTo = -1;
  }

  /** Makes a row for each agent of a game that begins. */
  fill() {
    const rows = [...this.page.game.start.agents].sort((one, other) =>
      TEAMS.indexOf(one.team) - TEAMS.indexOf(other.team) || one.id - other.id);
    this.rows = [];
    byId("agents").replaceChildren(...rows.map(({ id, team, leader }) => {
      const doing = make("span", { "class": "doing" }), load = make("span", { "class": "load" });
      const goals = make("span", { "class": "goals" });
      const who = make("span", { "class": "who" }, teamShape(team), String(this.page.game.numberOf(id)), leaderMark({ leader }));
      const button = make("button", {
        type: "button", "class": "agent-row", "aria-pressed": "false", title: `${agentTitle(this.page.game, id)}, ${team}${leader ? ", leader" : ""}`,
        click: () => this.room.select(this.room.selected === id ? -1 : id),
      }, who, doing, load, goals);
      this.rows[id] = { button, doing, load, goals };
      return button;
    }));
  }

  /** What an agent does at this moment, in a few words. */
  doing(agent, world) {
    if (world.gone[agent]) return "has left";
    const left = world.lockedUntil[agent] - this.page.time.t;
    const last = world.last[agent] >= 0 ? this.page.game.events[world.last[agent]] : null;
    const words = {
      moved: "moves", discovered: "discovers", "picked-up": "picks up", put: "puts", checked: "checks its piece",
      destroyed: "destroys its piece", asked: "asks", answered: "answers", refused: "is refused",
    };
    const what = !last ? "" : last[1] === "refused" ? `${last[3]} refused` : words[last[1]];
    if (left > 0) return `${what || "locked"} · ${(left / 1000).toFixed(1)} s`;
    const since = this.page.time.t - Math.max(world.lockedUntil[agent], last ? last[0] : 0);
    return since < 300 ? what || "ready" : `waits ${(since / 1000).toFixed(1)} s`;
  }

  writeRow(agent, world) {
    const row = this.rows[agent], { sight } = this.room;
    const seen = sight.has(agent), goals = world.figure(agent, "goals");
    write(row.doing, seen ? this.doing(agent, world) : this.unseen);
    write(row.load, seen ? this.load(agent, world) : "");
    write(row.goals, seen && goals ? String(goals) : "");
    row.button.setAttribute("aria-pressed", String(agent === this.room.selected));
    row.button.classList.toggle("gone", seen && Boolean(world.gone[agent]));
  }

  /** What is to be said of agents that are not seen. */
  get unseen() {
    return `not seen by ${this.room.sight.name}`;
  }

  /** What an agent carries: only who sees everything can tell a sham. */
  load(agent, world) {
    const hand = world.hand[agent];
    return ["", "piece", "sham", "piece"][hand === EMPTY || this.room.sight.isWhole ? hand : EITHER];
  }

  /** Shows who is selected; what changes with time is written by `writePanel`. */
  open() {
    const { page, room } = this;
    const panel = byId("agent-panel");
    panel.hidden = room.selected < 0;
    if (room.selected < 0) return;
    const agent = page.game.start.agents[room.selected];
    const toggle = (text, on, title, act) =>
      make("button", { type: "button", "aria-pressed": String(on), title, click: act }, text);
    const truth = room.sight.isWhole;
    const mark = (name, text) => make("span", {}, make("i", { "class": name }), text);
    const marks = (room.belief && truth) || room.view === "agent" ? make("div", { "class": "marks" },
      mark("read", "read; faint: long ago"), mark("told", "told"),
      ...(truth ? [mark("stale", "was true once"), mark("mistaken", "told by mistake"), mark("lie", "told as a lie")] : []),
      mark(`goal ${truth ? "frame" : "diamond"}`, "takes it for a goal"), mark("no-goal", "for none"),
      ...(truth ? [mark("false-goal", "that is false")] : [])) : null;
    this.panel = {
      now: make("p", { "class": "now" }), figures: make("dl", { "class": "figures" }),
      exchanges: make("ul", { "class": "plain exchanges" }), remarks: make("ul", { "class": "plain remarks" }), key: "",
    };
    panel.replaceChildren(
      make("div", { "class": "card-head" },
        make("h2", {}, teamShape(agent.team), agentTitle(page.game, room.selected), leaderMark(agent)),
        make("button", { type: "button", "class": "icon", "aria-label": "Close", title: "Close (Esc)", click: () => room.select(-1) }, "×")),
      this.panel.now,
      // What the strategy says explains what the agent does. Of agents on a network there is nothing to show.
      ...(room.sight.has(room.selected) && page.game.isToldRemarks ? [make("h3", {}, "Remarks"), this.panel.remarks] : []),
      make("div", { "class": "row" },
        toggle("Beliefs", room.belief, "What it believes, over the truth (B)", () => room.toggleBelief()),
        toggle("Only what it knows", room.view === "agent", "Without the truth (V)",
          () => room.setView(room.view === "agent" ? "truth" : "agent")),
        toggle("Follow", room.tracking, "Keep it in the middle (O)", () => room.toggleFollowAgent())),
      ...(room.sight.has(room.selected) ? [
        marks ?? "", this.panel.figures,
        make("h3", {}, "Exchanges"), this.panel.exchanges,
        ...(page.game.isToldRemarks ? [] : [make("h3", {}, "Remarks"), this.panel.remarks]),
      ] : []));
  }

  /** Writes what is to be said of the selected agent, and has its row in sight once it is selected. */
  writePanel(world) {
    this.writeSelected(world);
    const { selected } = this.room, row = this.rows[selected], box = byId("agents");
    if (row && selected !== this.scrolledTo) {
      const { top, height } = row.button.getBoundingClientRect();
      keepInSight(box, top - box.getBoundingClientRect().top + box.scrollTop, height);
    }
    this.scrolledTo = selected;
  }

  writeSelected(world) {
    const { page, room, panel } = this, { game } = page;
    if (room.selected < 0) return;
    if (!room.sight.has(room.selected)) {
      write(panel.now, this.unseen);
      return;
    }
    const figures = world.figures(room.selected, page.time.t), load = this.load(room.selected, world);
    const carries = load && ` · carries a ${load}`;
    write(panel.now, `At ${world.x[room.selected]},${world.y[room.selected]}: ${this.doing(room.selected, world)}${carries}`);
    const refused = Object.values(figures.refused).reduce((sum, count) => sum + count, 0);
    const share = (part) => `${Math.round((100 * part) / Math.max(1, page.time.t))} %`;
    const values = [
      ["goals", figures.goals], ["pieces", figures.pieces], ["shams", figures.shams], ["moves", figures.granted.move],
      ["discoveries", figures.granted.discover], ["asked", figures.questionsAsked], ["answered", figures.questionsAnswered],
      ["refused", refused], ["too early", figures.premature], ["locked", share(figures.lockedMs)],
      ["waiting", share(figures.idleMs)], ["was asked", figures.questionsReceived],
    ];
    if (panel.figures.children.length !== values.length) {
      panel.figures.replaceChildren(...values.map(([name]) => make("div", {}, make("dt", {}, name), make("dd"))));
    }
    values.forEach(([, value], place) => write(panel.figures.children[place].lastChild, String(value)));
    const past = (places, most) => {
      let count = places.length;
      while (count && places[count - 1] >= world.applied) count--;
      return places.slice(Math.max(0, count - most), count).reverse();
    };
    const exchanges = past(game.exchanges[room.selected], MOST_EXCHANGES);
    const remarks = past(game.remarks[room.selected], MOST_REMARKS);
    const key = `${exchanges[0]} ${remarks[0]}`;
    if (key === panel.key) return;
    panel.key = key;
    const moment = (index) => make("time", {}, clockText(game.events[index][0]));
    panel.exchanges.replaceChildren(...(exchanges.length ? exchanges.map((index) => {
      const [, , to, by] = game.events[index];
      const { worth, counts } = game.verdicts.get(index);
      const who = by === room.selected ? `told ${game.numberOf(to)} ` : `heard from ${game.numberOf(by)} `;
      if (!room.sight.isWhole) return make("li", {}, moment(index), who);
      const told = counts.map((count, place) => (count ? `${count} ${["true", "stale", "mistaken", "lies"][place]}` : ""));
      return make("li", { title: told.filter(Boolean).join(", ") }, moment(index),
        who, make("span", { "class": `worth ${VERDICTS[worth]}` }, `${VERDICT_SIGNS[worth]} ${VERDICTS[worth]}`),
        make("span", { "class": "note" }, ` ${told.filter(Boolean).join(", ")}`));
    }) : [make("li", { "class": "note" }, "none so far")]));
    panel.remarks.replaceChildren(...(remarks.length
      ? remarks.map((index) => make("li", {}, moment(index), game.events[index][3].text ?? ""))
      : [make("li", { "class": "note" }, game.isToldRemarks ? "none so far" : "not told over the network")]));
  }
}
