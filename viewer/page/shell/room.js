// What a game gives to the page: its room. The shell knows time, speed, keys, connection and lists, and no game.
//
// A room of a game is a class of its own in `games/<game>/room.js`, a subclass of `Room`. The shell makes one when
// the feed names the game, after the room's part of the document (`room.html`) was put into the places of the shell.
// Every rule of a game stays in Rust: a room draws what the feed says, and puts it into words.

import { Timeline } from "./timeline.js";

/** The sight that hides nothing. */
const WHOLE_SIGHT = { isWhole: true, name: "everything", has: () => true, sees: () => true };

/** The base class of rooms, with a default for everything. The class of a game overrides the rest. */
export class Room {
  /** The game's name for people. */
  static title = "Game";

  /** The kinds of events, in the order in which the page offers them. Kinds in `unlisted` are in no list. */
  static kinds = [];
  static unlisted = [];

  /** The kinds that the list of events shows first. */
  static highlights = [];

  /** Kinds of events to which a key leads, with their letters. */
  static jumps = {};

  /** Further keys, as rows of `shell/keys.js`. */
  static keys = [];

  /** The settings of this game: titles of groups, each with the names of its settings. */
  static settingGroups = {};

  /** The units of settings whose meaning does not end with one, by name. */
  static settingUnits = {};

  /** Further ways to choose settings: names of settings with classes, each made with `{ get, set }` of values by name, with an
   * `element` to stand beside the field and `refresh(isOpen)` for when values have changed. */
  static settingEditors = {};

  constructor(page) {
    this.page = page;
  }

  get game() {
    return this.page.game;
  }

  /** A game of which nothing is known yet. */
  timeline() {
    return new Timeline(this.constructor.kinds);
  }

  /** The selected view: `isWhole`, `sees(index)`, and where lists differ `kind(index)`. */
  get sight() {
    return WHOLE_SIGHT;
  }

  /** A game begins; `goesOn` if it is the one that was shown before, told anew. */
  begin() {}

  /** A replay is opened. From a server it comes in pieces, and this is called again when it is whole. */
  opened() {}

  /** There are further events. */
  grew() {}

  /** The game is over. */
  finished() {}

  /** Another game is prepared: what was chosen in the one before means nothing any more. */
  clear() {}

  /** Draws the moment that the page shows. */
  draw() {}

  /** Writes the points, which stand above every page. */
  writeScore() {}

  /** Writes the texts beside the board, several times a second at the most. */
  writePanels() {}

  /** The board's place has another size, or is shown again. */
  resize() {}

  /** The colours are others. */
  restyle() {}

  /** A person plays here: `seat` has its `agent`, the texts of its `options` (none while others are to move), and
   * `act`, which plays one of them. Null if nobody plays here. */
  play() {}

  /** Leads the eye to an event that was chosen. */
  showEvent() {}

  /** An event in words, with the player who acts. */
  text(index) {
    return this.game.momentText(this.game.events[index][0]);
  }

  /** The elements of an event's row in the list. */
  row(index) {
    return [document.createTextNode(this.text(index))];
  }

  /** What an address names besides the moment: parts of its fragment, and what to do with one that was read. */
  linkParts() {
    return [];
  }

  applyLink() {}

  /** The signs of the board with their meanings, as items of a list for the help. */
  signs() {
    return [];
  }

  /** The end of a game with an outcome, in a few words. */
  result() {
    return "";
  }

  /** The statistics as far as the events tell them, in the shape of the feed's document. */
  statisticsSoFar() {
    return { outcome: null };
  }

  /** The page of statistics, as elements. */
  statistics() {
    return [];
  }

  /** The page of statistics is in the document. */
  statisticsShown() {}

}
