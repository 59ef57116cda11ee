// The board of Conveyor, as SVG: the whole truth, or what one player can tell from its answers.
//
// One unit is a field. The first row is at the bottom.

import { addShape } from "../../shell/dom.js";
import { SIDES } from "../../shell/players.js";
import { WAYS } from "./model.js";

/** How many places of a player's trail are drawn. */
const TRAIL = 40;

/** A triangle at a place that points in a direction; directions are those of the board, where up is away from row 1. */
function arrowPath(x, y, [right, up], size) {
  const tip = [x + right * size, y - up * size], side = [up * size * 0.8, right * size * 0.8];
  return `M${tip} L${x - right * size * 0.6 - side[0]} ${y + up * size * 0.6 - side[1]} L${x - right * size * 0.6 + side[0]} ${y + up * size * 0.6 + side[1]} Z`;
}

/** The board. */
export class ConveyorBoard {
  constructor(svg) {
    this.svg = svg;
    this.shown = null;
  }

  forget() {
    this.shown = null;
  }

  /** Draws a moment; `view` is the player whose knowledge is drawn, or null for everything. */
  draw(game, t, view) {
    const { count } = game.at(t);
    if (this.shown?.count === count && this.shown.view === view && this.shown.game === game.start) return;
    this.shown = { count, view, game: game.start };
    this.svg.replaceChildren();
    if (view === null) this.drawTruth(game, t);
    else this.drawKnown(game, view, count);
  }

  drawTruth(game, t) {
    const { svg } = this, { columns, rows, homes } = game.start.picture, { count, moment } = game.at(t);
    const { hints, conveyors } = game.fields(count);
    const middle = ([column, row]) => [column - 0.5, rows - row + 0.5];
    svg.setAttribute("viewBox", `-0.1 -0.1 ${columns + 0.2} ${rows + 0.2}`);
    addShape(svg, "rect", { "class": "field", x: 0, y: 0, width: columns, height: rows, rx: 0.1 });
    let lines = "";
    for (let x = 1; x < columns; x++) lines += `M${x} 0V${rows}`;
    for (let y = 1; y < rows; y++) lines += `M0 ${y}H${columns}`;
    addShape(svg, "path", { "class": "lines", d: lines });
    homes.forEach((home, player) => {
      if (!home) return;
      const [x, y] = middle(home);
      const group = addShape(svg, "g", { "class": `home ${SIDES[player]}` });
      addShape(group, "rect", { x: x - 0.46, y: y - 0.46, width: 0.92, height: 0.92, rx: 0.08 });
      addShape(group, "path", { d: `M${x - 0.3} ${y}L${x} ${y - 0.3}L${x + 0.3} ${y}M${x - 0.2} ${y - 0.08}V${y + 0.26}H${x + 0.2}V${y - 0.08}` });
      addShape(group, "title", {}, `home of ${game.start.agents[player].name ?? SIDES[player]}`);
    });
    for (const [place, ways] of hints) {
      const [x, y] = middle(place);
      addShape(svg, "rect", { "class": "hint", x: x - 0.44, y: y - 0.44, width: 0.88, height: 0.88, rx: 0.08 });
      ways.forEach((way, player) => {
        if (way) addShape(svg, "path", { "class": `way ${SIDES[player]}`, d: arrowPath(x + (player ? 0.2 : -0.2), y, WAYS[way], 0.16) });
        else addShape(svg, "circle", { "class": `way ${SIDES[player]}`, cx: x + (player ? 0.2 : -0.2), cy: y, r: 0.05 });
      });
    }
    for (const [start, end] of conveyors) {
      const [x, y] = middle(start);
      addShape(svg, "circle", { "class": "start", cx: x, cy: y, r: 0.34 });
      if (!end) continue;
      const [endX, endY] = middle(end);
      addShape(svg, "line", { "class": "belt", x1: x, y1: y, x2: endX, y2: endY });
      addShape(svg, "rect", { "class": "end", x: endX - 0.14, y: endY - 0.14, width: 0.28, height: 0.28, transform: `rotate(45 ${endX} ${endY})` });
    }
    moment.places.forEach((place, player) => {
      const trail = game.trail(player, count, TRAIL), side = SIDES[player];
      // The trails of both lie beside each other.
      const shift = player ? 0.06 : -0.06;
      for (let index = 1; index < trail.length; index++) {
        const [x1, y1] = middle(trail[index - 1].at), [x2, y2] = middle(trail[index].from ?? trail[index].at);
        const opacity = 0.15 + (0.85 * index) / trail.length;
        addShape(svg, "line", { "class": `trail ${side}`, x1: x1 + shift, y1: y1 + shift, x2: x2 + shift, y2: y2 + shift, opacity });
        if (trail[index].from) {
          const [x3, y3] = middle(trail[index].at);
          addShape(svg, "line", { "class": `trail carried ${side}`, x1: x2 + shift, y1: y2 + shift, x2: x3 + shift, y2: y3 + shift, opacity });
        }
      }
    });
    this.drawPlayers(moment.places.map(middle), WAYS[moment.heading]);
  }

  drawPlayers([first, second], heading) {
    const { svg } = this;
    const isShared = first[0] === second[0] && first[1] === second[1], apart = isShared ? 0.18 : 0;
    addShape(svg, "rect", { "class": "player red", x: first[0] - apart - 0.24, y: first[1] - apart - 0.24, width: 0.48, height: 0.48, rx: 0.08 });
    addShape(svg, "circle", { "class": "player blue", cx: second[0] + apart, cy: second[1] + apart, r: 0.27 });
    if (heading) addShape(svg, "path", { "class": "heading", d: arrowPath(second[0] + apart, second[1] + apart, heading, 0.17) });
  }

  drawKnown(game, player, count) {
    const { svg } = this, { steps, walls, heading, isCut } = game.known(player, count), side = SIDES[player];
    const xs = [...steps, ...walls].map(({ x }) => x), ys = [...steps, ...walls].map(({ y }) => y);
    const [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const middle = ({ x, y }) => [x - left + 1, high - y + 1];
    svg.setAttribute("viewBox", `0 0 ${right - left + 2} ${high - low + 2}`);
    const seen = new Set();
    for (const step of steps) {
      const [x, y] = middle(step), key = `${x},${y}`;
      if (seen.has(key)) continue;
      seen.add(key);
      addShape(svg, "rect", { "class": "field", x: x - 0.48, y: y - 0.48, width: 0.96, height: 0.96, rx: 0.06 });
    }
    for (const { x: column, y: row, way: [across, along], far } of walls) {
      const [x, y] = middle({ x: column, y: row });
      const [wallX, wallY] = [x + across * 0.5, y - along * 0.5];
      addShape(svg, "line", { "class": `wall${far > 1 ? " far" : ""}`, x1: wallX - along * 0.42, y1: wallY - across * 0.42, x2: wallX + along * 0.42, y2: wallY + across * 0.42 });
    }
    steps.forEach((step, index) => {
      const [x, y] = middle(step);
      if (step.hint) addShape(svg, "path", { "class": `way ${side}`, d: arrowPath(x, y, WAYS[step.hint], 0.3) });
      if (index === 0) return;
      const [x1, y1] = middle(steps[index - 1]);
      addShape(svg, "line", { "class": `trail ${side}`, x1, y1, x2: x, y2: y, opacity: 0.15 + (0.85 * index) / steps.length });
    });
    const [x, y] = middle(steps[steps.length - 1]), [startX, startY] = middle(steps[0]);
    if (!isCut) addShape(svg, "circle", { "class": "begin", cx: startX, cy: startY, r: 0.36 });
    if (player === 0) {
      addShape(svg, "rect", { "class": "player red", x: x - 0.24, y: y - 0.24, width: 0.48, height: 0.48, rx: 0.08 });
    } else {
      addShape(svg, "circle", { "class": "player blue", cx: x, cy: y, r: 0.27 });
      if (heading) addShape(svg, "path", { "class": "heading", d: arrowPath(x, y, WAYS[heading], 0.17) });
    }
  }
}
