// Whether what the style sheet's colours say can be read: contrast ratios as WCAG 2 defines them.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

const STYLE = await readFile(new URL("../../page/style.css", import.meta.url), "utf8");

const TEXT = 4.5;
const SIGN = 3;

/** The colours of a block of the style sheet, by name. */
const colours = (block) => Object.fromEntries([...block.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6})\b/g)].map(([, name, colour]) =>
  [name, [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16))]));

const block = (selector) => STYLE.slice(STYLE.indexOf(`${selector} {`)).match(/\{([^}]*)\}/)[1];
const light = colours(block(":root"));
const THEMES = {
  "light": light,
  "dark": { ...light, ...colours(block(':root[data-theme="dark"]')) },
  "dark by the system": { ...light, ...colours(block(':root:not([data-theme="light"])')) },
};

function brightness(colour) {
  const [red, green, blue] = colour.map((value) =>
    (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function ratio(one, other) {
  const [dark, bright] = [brightness(one), brightness(other)].sort((less, more) => less - more);
  return (bright + 0.05) / (dark + 0.05);
}

/** What a rule has behind its text: the share of the accent in `color-mix`. */
function tinted(theme, selector) {
  const [, share] = block(selector).match(/background: color-mix\(in srgb, var\(--accent\) (\d+)%, var\(--surface\)\)/);
  return theme.accent.map((value, channel) => (value * share + theme.surface[channel] * (100 - share)) / 100);
}

const TEAM_AND_WORTH = ["red", "blue", "honest", "stale", "mistaken", "lie"];

/** Whether a pair is told apart, for each theme: what, in front of what, at least how much. */
const pairs = (theme) => {
  const now = tinted(theme, ".event.now"), chosen = tinted(theme, '.agent-row[aria-pressed="true"]');
  const on = (names, behind, least) => names.map((name) => [name, behind, least]);
  return [
    ...["surface", "raised", "back", "task", "red-soft", "blue-soft"].flatMap((behind) => on(["ink", "muted"], behind, TEXT)),
    ...["surface", "raised"].flatMap((behind) => on([...TEAM_AND_WORTH, "danger"], behind, TEXT)),
    ...on(["ink", "muted", "blocked", ...TEAM_AND_WORTH], now, TEXT), ...on(["ink", "muted", "red", "blue"], chosen, TEXT),
    ["danger", "danger-soft", TEXT], ["on-accent", "accent", TEXT], ["on-team", "red", TEXT], ["on-team", "blue", TEXT],
    ...on(["piece", "leader", "rim", "sham"], "task", SIGN).filter(([name]) => theme === light || name !== "rim"),
    ...on(["rim"], "red-soft", SIGN).filter(() => theme === light), ...on(["rim"], "blue-soft", SIGN).filter(() => theme === light),
    ["accent", "surface", SIGN], ["accent", now, SIGN], ...on(["piece", "leader"], "rim", 2), ...on(["leader"], "surface", SIGN),
    ...on(["moving", "locked", "blocked", "waiting", "sham"], "surface", SIGN), ["moving", "locked", 1.6],
    ...["raised", "surface"].flatMap((behind) => on(["input-edge"], behind, SIGN)),
    ...["red", "blue"].flatMap((team) => on([team], "task", SIGN)), ["red", "red-soft", SIGN], ["blue", "blue-soft", SIGN],
  ];
};

for (const [name, theme] of Object.entries(THEMES)) {
  test(`what the page says can be read: ${name}`, () => {
    const faint = pairs(theme).flatMap(([front, behind, least]) => {
      const told = ratio(theme[front], typeof behind === "string" ? theme[behind] : behind);
      return told < least ? [`${front} on ${typeof behind === "string" ? behind : "the accent's tint"}: ${told.toFixed(2)}, not ${least}`] : [];
    });
    assert.deepEqual(faint, []);
  });
}

test("no text is faint", () => {
  // What is disabled is meant to be: it says that nothing can be done.
  const faint = [...STYLE.matchAll(/^([^{}\n]*)\{[^}]*\bopacity: 0?\.[^}]*\}/gm)].map(([, selector]) => selector.trim())
    .filter((selector) => !selector.includes(":disabled"));
  assert.deepEqual(faint, []);
});
