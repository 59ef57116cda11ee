// What a person may choose next in Eriantys, step by step, from the texts of the options that the seat has.
//
// An option is a way of several choices: a student of the entrance, then the island to which it goes. A choice is a text
// of what is chosen and its name or number: "entrance red", "island 3". It knows no rule: a choice is there if an option has it.

import { STUDENT_COLOURS } from "./words.js";

/** Ends an exchange that could go on. */
export const EXCHANGE_DONE = "done";

/** How many of each colour there are among first letters. */
const countLetters = (letters) => STUDENT_COLOURS.map((name) => [...letters].filter((letter) => letter === name[0]).length);

/** An option's choices in their order; those of an exchange are counts instead, since their order is free. */
function readOption(text) {
  const [kind, first, second, third] = text.split(" ");
  switch (kind) {
    case "assistant": case "steps": case "cloud": return { text, way: [text] };
    case "dining": return { text, way: [`entrance ${first}`, text] };
    case "island": return { text, way: [`entrance ${first}`, `island ${second}`] };
    default: break;
  }
  const card = `card ${kind}`;
  if (second === "for") return { text, way: [card], exchange: { give: countLetters(first), take: countLetters(third) } };
  const further = [first, second].filter((word) => word !== undefined);
  return { text, way: [card, ...further.map((word) => (STUDENT_COLOURS.includes(word) ? `colour ${word}` : `island ${word}`))] };
}

/** The options of a seat, as ways. */
export class EriantysChoices {
  constructor(options) {
    this.options = options.map(readOption);
  }

  /** What may be chosen after these choices: `next`, and the text of the option that they are, if they are one. */
  after(chosen) {
    const next = [], add = (choice) => { if (!next.includes(choice)) next.push(choice); };
    let complete = null;
    for (const { text, way, exchange } of this.options) {
      if (chosen.slice(0, way.length).some((choice, place) => choice !== way[place])) continue;
      if (chosen.length < way.length) add(way[chosen.length]);
      else if (exchange ? this.exchanged(exchange, chosen.slice(way.length), add) : chosen.length === way.length) complete = text;
    }
    if (complete !== null && next.length) next.unshift(EXCHANGE_DONE);
    return { next, complete };
  }

  /** Students come and go in pairs: one that is taken, then one that is given for it. Whether these are the whole exchange. */
  exchanged({ give, take }, pairs, add) {
    const letters = (side) => pairs.filter((choice) => choice.startsWith(side)).map((choice) => choice.split(" ")[1][0]);
    const taken = countLetters(letters("take")), given = countLetters(letters("give"));
    if (taken.some((count, colour) => count > take[colour]) || given.some((count, colour) => count > give[colour])) return false;
    const isTaken = pairs.length % 2 === 1, [side, all, done] = isTaken ? ["give", give, given] : ["take", take, taken];
    STUDENT_COLOURS.forEach((name, colour) => { if (done[colour] < all[colour]) add(`${side} ${name}`); });
    return !isTaken && all.every((count, colour) => count === done[colour]);
  }
}
