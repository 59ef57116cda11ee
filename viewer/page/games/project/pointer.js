// The pointer on the board and its minimap: moving, zooming, selecting, and what lies under it.

import { clockText } from "../../shell/clock.js";
import { GOAL, INFINITE, TEAMS, UNKNOWN, UNSAID, VERDICTS } from "./model/terms.js";
import { byId, write } from "../../shell/dom.js";
import { announce } from "../../shell/notices.js";
import { agentTitle } from "./words.js";

/** How far a finger, or a mouse, may slip in pixels without meaning to move anything. */
const SLIP = { touch: 9, mouse: 4 };

/** Listens to the pointer, and keeps the tip of what lies under it. */
export class Pointer {
  constructor(room) {
    this.room = room;
    this.page = room.page;
    /** Where the pointer is on the stage, if it is there. */
    this.pointed = null;
    /** Whether the tip stays there until it is sent away: what has no hover taps. */
    this.isPinned = false;
    this.wire();
  }

  wire() {
    const { page, room } = this;
    const stage = byId("stage"), minimap = byId("minimap");
    const pointers = new Map();
    let travelled = 0, pinch = 0;
    const spread = () => {
      const [one, other] = [...pointers.values()];
      return Math.hypot(one.x - other.x, one.y - other.y);
    };
    const place = (event) => {
      const box = stage.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    stage.addEventListener("pointerdown", (event) => {
      if (!page.game.start || (event.target !== stage && event.target.id !== "actors")) return;
      stage.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, place(event));
      travelled = 0;
      if (pointers.size === 2) pinch = spread();
    });
    stage.addEventListener("pointermove", (event) => {
      const now = place(event), before = pointers.get(event.pointerId);
      if (!before) {
        if (this.isPinned) return;
        this.pointed = event.target.id === "actors" ? now : null;
        this.showTip();
        return;
      }
      pointers.set(event.pointerId, now);
      if (pointers.size === 2) {
        const [one, other] = [...pointers.values()];
        room.board.zoom(spread() / pinch, (one.x + other.x) / 2, (one.y + other.y) / 2);
        pinch = spread();
        travelled = 99;
      } else {
        travelled += Math.hypot(now.x - before.x, now.y - before.y);
        // A board that is shown whole has nowhere to go: a finger on it scrolls the page.
        const scrolls = event.pointerType === "touch" && room.board.isWhole;
        if (travelled > (SLIP[event.pointerType] ?? SLIP.mouse) && !scrolls) {
          stage.classList.add("dragging");
          room.tracking = false;
          room.board.pan(now.x - before.x, now.y - before.y);
        }
      }
      page.invalidate();
    });
    const release = (event) => {
      const at = pointers.get(event.pointerId);
      pointers.delete(event.pointerId);
      stage.classList.remove("dragging");
      if (at && event.type === "pointerup" && travelled <= (SLIP[event.pointerType] ?? SLIP.mouse)) {
        const agent = room.board.agentAt(page.game.at(page.time.t), at.x, at.y);
        room.select(agent === room.selected ? -1 : agent);
        if (event.pointerType === "mouse") this.unpin();
        else if (this.isPinned && this.field(at) === this.field(this.pointed)) this.unpin();
        else this.pin(at);
      }
    };
    stage.addEventListener("pointerup", release);
    stage.addEventListener("pointercancel", release);
    stage.addEventListener("pointerleave", () => {
      if (!this.isPinned) this.unpin();
    });
    stage.addEventListener("dblclick", (event) => {
      if (event.target.id !== "actors") return;
      const { x, y } = place(event);
      room.board.zoom(2, x, y);
      page.invalidate();
    });
    stage.addEventListener("wheel", (event) => {
      if (!page.game.start) return;
      event.preventDefault();
      const { x, y } = place(event);
      room.board.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)), x, y);
      page.invalidate();
    }, { passive: false });
    const look = (event) => {
      if (!(event.buttons & 1) && event.type !== "pointerdown") return;
      const box = minimap.getBoundingClientRect();
      room.tracking = false;
      room.board.lookAt(event.clientX - box.left, event.clientY - box.top);
      page.invalidate();
    };
    minimap.addEventListener("pointerdown", (event) => { minimap.setPointerCapture(event.pointerId); look(event); });
    minimap.addEventListener("pointermove", look);
  }

  field({ x, y }) {
    const at = this.room.board.fieldAt(x, y);
    return `${Math.floor(at.x)},${Math.floor(at.y)}`;
  }

  /** Shows what lies at this place of the stage until it is sent away. */
  pin(at) {
    this.pointed = at;
    this.isPinned = true;
    this.showTip();
  }

  unpin() {
    this.pointed = null;
    this.isPinned = false;
    this.showTip();
  }

  /** Shows and tells what lies where the selected agent stands, or else in the middle of what is seen. */
  tellField() {
    if (this.isPinned) {
      this.unpin();
      return;
    }
    const { page, room } = this, { board } = room;
    const world = page.game.at(page.time.t), agent = room.selected;
    const [x, y] = agent >= 0 ? board.toStage(world.x[agent] + 0.5, world.y[agent] + 0.5) : [board.width / 2, board.height / 2];
    this.pin({ x, y });
    if (room.scene) announce(this.describe(this.pointed).replaceAll("\n", "; "));
  }

  /** What lies under the pointer at this moment. */
  showTip() {
    const tip = byId("tip"), at = this.pointed;
    const text = at && this.room.scene ? this.describe(at) : "";
    tip.hidden = !text;
    if (!text) return;
    write(tip, text);
    const left = at.x + 16 + tip.offsetWidth > this.room.board.width ? at.x - tip.offsetWidth - 12 : at.x + 16;
    tip.style.left = `${Math.max(4, left)}px`;
    tip.style.top = `${Math.min(at.y + 16, this.room.board.height - tip.offsetHeight - 6)}px`;
  }

  describe({ x: sx, y: sy }) {
    const { page, room } = this, { game } = page, { scene: { world, knowledge, sight } } = room;
    const { board, agents } = game.start;
    const at = room.board.fieldAt(sx, sy), x = Math.floor(at.x), y = Math.floor(at.y);
    if (x < 0 || y < 0 || x >= board.columns || y >= board.rows) return "";
    const field = y * board.columns + x;
    const area = y < board.goalRows ? "blue's goal area" : y >= board.rows - board.goalRows ? "red's goal area" : "task area";
    const lines = [`${x},${y} · ${area}`];
    const agent = agents.find(({ id }) => !world.gone[id] && world.x[id] === x && world.y[id] === y);
    if (agent && sight.has(agent.id)) {
      lines.push(`${agentTitle(game, agent.id)} (${agent.team}${agent.leader ? ", leader" : ""}): ${room.agents.doing(agent.id, world)}`);
    }
    if (room.view === "truth") {
      const pile = world.pieces.get(field);
      if (pile) lines.push(pile.map((sham) => (sham ? "a sham" : "a piece")).join(", "));
      const team = game.goals.findIndex((fields) => fields.has(field));
      if (team >= 0) {
        const covered = world.covered.get(field);
        lines.push(!covered ? `${TEAMS[team]}'s goal, hidden`
          : covered.agent < 0 ? `${TEAMS[team]}'s goal, covered`
            : `${TEAMS[team]}'s goal, covered by ${game.numberOf(covered.agent)} at ${clockText(covered.t)}`);
      }
      if (y >= board.goalRows && y < board.rows - board.goalRows) {
        const truth = room.board.distances(world).at(field);
        lines.push(truth === INFINITE ? "no piece lies on the board" : `nearest piece: ${truth}`);
      }
    }
    const known = knowledge?.at(x, y);
    if (known && known.distance !== UNKNOWN) {
      const said = known.distance === INFINITE ? "no piece" : known.distance;
      const source = known.by < 0 ? "read" : `told by ${game.numberOf(known.by)}${room.view === "truth" ? ` (${VERDICTS[known.worth]})` : ""}`;
      lines.push(`believes ${said}, ${source} ${((page.time.t - known.at) / 1000).toFixed(0)} s ago`);
    }
    if (known && known.goal !== UNSAID) {
      lines.push(`believes ${known.goal === GOAL ? "a goal" : "no goal"}, ${known.goalBy < 0 ? "tried" : `told by ${game.numberOf(known.goalBy)}`}`);
    }
    return lines.join("\n");
  }
}
