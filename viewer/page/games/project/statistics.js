// The page of statistics.

import { clockText } from "../../shell/clock.js";
import { ACTIONS, TEAMS, VERDICTS } from "./model/terms.js";
import { VERDICT_SIGNS } from "./drawing/verdicts.js";
import { leaderMark, make, scrollTable, teamShape } from "../../shell/dom.js";
import { saveButtons } from "../../shell/saving.js";
import { agentTitle, endingWords, REASONS } from "./words.js";

/** Sums the figures of several agents. */
function sumFigures(all) {
  const sum = (into, from) => {
    for (const [name, value] of Object.entries(from)) {
      if (typeof value === "number") into[name] = (into[name] ?? 0) + value;
      else if (value && typeof value === "object") into[name] = sum(into[name] ?? {}, value);
    }
    return into;
  };
  return all.reduce((into, one) => sum(into, one), {});
}

/** The statistics as far as the events tell them, in the shape of the game master's document. */
export function statisticsSoFar(game) {
  const world = game.at(game.duration);
  const agents = game.start.agents.map(({ id }) => world.figures(id, game.duration));
  const teams = Object.fromEntries(TEAMS.map((team, place) =>
    [team, { ...sumFigures(agents.filter((one) => one.team === team)), points: world.points[place] }]));
  const [red, blue] = world.points;
  const outcome = world.over && { winner: TEAMS[world.over[2]] ?? null, termination: world.over[3] };
  return { outcome, points: { red, blue }, timeMs: game.duration, seed: game.start.seed, teams, agents };
}

const capital = (word) => `${word[0].toUpperCase()}${word.slice(1)}`;

/** The end of a game with an outcome, in a few words. */
export function resultText({ outcome: { winner, termination }, points }) {
  const who = winner ? `${capital(winner)} wins` : "Nobody wins";
  return `${who}, red ${points.red}, blue ${points.blue}, ${endingWords(termination)}`;
}

export function statisticsPage(page, statistics) {
  const { game } = page;
  const { outcome, points, teams, agents } = statistics;
  const winner = outcome?.winner;
  const title = !outcome ? "The game so far" : winner ? `${capital(winner)} wins` : "Nobody wins";
  const why = outcome ? endingWords(outcome.termination) : game.standing;
  const refusals = (figures) => Object.values(figures.refused).reduce((sum, count) => sum + count, 0);
  const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;
  const card = (heading, ...content) => make("section", { "class": "card" }, make("h2", {}, heading), ...content);

  const compared = [
    ["goals covered", (one) => one.goals], ["pieces taken", (one) => one.pieces], ["shams found", (one) => one.shams],
    ["moves", (one) => one.granted.move], ["discoveries", (one) => one.granted.discover],
    ["questions asked", (one) => one.questionsAsked], ["questions answered", (one) => one.questionsAnswered],
    ["requests refused", refusals], ["requests too early", (one) => one.premature],
  ];
  const bar = (value, most) => {
    const stripe = make("i");
    stripe.style.width = `${most ? (66 * value) / most : 0}%`;
    return stripe;
  };
  const versus = make("div", { "class": "versus" }, ...compared.flatMap(([name, of]) => {
    const [red, blue] = TEAMS.map((team) => of(teams[team])), most = Math.max(red, blue);
    return [
      make("div", { "class": "left" }, String(red), bar(red, most)), make("div", { "class": "what" }, name),
      make("div", { "class": "right" }, bar(blue, most), String(blue)),
    ];
  }));

  // What each agent spent its time on: the locks of each action, and waiting.
  const longest = Math.max(1, ...agents.map((one) => one.lockedMs + one.idleMs));
  const spent = (one) => ACTIONS.map((action) => one.lockedMsBy?.[action] ?? 0);
  const used = ACTIONS.map((_, place) => agents.some((one) => spent(one)[place] > 0));
  const times = make("div", { "class": "times" }, ...agents.flatMap((one) => {
    const shares = spent(one), all = shares.reduce((sum, share) => sum + share, 0);
    const scale = all > 0 ? Math.min(1, one.lockedMs / all) : 0;
    const stack = make("div", { "class": "stack" }, ...shares.flatMap((share, place) => {
      if (!share) return [];
      const part = make("i", { "class": `shade-${place}`, title: `${ACTIONS[place]}: about ${seconds(share * scale)}` });
      part.style.width = `${(100 * share * scale) / longest}%`;
      return [part];
    }));
    return [
      make("span", { "class": "who" }, teamShape(one.team), `${game.numberOf(one.agent)}`, leaderMark(one)),
      stack, make("span", { "class": "note" }, `${Math.round((100 * one.idleMs) / Math.max(1, one.lockedMs + one.idleMs))} % waiting`),
    ];
  }));
  const legend = make("div", { "class": "legend wide" }, ...ACTIONS.flatMap((action, place) =>
    (used[place] ? [make("span", {}, make("i", { "class": `swatch shade-${place}` }), action)] : [])));

  const columns = [
    ...ACTIONS.map((action) => [action, (one) => one.granted[action]]),
    ["pieces", (one) => one.pieces], ["shams", (one) => one.shams], ["goals", (one) => one.goals],
    ["asked", (one) => one.questionsReceived], ["refused", refusals], ["too early", (one) => one.premature],
    ["locked", (one) => seconds(one.lockedMs)], ["waiting", (one) => seconds(one.idleMs)],
  ];
  const row = (attributes, who, one) =>
    make("tr", attributes, make("td", {}, ...who), ...columns.map(([, of]) => make("td", {}, String(of(one)))));
  const everyAgent = scrollTable("every-agent", "Every agent",
    make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "agent"), ...columns.map(([name]) => make("th", { scope: "col" }, name)))),
    make("tbody", {},
      ...agents.map((one) => row({}, [teamShape(one.team), agentTitle(game, one.agent), " ", leaderMark(one) ?? ""], one)),
      ...TEAMS.map((team) => row({ "class": "sum" }, [teamShape(team), `all ${team}`], teams[team]))));

  const reasons = new Map();
  for (const team of TEAMS) {
    for (const [reason, count] of Object.entries(teams[team].refusedBecause ?? {})) {
      reasons.set(reason, { ...reasons.get(reason), [team]: count });
    }
  }
  const refusalTable = reasons.size ? card("Why requests were refused", scrollTable("refusals", "Why requests were refused",
    make("thead", {}, make("tr", {}, ...["reason", "red", "blue"].map((name) => make("th", { scope: "col" }, name)))),
    make("tbody", {}, ...[...reasons].map(([reason, counts]) => make("tr", {},
      make("td", { "class": "text-cell" }, REASONS[reason] ?? reason), ...TEAMS.map((team) => make("td", {}, String(counts[team] ?? 0)))))))) : null;

  const worths = [0, 0, 0, 0];
  for (const { worth } of game.verdicts.values()) worths[worth]++;
  const exchanges = game.verdicts.size ? card("What answers were worth", scrollTable("answers", "What answers were worth",
    make("thead", {}, make("tr", {}, ...["answers", "count"].map((name) => make("th", { scope: "col" }, name)))),
    make("tbody", {}, ...VERDICTS.map((name, place) => make("tr", {},
      make("td", {}, make("span", { "class": `worth ${name}` }, `${VERDICT_SIGNS[place]} ${name}`)), make("td", {}, String(worths[place]))))))) : null;

  return [
    make("section", { "class": "card outcome" },
      make("div", { "class": "big", "aria-label": `red ${points.red}, blue ${points.blue}` },
        teamShape("red"), make("span", { "class": "red" }, String(points.red)), make("span", { "class": "colon" }, ":"),
        make("span", { "class": "blue" }, String(points.blue)), teamShape("blue")),
      make("div", {}, make("p", { "class": "result" }, title),
        make("p", { "class": "note" }, `${why} · ${clockText(statistics.timeMs)} · seed ${statistics.seed}`)),
      make("div", { "class": "row" },
        ...saveButtons(page, numbered(game, statistics)))),
    make("div", { "class": "two" }, card("The teams", versus),
      card("Points over time", make("canvas", { id: "final-course", "class": "final-course", role: "img", "aria-label": `Points over time; at the end red ${points.red}, blue ${points.blue}` }))),
    card("What agents spent their time on", times, legend),
    card("Every agent", everyAgent),
    ...(refusalTable || exchanges ? [make("div", { "class": "two" }, refusalTable ?? "", exchanges ?? "")] : []),
  ];
}

/** The statistics with the numbers of connections, as the game master's document has them. */
function numbered(game, statistics) {
  const agents = statistics.agents.map((one) => {
    const { number } = game.start.agents[one.agent];
    return number === undefined ? one : { ...one, agentID: number };
  });
  return { ...statistics, agents };
}
