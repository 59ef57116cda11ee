// What an address names behind its `#`: a moment, an agent, a view.

const VIEWS = ["truth", "red", "blue", "agent"];

/** What a fragment names; whatever makes no sense in it is passed over. */
export function readLink(fragment) {
  const named = new URLSearchParams(fragment.replace(/^#/, ""));
  const number = (name) => {
    const text = (named.get(name) ?? "").trim(), value = Number(text);
    return text !== "" && Number.isFinite(value) && value >= 0 ? value : null;
  };
  const agent = number("agent"), view = named.get("view");
  return {
    t: number("t"),
    agent: Number.isInteger(agent) ? agent : null,
    view: VIEWS.includes(view) ? view : "truth",
    belief: named.get("belief") === "1",
  };
}

/** The fragment that names this; without a moment where the page follows the game. */
export function writeLink({ t, agent, view, belief }) {
  const parts = [];
  if (t !== null) parts.push(`t=${Math.round(t)}`);
  if (agent !== null) parts.push(`agent=${agent}`);
  if (view !== "truth") parts.push(`view=${view}`);
  if (belief) parts.push("belief=1");
  return parts.length ? `#${parts.join("&")}` : "";
}
