// How far every field is from the nearest piece that is drawn: geometry of the picture, with which what agents believe
// is compared. Verdicts, beliefs and readings come from the feed and use nothing of this.

import { FARTHEST, INFINITE } from "../model/terms.js";

/** Looking for the nearest piece of one field takes about as long as sweeping over this number of fields. */
const FIELDS_PER_SEARCH = 40;

/** The distances in one state, computed on demand: few one by one, many at once. */
export class Distances {
  constructor(world) {
    const { columns, rows } = world.start.board;
    Object.assign(this, { columns, rows, ground: world.ground });
    // The state changes later: the pieces are copied.
    this.pieces = Int32Array.from(world.pieces.keys());
    this.all = null;
    this.buckets = null;
    this.searches = 0;
  }

  /** Prepares for this number of questions. */
  expect(questions) {
    if (!this.all && (this.searches + questions) * FIELDS_PER_SEARCH > this.columns * this.rows) this.sweep();
  }

  at(field) {
    if (this.all) return this.all[field];
    if (!this.pieces.length) return INFINITE;
    this.expect(1);
    return this.all ? this.all[field] : this.search(field);
  }

  /** All distances, in two sweeps over the board. */
  sweep() {
    const { columns, rows, pieces } = this;
    const distances = new Int16Array(columns * rows).fill(FARTHEST);
    for (const field of pieces) distances[field] = 0;
    const last = distances.length - 1;
    for (let field = 0, x = 0; field <= last; field++) {
      let nearest = distances[field];
      if (x && distances[field - 1] + 1 < nearest) nearest = distances[field - 1] + 1;
      if (field >= columns && distances[field - columns] + 1 < nearest) nearest = distances[field - columns] + 1;
      distances[field] = nearest;
      if (++x === columns) x = 0;
    }
    for (let field = last, x = columns - 1; field >= 0; field--) {
      let nearest = distances[field];
      if (x < columns - 1 && distances[field + 1] + 1 < nearest) nearest = distances[field + 1] + 1;
      if (field + columns <= last && distances[field + columns] + 1 < nearest) nearest = distances[field + columns] + 1;
      distances[field] = nearest;
      if (--x < 0) x = columns - 1;
    }
    if (!pieces.length) distances.fill(INFINITE);
    this.all = distances;
  }

  /** Sorts the pieces into squares of fields, of about one piece each. */
  sort() {
    const { columns, rows, pieces } = this;
    const side = Math.max(1, Math.ceil(Math.sqrt((columns * rows) / pieces.length)));
    const across = Math.ceil(columns / side), down = Math.ceil(rows / side);
    const bucketOf = (field) => Math.floor(Math.floor(field / columns) / side) * across + Math.floor((field % columns) / side);
    const ends = new Int32Array(across * down + 1);
    for (const field of pieces) ends[bucketOf(field) + 1]++;
    for (let bucket = 0; bucket < across * down; bucket++) ends[bucket + 1] += ends[bucket];
    const sorted = new Int32Array(pieces.length), filled = ends.slice();
    for (const field of pieces) sorted[filled[bucketOf(field)]++] = field;
    this.buckets = { side, across, down, ends, sorted };
  }

  /** The distance of one field: its square and the rings of squares around it, until none can be nearer. */
  search(field) {
    if (!this.buckets) this.sort();
    this.searches++;
    const { columns, buckets: { side, across, down, ends, sorted } } = this;
    const x = field % columns, y = Math.floor(field / columns);
    const homeX = Math.floor(x / side), homeY = Math.floor(y / side);
    let best = FARTHEST;
    const look = (column, row) => {
      const bucket = row * across + column;
      for (let place = ends[bucket]; place < ends[bucket + 1]; place++) {
        const other = sorted[place];
        best = Math.min(best, Math.abs((other % columns) - x) + Math.abs(Math.floor(other / columns) - y));
      }
    };
    // From any field of a square the ring after the next begins at least a square's side further on.
    for (let ring = 0; (ring - 1) * side < best && ring < across + down; ring++) {
      const west = homeX - ring, east = homeX + ring;
      for (let row = Math.max(0, homeY - ring); row <= Math.min(down - 1, homeY + ring); row++) {
        if (row === homeY - ring || row === homeY + ring) {
          for (let column = Math.max(0, west); column <= Math.min(across - 1, east); column++) look(column, row);
        } else {
          if (west >= 0) look(west, row);
          if (east < across && ring) look(east, row);
        }
      }
    }
    return best;
  }
}
