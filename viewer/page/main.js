// The page that people look at: a game as it is played, or a replay of it.
//
// Everything is drawn from one feed of JSON messages: over a WebSocket while a game is played, from
// `feed.json` for a replay, from the element `#feed` in a file that was exported.
//
//   shell     time, speed, keys, selection of events, connection, lists, settings. It knows no game.
//   games     a room for each game: a drawing of one moment, and the words of its events (`shell/room.js`).

import { BricksRoom } from "./games/bricks/room.js";
import { ConveyorRoom } from "./games/conveyor/room.js";
import { DotsRoom } from "./games/dots/room.js";
import { EriantysRoom } from "./games/eriantys/room.js";
import { ProjectRoom } from "./games/project/room.js";
import { Page } from "./shell/page.js";

// Every game that the page can draw. A new game adds its line here.
const page = new Page({
  bricks: BricksRoom,
  conveyor: ConveyorRoom,
  dots: DotsRoom,
  eriantys: EriantysRoom,
  project: ProjectRoom,
});
// For measurements of the page from outside: frame times, and the model.
window.projectGame = page;
page.connect();
