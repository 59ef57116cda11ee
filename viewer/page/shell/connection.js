// The connection to whoever serves the page: the feed, kept up as well as may be, and requests.

import { clearNotice, warn } from "./notices.js";
import { forgetToken, takeToken } from "./token.js";

/** Between attempts to connect again: the first pause, and the longest; each is twice as long as the one before. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 15000;

/** A game master that has not answered for so long is not there. */
const PATIENCE_MS = 5000;

/** The feed over a WebSocket, which is opened again when it is lost, and requests with the operator's token. */
export class Connection {
  /** `take` gets the messages, those that come together in one list; `lost` is told when there are no more. */
  constructor({ take, lost }) {
    this.take = take;
    this.lost = lost;
    this.token = takeToken();
    this.attempts = 0;
  }

  get query() {
    return this.token ? `?token=${encodeURIComponent(this.token)}` : "";
  }

  open() {
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss:" : "ws:"}//${location.host}/feed${this.query}`);
    let waiting = [], draws = false;
    // Messages of one batch are taken together: the page is written once for all of them. The first batch has
    // all that is drawn at once, so that there is always a whole game or a lobby to show.
    const take = () => {
      if (draws && waiting.length) this.take(waiting);
      if (draws) waiting = [];
    };
    socket.addEventListener("message", ({ data }) => {
      if (!waiting.length || !draws) setTimeout(take, 0);
      const message = readMessage(data);
      waiting.push(message);
      draws ||= !["hello", "settings", "server"].includes(message.kind);
      if (message.kind === "hello") this.greeted(message);
    });
    socket.addEventListener("close", () => {
      take();
      if (this.lost("closed")) this.again();
    });
  }

  greeted(hello) {
    if (!hello.operator) {
      // It is another game master's, or an old one.
      forgetToken();
      this.token = null;
    }
    clearNotice("connection");
    // One that is lost at once is not tried without a pause.
    clearTimeout(this.settled);
    this.settled = setTimeout(() => { this.attempts = 0; }, LONGEST_PAUSE_MS);
  }

  /** Opens the feed again. Why a WebSocket cannot be had is told to nobody, so that is asked first. */
  async again() {
    clearTimeout(this.settled);
    for (;;) {
      const door = await this.ask("GET", "feed/open");
      if (door?.ok && door.said?.open) break;
      if (!this.lost(door === null ? "gone" : "shut", door?.said?.why)) return;
      await this.pause();
    }
    if (this.attempts > 0) await this.pause();
    this.attempts++;
    this.open();
  }

  pause() {
    const length = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.attempts++);
    // Not all pages at the same moment.
    return new Promise((done) => { setTimeout(done, length * (0.75 + Math.random() / 2)); });
  }

  /** Asks for something; the answer, or null if there is none. */
  async ask(method, path, body) {
    const headers = body === undefined ? {} : { "Content-Type": "application/json" };
    if (this.token) headers.Authorization = `Bearer ${this.token}`;
    try {
      const answer = await fetch(path, {
        method, headers, body: body === undefined ? undefined : JSON.stringify(body), signal: AbortSignal.timeout(PATIENCE_MS),
      });
      const text = await answer.text();
      let said = null;
      try { said = text ? JSON.parse(text) : null; } catch { said = { why: text }; }
      return { status: answer.status, ok: answer.ok, said };
    } catch {
      return null;
    }
  }

  /** The same for the user, who is told if there is no answer. */
  async request(method, path, body) {
    const answer = await this.ask(method, path, body);
    if (answer) clearNotice("answer");
    else warn("answer", "The game master does not answer.");
    return answer;
  }
}

/** A message of the feed; what is none is one of a kind that nobody knows. */
function readMessage(text) {
  try { return JSON.parse(text); } catch { return { kind: "nonsense" }; }
}
