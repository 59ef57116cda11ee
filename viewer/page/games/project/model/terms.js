// The words of the feed.
//
// Fields are (x, y) with (0, 0) in the south-west; a field's index is y * columns + x. All times are
// milliseconds of the game's clock.

/** The teams in the order in which the feed numbers them. */
export const TEAMS = ["red", "blue"];

/** Actions as the statistics name them. */
export const ACTIONS = ["move", "discover", "pick-up", "put", "check", "destroy", "ask", "answer"];

/** A distance that nobody told, and the distance when no piece lies on the board. */
export const UNKNOWN = -2;
export const INFINITE = -1;

/** More than the longest way on the largest board, with room for sums in 16 bits. A claim may be any number: from here on
 * they are all alike. */
export const FARTHEST = 0x3fff;

/** What is said of a field in a goal area. */
export const UNSAID = 0;
export const NO_GOAL = 1;
export const GOAL = 2;

/** What an agent holds; what its team sees in its hand may be either. */
export const EMPTY = 0;
export const REAL = 1;
export const SHAM = 2;
export const EITHER = 3;

/** The verdicts on claims, from good to bad. */
export const VERDICTS = ["honest", "stale", "mistaken", "lie"];
export const HONEST = 0, STALE = 1, MISTAKEN = 2, LIE = 3;

/** What the list of events and the keys call an event. A question that is repeated is never listed: nobody is told. */
export const KINDS = [
  "goal", "pick-up", "put", "check", "exchange", "lie", "question", "refusal",
  "move", "discovery", "new piece", "remark", "end", "repeated question",
];

/** What an agent does in a stretch of its line in the chart. */
export const STRETCHES = ["moving", "locked", "blocked"];

/** What the last item of an event says: what is different since. */
export function changesOf(event) {
  return event[event.length - 1];
}

/** The agent that acted in an event: questions and answers are addressed to the other one. */
export function actor(event) {
  return event[1] === "asked" || event[1] === "asked-again" || event[1] === "answered" ? event[3] : event[2];
}

/** The same, and -1 for an event in which nobody acted. */
export function eventAgent(event) {
  return event[1] === "appeared" || event[1] === "over" ? -1 : actor(event);
}
