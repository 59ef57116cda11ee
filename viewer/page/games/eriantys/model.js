// A game of Eriantys as the feed tells it: the whole table with each event.

import { Turns } from "../../shell/turns.js";

export const ERIANTYS_KINDS = [
  "assistant", "dining", "island", "steps", "cloud", "conquered", "merged", "professor", "coin", "character", "returned", "refilled", "lifted",
  "round", "filled", "last-round", "refusal", "note", "end",
];

const isCounts = (counts) => Array.isArray(counts) && counts.length === 5 && counts.every(Number.isInteger);
const isIsland = ({ students, first, size }) => isCounts(students) && Number.isInteger(first) && size > 0;
const isSchool = ({ entrance, dining, hand }) => isCounts(entrance) && isCounts(dining) && Array.isArray(hand);

const isTable = ({ islands, clouds, schools, cards, towersLeft }, agents) =>
  Array.isArray(islands) && islands.length > 0 && islands.length <= 12 && islands.every(isIsland)
  && Array.isArray(clouds) && clouds.every(isCounts) && Array.isArray(schools) && schools.length === agents.length && schools.every(isSchool)
  && Array.isArray(cards) && cards.every(({ students }) => isCounts(students)) && Array.isArray(towersLeft);

/** The tables of one game, in order. */
export class EriantysTables extends Turns {
  constructor() {
    super(ERIANTYS_KINDS);
  }

  isSoundStart(picture, agents) {
    return isTable(picture, agents) && Array.isArray(picture.does) && agents.every(({ team }) => team in picture.towersLeft);
  }

  isSoundTurn(kind, player, about, table) {
    return isTable(table, this.start.agents)
      && (!["filled", "cloud", "returned"].includes(kind) || isCounts(about.students)) && (kind !== "refusal" || typeof about.asked === "object");
  }

  isQuiet(index) {
    return this.events[index][1] === "filled" || super.isQuiet(index);
  }

  /** The table at a moment, and how many events there were until then. */
  at(t) {
    const count = this.countAt(t);
    return { count, table: this.behind(count) };
  }

  /** The teams, in order. */
  get teams() {
    return this.start.picture.towersLeft.map((_, team) => team);
  }
}
