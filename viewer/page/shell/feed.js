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
    const message = parsed(line) ?? parsed(line.replace(/\]$/, "")) ?? untilLastEvent(line);
    if (message === null) break;
    messages.push(message);
  }
  return { messages, fault: "the file is cut off, or damaged" };
}

/** The most ends of lists that are tried as the end of an event: there are some inside an event too. */
const MOST_ENDS = 200;

/** A message of events whose end is missing, up to its last whole event; null if it has none. */
function untilLastEvent(line) {
  let end = line.lastIndexOf("],[");
  for (let tries = 0; end > 0 && tries < MOST_ENDS; tries++) {
    const message = parsed(`${line.slice(0, end)}]]}`);
    if (message) return message;
    end = line.lastIndexOf("],[", end - 1);
  }
  return null;
}

function parsed(text) {
  try { return JSON.parse(text); } catch { return null; }
}
