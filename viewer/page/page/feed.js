// Feeds that may be damaged: files that were cut off, events that cannot be.

/** How the game master puts messages into a file: one a line. */
const MESSAGE_END = ",\n";

/** The messages of an exported file, as many as are whole, and what is wrong with it, or null. */
export function readFeed(text) {
  try {
    const messages = JSON.parse(text);
    return Array.isArray(messages) ? { messages, fault: null } : { messages: [], fault: "it is no list of messages" };
  } catch { /* What is whole is read line by line. */ }
  const messages = [];
  for (const line of text.trim().replace(/^\[/, "").split(MESSAGE_END)) {
    // The last line may lack its end: then the last whole event ends it.
    const end = line.lastIndexOf("],[");
    const message = parsed(line) ?? parsed(line.replace(/\]$/, "")) ?? (end > 0 ? parsed(`${line.slice(0, end)}]]}`) : null);
    if (message === null) break;
    messages.push(message);
  }
  return { messages, fault: "the file is cut off, or damaged" };
}

function parsed(text) {
  try { return JSON.parse(text); } catch { return null; }
}

/** How many of these events make sense one by one; whether they can follow one another only the model knows. */
export function soundEvents(start, events) {
  const { agents, board } = start;
  const isAgent = (agent) => Number.isInteger(agent) && agent >= 0 && agent < agents.length;
  const isField = (x, y) => Number.isInteger(x) && Number.isInteger(y) && x >= 0 && y >= 0 && x < board.columns && y < board.rows;
  const isSound = (event) => {
    if (!Array.isArray(event) || !Number.isFinite(event[0]) || typeof event[1] !== "string") return false;
    const [, word, agent, what] = event;
    switch (word) {
      case "appeared": return isField(what, event[4]);
      case "over": return true;
      case "moved": return isAgent(agent) && isField(what, event[4]);
      case "discovered": return isAgent(agent) && Array.isArray(what);
      case "asked": return isAgent(agent) && isAgent(what);
      case "answered": return isAgent(agent) && isAgent(what) && typeof event[4] === "object" && event[4] !== null;
      case "note": return isAgent(agent) && typeof what === "object" && what !== null;
      case "lock": return isAgent(agent) && Number.isFinite(what);
      default: return isAgent(agent);
    }
  };
  const faulty = Array.isArray(events) ? events.findIndex((event) => !isSound(event)) : 0;
  return faulty < 0 ? events.length : faulty;
}
