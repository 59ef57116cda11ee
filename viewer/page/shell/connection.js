// The connection to the server of the page: the feed, which is reopened when it is lost, and requests.

import { clearNotice, warn } from "./notices.js";
import { forgetToken, keepSeat, keptSeat, takeToken } from "./token.js";

/** Between attempts to connect again: the first pause, and the longest; each is twice as long as the one before. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 15000;

/** Timeout of a request. */
const PATIENCE_MS = 5000;

/** The parts of its time limit that a connection may be without a message. They are counted: a page that was suspended
 * takes the messages that wait before the next part is over. */
const QUIET_PARTS = 3;

/** Closes a socket as soon as it is open: a browser complains of one that is closed before. */
function close(socket) {
  if (socket.readyState === WebSocket.CONNECTING) socket.addEventListener("open", () => socket.close());
  else socket.close();
}

/** The feed over a WebSocket, which is opened again when it is lost, and requests with the operator's token. */
export class Connection {
  /** `take` gets the messages, those that come together in one list; `lost` is told when there are no more. */
  constructor({ take, lost }) {
    this.take = take;
    this.lost = lost;
    this.token = takeToken();
    /** The token of the seat of the person who plays here; null if nobody does. */
    this.seat = keptSeat();
    /** The match that is watched, where there are several; null for their list alone. */
    this.match = null;
    this.attempts = 0;
    this.socket = null;
    /** Number of changes of the match; answers from before the last change are ignored. */
    this.turns = 0;
  }

  get query() {
    const named = Object.entries({ token: this.token, seat: this.seat, match: this.match }).filter(([, value]) => value !== null);
    return named.length ? `?${new URLSearchParams(named)}` : "";
  }

  /** The query of the URL of a file of the watched match. */
  get ofMatch() {
    return this.match === null ? "" : `?match=${this.match}`;
  }

  /** Watches this match from now on, with the seat that there is now. */
  turnTo(match) {
    this.match = match;
    this.turns++;
    this.attempts = 0;
    const { socket } = this;
    this.socket = null;
    if (socket) close(socket);
    this.open();
  }

  /** Keeps the token of a seat, or forgets it. */
  takeSeat(seat) {
    this.seat = seat;
    keepSeat(seat);
  }

  open() {
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss:" : "ws:"}//${location.host}/feed${this.query}`);
    this.socket = socket;
    let waiting = [], draws = false, quiet = 0;
    // Messages of one batch are taken together: the page is written once for all of them. The first batch has
    // all that is drawn at once, so that there is always a whole game or a lobby to show.
    const take = () => {
      if (socket !== this.socket || !draws || !waiting.length) return;
      const messages = waiting;
      waiting = [];
      try {
        this.take(messages);
      } catch (error) {
        // The messages behind them are taken all the same.
        reportError(error);
        warn("page", `A fault of this page: ${error.message}. It may show something wrong until it is loaded again.`);
      }
    };
    const end = () => {
      if (socket !== this.socket) return;
      clearInterval(this.watchdog);
      take();
      // The last messages may have turned the page to another match, which has a socket of its own.
      if (socket !== this.socket) return;
      this.socket = null;
      if (this.lost("closed")) this.again();
    };
    // A connection can go silent without being closed: a network that is gone, a program that is suspended.
    const watch = (limit) => {
      clearInterval(this.watchdog);
      if (limit === undefined) return;
      this.watchdog = setInterval(() => {
        if (++quiet <= QUIET_PARTS) return;
        end();
        close(socket);
      }, limit / QUIET_PARTS);
    };
    watch(PATIENCE_MS);
    socket.addEventListener("message", ({ data }) => {
      if (socket !== this.socket) return;
      quiet = 0;
      const message = readMessage(data);
      if (message.kind === "heartbeat") return;
      if (!waiting.length || !draws) setTimeout(take, 0);
      waiting.push(message);
      draws ||= !["hello", "settings", "server"].includes(message.kind);
      if (message.kind === "hello") {
        watch(message.timeoutMs);
        this.greeted(message);
      }
    });
    socket.addEventListener("close", end);
  }

  greeted(hello) {
    if (!hello.operator) {
      // The token belongs to another host, or has expired.
      forgetToken();
      this.token = null;
    }
    clearNotice("connection");
    clearNotice("answer");
    // One that is lost at once is not tried without a pause.
    clearTimeout(this.settled);
    this.settled = setTimeout(() => { this.attempts = 0; }, LONGEST_PAUSE_MS);
  }

  /** Opens the feed again. A WebSocket gives no reason for a refusal, so a request asks for it first. */
  async again() {
    clearTimeout(this.settled);
    const { turns } = this;
    for (;;) {
      const door = await this.ask("GET", this.seat === null ? "feed/open" : `feed/open?seat=${this.seat}`);
      if (turns !== this.turns) return;
      if (door?.ok && door.said?.open) break;
      if (!this.lost(door === null ? "gone" : "shut", door?.said?.why)) return;
      await this.pause();
      if (turns !== this.turns) return;
    }
    if (this.attempts > 0) await this.pause();
    if (turns !== this.turns) return;
    this.attempts++;
    this.open();
  }

  pause() {
    const length = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.attempts++);
    // Not all pages at the same moment.
    return new Promise((done) => { setTimeout(done, length * (0.75 + Math.random() / 2)); });
  }

  /** Asks for something; the answer, or null if there is none. A body that is no file is written as JSON. `asPerson` if
   * it is the person with the seat who asks. */
  async ask(method, path, body, asPerson = false) {
    const headers = { ...this.rights(asPerson), ...(body === undefined ? {} : { "Content-Type": "application/json" }) };
    const json = body instanceof Blob ? body : JSON.stringify(body);
    try {
      const answer = await fetch(path, {
        method, headers, body: json, signal: AbortSignal.timeout(PATIENCE_MS),
      });
      return { status: answer.status, ok: answer.ok, said: readAnswer(await answer.text()) };
    } catch {
      return null;
    }
  }

  /** The header of the operator, or of the person with the seat. */
  rights(asPerson) {
    if (asPerson) return { Authorization: `Seat ${this.seat}` };
    return this.token ? { Authorization: `Bearer ${this.token}` } : {};
  }

  /** Loads a file of the watched match: the answer with the `file`, or null if there is none. The answer has to begin in
   * time; the file may take longer. */
  async load(path) {
    const patience = new AbortController(), timer = setTimeout(() => patience.abort(), PATIENCE_MS);
    try {
      const answer = await fetch(`${path}${this.ofMatch}`, { headers: this.rights(false), signal: patience.signal });
      clearTimeout(timer);
      const { status, ok } = answer;
      return ok ? { status, ok, file: await answer.blob() } : { status, ok, said: readAnswer(await answer.text()) };
    } catch {
      return null;
    } finally {
      clearTimeout(timer);
    }
  }

  /** The same for the user, who is told if there is no answer. */
  async request(method, path, body) {
    const answer = await this.ask(method, path, body);
    if (answer) clearNotice("answer");
    else warn("answer", "The host does not answer.");
    return answer;
  }
}

/** The content of an answer, or null if it is empty; a text that is no JSON becomes a reason. */
function readAnswer(text) {
  try { return text ? JSON.parse(text) : null; } catch { return { why: text }; }
}

/** A message of the feed; a text that is no message becomes one of an unknown kind. */
function readMessage(text) {
  try { return JSON.parse(text); } catch { return { kind: "nonsense" }; }
}
