// The page that people look at: a game as it is played, or a replay of it.
//
// Everything is drawn from one feed of JSON messages: over a WebSocket while a game is played, from
// `feed.json` for a replay, from the element `#feed` in a file that was exported.
//
//   model     the game as the feed tells it, and any moment of it. It never touches the document.
//   drawing   paints a state of the model on canvas: board, minimap, points over time, who did what.
//   page      settings, lobby, panels, list of events, controls, keys, the connection.

import { Page } from "./page/page.js";

const page = new Page();
// For whoever measures the page from outside: frame times, and the model.
window.projectGame = page;
page.connect();
