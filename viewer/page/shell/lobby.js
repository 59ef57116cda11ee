// The lobby, and what the operator does: start and stop.

import { byId, make, write } from "./dom.js";
import { announce, clearNotice, toast, warn } from "./notices.js";

/** What stands for a port that the page does not know, in the command to be copied. */
const UNKNOWN_PORT = "PORT";

/** The teams of a lobby. */
const LOBBY_TEAMS = ["red", "blue"];

/** How long a click that stops the game waits for another that confirms it. */
const CONFIRM_MS = 4000;

/** Who has joined, and the buttons that start and stop the game. */
export class Lobby {
  constructor(page) {
    this.page = page;
    /** Set while the button waits for the user to confirm the end of the game. */
    this.stopTimer = 0;
  }

  show() {
    const { lobby, settings, hello } = this.page.game;
    if (!lobby) return;
    for (const team of LOBBY_TEAMS) {
      const seats = lobby[team].map((agent) => make("li", {}, `agent ${agent}`));
      const free = Math.max(0, lobby.teamSize - seats.length);
      if (free) seats.push(make("li", { "class": "free" }, free === 1 ? "1 seat is free" : `${free} seats are free`));
      byId(`lobby-${team}`).replaceChildren(...seats);
      write(byId(`lobby-${team}-count`), `${lobby[team].length} of ${lobby.teamSize}`);
    }
    const locked = Boolean(settings?.locked);
    write(byId("lobby-note"), locked ? "The game has started: nothing can be changed any more."
      : `${lobby.mayStart ? "Both teams have agents: the game may start." : "Waiting: each team needs an agent."}${startsByItself(lobby)}`);
    this.showServer(locked);
    this.showJoin(locked);
    byId("start").hidden = byId("apply").hidden = locked || !hello?.operator;
    this.page.settings.enable();
  }

  /** The step before all others: the connection to the communication server. */
  showServer(locked) {
    const { server, hello, maySelectServer } = this.page.game;
    byId("lobby-server").hidden = !server || locked;
    if (!server) return;
    write(byId("server-address"), addressOf(server.host, server.port));
    byId("server-state").dataset.state = server.state;
    write(byId("server-state"), {
      connecting: "connecting…", connected: "connected", failed: `no connection: ${server.why}`, lost: `connection lost: ${server.why}`,
    }[server.state] ?? server.state);
    byId("connect-row").hidden = !maySelectServer || !hello?.operator;
  }

  /** How agents join: where, and a command that fills the team with more free seats. */
  showJoin(locked) {
    const { server, lobby } = this.page.game;
    const free = LOBBY_TEAMS.map((team) => lobby.teamSize - lobby[team].length);
    const count = Math.max(...free), team = LOBBY_TEAMS[free.indexOf(count)];
    byId("lobby-join").hidden = locked || server?.state !== "connected" || count <= 0;
    if (!server) return;
    const address = addressOf(reachableHost(server.host), server.agentsPort ?? UNKNOWN_PORT);
    write(byId("join-address"), address);
    byId("join-port").hidden = server.agentsPort !== null;
    write(byId("join-command"), `bots join ${address} --team ${team} --agents ${count}`);
  }

  async copyCommand() {
    const command = byId("join-command");
    try {
      await navigator.clipboard.writeText(command.textContent);
      toast("command copied");
    } catch {
      // A page that is not on this machine may have no clipboard: the user's own keys have one.
      getSelection().selectAllChildren(command);
      toast("press Ctrl-C to copy the command");
    }
  }

  /** Says that the server is lost; the lobby and its field say the rest. */
  tellLoss() {
    const { server } = this.page.game;
    if (server.state === "lost") {
      warn("server", `The communication server at ${addressOf(server.host, server.port)} was lost: ${server.why}`);
    } else clearNotice("server");
  }

  /** Has the game master connect to the server that the settings name; what was changed is applied before. */
  async connect() {
    if (this.page.settings.hasChanges && !(await this.page.settings.apply())) return;
    const answer = await this.page.connection.request("POST", "connect");
    if (answer?.ok) clearNotice("connect");
    else if (answer) warn("connect", `The game master cannot connect: ${answer.said?.why ?? answer.status}`);
  }

  async start() {
    if (this.page.matches.isOn) {
      await this.page.matches.start();
      return;
    }
    if (this.page.settings.hasChanges && !(await this.page.settings.apply())) return;
    const answer = await this.page.connection.request("POST", "start");
    if (answer?.ok) clearNotice("start");
    else if (answer) warn("start", `The game cannot start: ${answer.said?.why ?? answer.status}`);
  }

  /** Ends the game once the user has confirmed it: a game that was stopped cannot go on. */
  askToStop({ detail }) {
    if (this.stopTimer) {
      // The second half of a double click confirms nothing.
      if (detail <= 1) this.stop();
      return;
    }
    this.arm(true);
    announce("Press again to stop for everybody");
  }

  arm(isArmed) {
    clearTimeout(this.stopTimer);
    this.stopTimer = isArmed ? setTimeout(() => this.arm(false), CONFIRM_MS) : 0;
    byId("stop").classList.toggle("armed", isArmed);
    write(byId("stop"), isArmed ? "Really stop?" : this.page.matches.isOn ? "Stop" : "Stop the game");
  }

  async stop() {
    this.arm(false);
    byId("stop").disabled = true;
    const answer = await this.page.connection.request("POST", "stop");
    byId("stop").disabled = false;
    if (answer?.ok) clearNotice("stop");
    else if (answer) warn("stop", `${this.page.matches.isOn ? "This" : "The game"} cannot be stopped: ${answer.said?.why ?? answer.status}`);
  }
}

/** What starts the game without the operator, as a sentence. */
function startsByItself({ startsWhenFull, startsAfterMs }) {
  const after = typeof startsAfterMs === "number" ? `${Math.round(startsAfterMs / 1000)} s after the game master did, with the agents that are there` : null;
  const when = [startsWhenFull ? "when both teams are full" : null, after].filter(Boolean);
  return when.length ? ` It starts by itself ${when.join(", or ")}.` : "";
}

/** A host and a port as programs read them. */
function addressOf(host, port) {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** The host as somebody who looks at the page reaches it: the game master's own machine has another name elsewhere. */
function reachableHost(host) {
  const isOwn = (name) => ["localhost", "::1", "[::1]"].includes(name) || name.startsWith("127.");
  return isOwn(host) && !isOwn(location.hostname) ? location.hostname.replace(/^\[|\]$/g, "") : host;
}
