// The ring of islands with the clouds and the bag in its middle, as SVG in CSS pixels.
//
// The twelve places of the beginning stay where they are: merged islands are places with bridges between them, and what lies
// on such a group is drawn at one of its places.

import { makeShape } from "../../shell/dom.js";
import { STUDENT_COLOURS, studentsText } from "./words.js";

/** The outlines of towers, one for each team, in a square of side 1 around 0. */
export const TOWER_PATHS = [
  "M-0.36 0.5V-0.5H-0.16V-0.3H0.16V-0.5H0.36V0.5Z", "M-0.34 0.5V-0.08L0 -0.56L0.34 -0.08V0.5Z", "M-0.34 0.5V-0.1A0.34 0.4 0 0 1 0.34 -0.1V0.5Z",
];

/** Mother Nature, in a square of side 1 around 0. */
const MOTHER_PATH = "M-0.34 0.5C-0.3 0.1 -0.16 0.06 -0.12 -0.02A0.25 0.25 0 1 1 0.12 -0.02C0.16 0.06 0.3 0.1 0.34 0.5Z";

/** Columns and rows of the places around a field of this many: clockwise from the top left. */
function placesAround(columns, rows) {
  const places = [];
  for (let x = 0; x < columns; x++) places.push([x, 0]);
  for (let y = 1; y < rows; y++) places.push([columns - 1, y]);
  for (let x = columns - 2; x >= 0; x--) places.push([x, rows - 1]);
  for (let y = rows - 2; y > 0; y--) places.push([0, y]);
  return places;
}

/** The ring. */
export class EriantysRing {
  constructor(svg) {
    this.svg = svg;
    this.forget();
  }

  /** The next drawing is a whole one. */
  forget() {
    this.shown = null;
  }

  /** Draws a table, unless it is drawn already; `nameOf` says what a team is called. Whether anything was drawn. */
  draw(table, nameOf) {
    if (this.shown === table) return false;
    this.shown = table;
    const { clientWidth: width, clientHeight: height } = this.svg;
    if (!width || !height) {
      this.shown = null;
      return false;
    }
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.replaceChildren();
    const [columns, rows] = width > height * 1.25 ? [5, 3] : [4, 4];
    // Islands are round; the ring is as wide as they may lie apart.
    const side = Math.min(width / columns, height / rows), across = Math.min(width / columns, side * 1.35), down = Math.min(height / rows, side * 1.35);
    const middle = [width / 2, height / 2];
    const places = placesAround(columns, rows).map(([x, y]) => {
      const isCorner = (x === 0 || x === columns - 1) && (y === 0 || y === rows - 1), pull = isCorner ? side * 0.06 : 0;
      const [fromX, fromY] = [x - (columns - 1) / 2, y - (rows - 1) / 2];
      return [middle[0] + fromX * across - Math.sign(fromX) * pull, middle[1] + fromY * down - Math.sign(fromY) * pull];
    });
    this.svg.append(makeShape("path", { "class": "sea", d: `M${places.map((place) => place.join(" ")).join("L")}Z` }));
    table.islands.forEach((island, index) => this.drawGroup(table, nameOf, island, index, places, side));
    this.drawMiddle(table, middle, [(columns - 2) * across, (rows - 2) * down], side);
    return true;
  }

  /** An island, or several with bridges. */
  drawGroup(table, nameOf, island, index, places, side) {
    const { students, owner, towers, bans, first, size, influence } = island;
    const own = Array.from({ length: size }, (_, step) => places[(first + step) % places.length]);
    const group = makeShape("g", { "class": `group${owner === null ? "" : ` team-${owner}`}${index === table.motherNature ? " here" : ""}`, "data-island": index + 1 });
    const radius = side * 0.45;
    const coast = makeShape("g", { "class": "coast" }), land = makeShape("g", { "class": "land" });
    for (const [layer, more] of [[coast, Math.max(1.5, side * 0.018)], [land, 0]]) {
      own.forEach(([x, y], step) => {
        layer.append(makeShape("circle", { cx: x, cy: y, r: radius + more }));
        if (step > 0) layer.append(makeShape("line", { x1: own[step - 1][0], y1: own[step - 1][1], x2: x, y2: y, "stroke-width": side * 0.42 + 2 * more }));
      });
    }
    group.append(coast, land);
    const at = Math.floor((size - 1) / 2), [x, y] = own[at];
    own.forEach(([towerX, towerY], step) => {
      // A tower for each island of the group; the one at the place of the contents is in their upper part.
      const order = step === at ? 0 : step < at ? step + 1 : step;
      if (order < towers) group.append(this.tower(owner, towerX, step === at ? y - side * 0.27 : towerY, side * (step === at ? 0.2 : 0.26)));
    });
    group.append(makeShape("text", { "class": "number", x: x - side * 0.25, y: y - side * 0.2, "font-size": Math.max(9, side * 0.13) }, String(index + 1)));
    if (index === table.motherNature) group.append(makeShape("path", { "class": "mother", d: MOTHER_PATH, transform: `translate(${x + side * 0.24} ${y - side * 0.22}) scale(${side * 0.2})` }));
    this.drawStudents(group, students, x, y + side * (students.filter(Boolean).length > 3 ? 0.13 : 0.08), side);
    if (bans) {
      const banX = x, banY = y + side * 0.36;
      group.append(makeShape("circle", { "class": "ban", cx: banX, cy: banY, r: side * 0.065 }), makeShape("line", { "class": "ban", x1: banX - side * 0.045, y1: banY - side * 0.045, x2: banX + side * 0.045, y2: banY + side * 0.045 }));
      if (bans > 1) group.append(makeShape("text", { "class": "number bans", x: banX + side * 0.15, y: banY, "font-size": Math.max(9, side * 0.12) }, `×${bans}`));
    }
    const told = [`island ${index + 1}`, size > 1 ? `${size} islands merged` : null, studentsText(students),
      owner === null ? "no tower" : `${towers} ${towers === 1 ? "tower" : "towers"} of ${nameOf(owner)}`,
      bans ? `${bans} ${bans === 1 ? "ban" : "bans"}` : null, index === table.motherNature ? "Mother Nature" : null,
      `influence ${influence.join(" : ")}`];
    group.append(makeShape("title", {}, told.filter(Boolean).join("; ")));
    this.svg.append(group);
  }

  tower(team, x, y, size) {
    return makeShape("path", { "class": `tower team-${team}`, d: TOWER_PATHS[team], transform: `translate(${x} ${y}) scale(${size})` });
  }

  /** Pills with the letter of a colour and a count, in rows of up to three around a place. */
  drawStudents(parent, counts, x, y, side) {
    const there = counts.map((count, colour) => [count, colour]).filter(([count]) => count > 0);
    const rows = there.length > 3 ? [there.slice(0, 3), there.slice(3)] : [there];
    const width = side * 0.25, height = side * 0.19, gap = Math.max(1, side * 0.015);
    rows.forEach((row, line) => row.forEach(([count, colour], place) => {
      const left = x + (place - row.length / 2) * (width + gap) + gap / 2, top = y + (line - (rows.length - 1) / 2) * (height + 2) - height / 2;
      const name = STUDENT_COLOURS[colour];
      parent.append(makeShape("g", { "class": `pill-of ${name}`, "data-colour": name, "data-count": count },
        makeShape("rect", { x: left, y: top, width, height, rx: height / 2 }),
        makeShape("text", { x: left + width / 2, y: top + height / 2, "font-size": Math.min(15, side * 0.135) }, `${name[0].toUpperCase()}${count}`)));
    }));
  }

  /** Clouds and bag, in as many rows as the middle has places. */
  drawMiddle({ clouds, bag }, [x, y], [width, height], side) {
    const items = clouds.length + 1, columns = width > height * 1.5 ? items : 2, rows = Math.ceil(items / columns);
    const across = Math.min(width / columns, side * 1.05), down = Math.min(height / rows, side * 0.9), unit = Math.min(across, down * 1.15), wide = Math.min(across, down * 1.5);
    const middleOfItem = (item) => {
      const row = Math.floor(item / columns), inRow = Math.min(columns, items - row * columns);
      return [x + ((item % columns) - (inRow - 1) / 2) * across, y + (row - (rows - 1) / 2) * down];
    };
    clouds.forEach((counts, cloud) => {
      const [cloudX, cloudY] = middleOfItem(cloud);
      const group = makeShape("g", { "class": "cloud", "data-cloud": cloud + 1 },
        makeShape("path", { d: "M-0.4 0.3A0.2 0.2 0 0 1 -0.38 -0.08A0.2 0.2 0 0 1 -0.14 -0.26A0.22 0.22 0 0 1 0.22 -0.22A0.2 0.2 0 0 1 0.4 -0.06A0.19 0.19 0 0 1 0.38 0.3Z", transform: `translate(${cloudX} ${cloudY}) scale(${wide * 0.9} ${unit * 0.9})` }),
        makeShape("text", { "class": "number", x: cloudX, y: cloudY - unit * 0.16, "font-size": Math.max(9, unit * 0.13) }, String(cloud + 1)),
        makeShape("title", {}, `cloud ${cloud + 1}: ${studentsText(counts)}`));
      this.drawStudents(group, counts, cloudX, cloudY + unit * 0.07, wide * 0.86);
      this.svg.append(group);
    });
    const [bagX, bagY] = middleOfItem(clouds.length), left = bag.reduce((sum, count) => sum + count, 0);
    this.svg.append(makeShape("g", { "class": "bag" },
      makeShape("path", { d: "M-0.16 -0.3L-0.1 -0.18C-0.42 0 -0.4 0.36 -0.22 0.36H0.22C0.4 0.36 0.42 0 0.1 -0.18L0.16 -0.3Z", transform: `translate(${bagX} ${bagY}) scale(${unit * 0.9})` }),
      makeShape("text", { "class": "count", x: bagX, y: bagY + unit * 0.06, "font-size": Math.max(12, unit * 0.2) }, String(left)),
      makeShape("text", { "class": "number", x: bagX, y: bagY + unit * 0.23, "font-size": Math.max(9, unit * 0.11) }, "bag"),
      makeShape("title", {}, `bag: ${studentsText(bag)}`)));
  }
}
