// Statistics and replay as files for the user.

import { download, make } from "./dom.js";
import { clearNotice, warn } from "./notices.js";

/** The buttons that save a game's statistics, and its replay where there is one. */
export function saveButtons(page, statistics) {
  const name = (page.game.hello.file ?? "game").replace(/\.replay$/, "");
  const save = () => download(`${name}.statistics.json`, `${JSON.stringify(statistics, null, 2)}\n`);
  return [
    make("button", { type: "button", id: "save-statistics", click: save }, "Save as JSON"),
    hasReplay(page) ? make("button", { type: "button", id: "save-replay", click: () => saveReplay(page) }, "Save replay") : null,
  ].filter((button) => button !== null);
}

/** Whether the server of the page has the replay: of a replay, and at the end of a game, also of one that is broken off.
 * A file that was exported has none. */
function hasReplay({ isServed, live, game }) {
  return isServed && game.hasReplay && (!live || game.statistics !== null);
}

/** The replay's file, from the server of the page. */
async function saveReplay({ connection, game }) {
  const answer = await connection.load("game.replay");
  if (answer?.ok) {
    clearNotice("replay");
    download(game.hello.file ?? "game.replay", answer.file);
  } else warn("replay", `Cannot load the replay: ${answer ? answer.said?.why || answer.status : "the host does not answer"}`);
}
