// The school boards of the players, and the characters, as elements.

import { make, makeShape } from "../../shell/dom.js";
import { playerName } from "../../shell/players.js";
import { TOWER_PATHS } from "./ring.js";
import { characterText, phaseText, STUDENT_COLOURS, studentsText, teamText, TOWER_NAMES } from "./words.js";

/** The seats of a colour in a dining room. */
const DINING_SEATS = 10;

/** A tower of a team as an element in a text. */
export function towerShape(team) {
  return makeShape("svg", { "class": "eriantys-tower", viewBox: "-0.6 -0.66 1.2 1.26", "aria-hidden": "true" },
    makeShape("path", { "class": `tower team-${team}`, d: TOWER_PATHS[team] }));
}

/** Students as pills; `none` stands for no students. */
function pills(counts, none = "–") {
  const there = counts.map((count, colour) => [count, STUDENT_COLOURS[colour]]).filter(([count]) => count > 0);
  return make("span", { "class": "pills", title: studentsText(counts) }, ...there.map(([count, name]) =>
    make("span", { "class": `student ${name}`, "data-colour": name, "data-count": count }, `${name[0].toUpperCase()}${count}`)), there.length ? "" : none);
}

/** A player's school board at a moment. */
export function schoolBoard(game, table, player) {
  const { entrance, dining, hand, assistant, coins } = table.schools[player], { team } = game.start.agents[player];
  const isMover = table.mover === player;
  const seats = STUDENT_COLOURS.map((name, colour) => {
    const isOwner = table.professors[colour] === player, count = dining[colour];
    const bar = make("i", { "aria-hidden": "true" });
    bar.style.width = `${(100 * Math.min(count, DINING_SEATS)) / DINING_SEATS}%`;
    const told = `${name}: ${count} of ${DINING_SEATS} seats${isOwner ? ", and the professor" : ""}`;
    return make("div", { "class": `seats ${name}${isOwner ? " professor" : ""}`, title: told, "data-colour": name, "data-count": count }, bar,
      make("span", {}, `${name[0].toUpperCase()}${count}`), isOwner ? make("b", { title: told }, "⬢") : null);
  });
  const fact = (name, value, title) => make("span", { "class": `fact ${name}`, title }, value);
  const left = table.towersLeft[team], towers = `${left} ${left === 1 ? "tower" : "towers"} left`;
  return make("article", { "class": `eriantys-school${isMover ? " mover" : ""}`, "aria-label": `School board of ${playerName(game, player)}`, "data-player": player },
    make("header", {}, towerShape(team), make("b", { "class": "name" }, playerName(game, player)), make("span", { "class": "doing" }, isMover ? phaseText(table) : "")),
    make("div", { "class": "facts" },
      fact("towers-left", towers, `${TOWER_NAMES[team]} towers of ${teamText(game, team)}`),
      fact("played", assistant ? `assistant ${assistant[0]}` : "no assistant", assistant ? `the assistant of this round: up to ${assistant[1]} steps of Mother Nature` : "none played in this round"),
      fact("hand", `${hand.length} in hand`, `assistants left: ${hand.join(", ") || "none"}`),
      table.expert ? fact("coins", `${coins} ${coins === 1 ? "coin" : "coins"}`) : null),
    make("div", { "class": "entrance" }, make("span", { "class": "label" }, "entrance"), pills(entrance)),
    make("div", { "class": "dining", role: "group", "aria-label": "dining room" }, ...seats));
}

/** A character's card. */
export function characterCard({ character, price, students, bans, used }, does) {
  const holds = students.some((count) => count > 0) ? pills(students) : null;
  const name = characterText(character);
  return make("li", { title: `${name}: ${does}. ${price} ${price === 1 ? "coin" : "coins"}${used ? ", one more than at first" : ""}`, "data-character": character },
    make("span", { "class": "name" }, name), make("span", { "class": "price" }, `${price} ¢`),
    holds, bans ? make("span", { "class": "card-bans" }, `⊘ ×${bans}`) : null, make("span", { "class": "does" }, does));
}
