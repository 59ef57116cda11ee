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
