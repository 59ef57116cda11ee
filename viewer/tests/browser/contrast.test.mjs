// Whether what the style sheets' colours say can be read: contrast ratios as WCAG 2 defines them.

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";

const PAGE = new URL("../../page/", import.meta.url);

/** The style sheets of the page and of all rooms. */
const SHEETS = ["style.css", ...(await readdir(PAGE, { recursive: true })).filter((file) => file.endsWith("room.css")).sort()];
const STYLE = (await Promise.all(SHEETS.map((sheet) => readFile(new URL(sheet, PAGE), "utf8")))).join("");

const TEXT = 4.5;
const SIGN = 3;

const channels = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));

/** The colours of a block of the style sheet, by name. */
const colours = (block) => Object.fromEntries([...block.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6})\b/g)].map(([, name, colour]) => [name, channels(colour)]));

const block = (selector) => STYLE.slice(STYLE.indexOf(`${selector} {`)).match(/\{([^}]*)\}/)[1];
const light = colours(block(":root"));
const dark = { ...light, ...colours(block(':root[data-theme="dark"]')) };
const darkBySystem = { ...light, ...colours(block(':root:not([data-theme="light"])')) };

/** Rules whose background, or the filling behind a text, is a mixture. */
const MIXED = {
  now: ".event.now", chosen: '.agent-row[aria-pressed="true"]', mover: ".duel-player.mover", school: ".eriantys-school.mover",
  here: "#eriantys-ring .here .land circle", bag: "#eriantys-ring .bag path",
};

/** A theme with the mixtures of these rules, and with the colours of students and of the letters on them, which are the
 * same in each theme. */
function withMixtures(theme) {
  const mixtures = Object.entries(MIXED).map(([name, selector]) => {
    const [, one, share, other] = block(selector).match(/(?:background|fill): color-mix\(in srgb, var\(--([\w-]+)\) (\d+)%, var\(--([\w-]+)\)\)/);
    return [name, theme[one].map((value, channel) => (value * share + theme[other][channel] * (100 - share)) / 100)];
  });
  const letters = [".student", "#eriantys-ring .pill-of text"].map((selector, place) =>
    [`letter ${place}`, channels(block(selector).match(/\b(?:color|fill): (#[0-9a-f]{6})/)[1])]);
  return { ...theme, ...Object.fromEntries([...mixtures, ...letters, ...STUDENTS]) };
}

/** The colours of students, as pills and on the ring. */
const STUDENTS = [...STYLE.matchAll(/^(?:\.student\.\w+, |#eriantys-ring \.\w+ rect)[^{]*\{ (?:background|fill): (#[0-9a-f]{6})/gm)].map(([rule, colour]) =>
  [rule.split(/[,{]/)[0].trim(), channels(colour)]);

const THEMES = { "light": withMixtures(light), "dark": withMixtures(dark), "dark by the system": withMixtures(darkBySystem) };

function brightness(colour) {
  const [red, green, blue] = colour.map((value) =>
    (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function ratio(one, other) {
  const [dark, bright] = [brightness(one), brightness(other)].sort((less, more) => less - more);
  return (bright + 0.05) / (dark + 0.05);
}

const TEAM_AND_WORTH = ["red", "blue", "honest", "stale", "mistaken", "lie"];

/** Whether a pair is told apart, for each theme: what, in front of what, at least how much. */
const pairs = (isLight) => {
  const on = (names, behind, least) => names.map((name) => [name, behind, least]);
  return [
    ...["surface", "raised", "back", "task", "red-soft", "blue-soft"].flatMap((behind) => on(["ink", "muted"], behind, TEXT)),
    ...["surface", "raised"].flatMap((behind) => on([...TEAM_AND_WORTH, "danger"], behind, TEXT)),
    ...on(["ink", "muted", "blocked", ...TEAM_AND_WORTH], "now", TEXT), ...on(["ink", "muted", "red", "blue"], "chosen", TEXT),
    ...["mover", "school", "here"].flatMap((behind) => on(["ink", "muted"], behind, TEXT)), ["ink", "bag", TEXT],
    ...STUDENTS.flatMap(([student]) => on(["letter 0", "letter 1"], student, TEXT)), ["surface", "blue", SIGN],
    ["danger", "danger-soft", TEXT], ["on-accent", "accent", TEXT], ["on-team", "red", TEXT], ["on-team", "blue", TEXT],
    ...on(["piece", "leader", "rim", "sham"], "task", SIGN).filter(([name]) => isLight || name !== "rim"),
    ...(isLight ? ["red-soft", "blue-soft"].flatMap((behind) => on(["rim"], behind, SIGN)) : []),
    ["accent", "surface", SIGN], ["accent", "now", SIGN], ...on(["piece", "leader"], "rim", 2), ...on(["leader"], "surface", SIGN),
    ...on(["moving", "locked", "blocked", "waiting", "sham"], "surface", SIGN), ["moving", "locked", 1.6],
    ...["raised", "surface"].flatMap((behind) => on(["input-edge"], behind, SIGN)),
    ...["red", "blue"].flatMap((team) => on([team], "task", SIGN)), ["red", "red-soft", SIGN], ["blue", "blue-soft", SIGN],
  ];
};

for (const [name, theme] of Object.entries(THEMES)) {
  test(`what the page says can be read: ${name}`, () => {
    const faint = pairs(name === "light").flatMap(([front, behind, least]) => {
      const told = ratio(theme[front], theme[behind]);
      return told < least ? [`${front} on ${behind}: ${told.toFixed(2)}, not ${least}`] : [];
    });
    assert.deepEqual(faint, []);
  });
}

test("no text is faint", () => {
  // A disabled control is meant to be: it says that nothing can be done. A rule with a stroke is one of a drawing's lines.
  const faint = [...STYLE.matchAll(/^([^{}\n]*)\{([^}]*)\}/gm)].filter(([, , rule]) => /(?<![\w-])opacity: 0?\./.test(rule) && !/\bstroke: /.test(rule))
    .map(([, selector]) => selector.trim()).filter((selector) => !selector.includes(":disabled"));
  assert.deepEqual(faint, []);
});

test("the sheets of rooms are read too", () => {
  assert.ok(SHEETS.includes("games/eriantys/room.css"), SHEETS.join());
  assert.equal(STUDENTS.length, 10, "five colours, as pills and on the ring");
});
