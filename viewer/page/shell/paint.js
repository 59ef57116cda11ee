// What all drawings share: colours, canvases, letters.
//
// Teams differ in shape and colour (red agents are squares, blue ones are discs), verdicts in colour, dashes
// and sign, so that no colour alone carries a meaning. All colours come from the style sheet.

const PAINT_NAMES = [
  "surface", "ink", "muted", "task", "grid", "edge", "red", "blue", "red-soft", "blue-soft", "on-team", "piece",
  "sham", "rim", "accent", "honest", "stale", "mistaken", "lie", "leader", "waiting", "moving", "locked", "blocked",
];
export const TEXT_FONT = "system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";

/** The colours that are in force, as the style sheet has them. */
export function readPaint() {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(PAINT_NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}

/** Makes a canvas as large as its place, in the screen's own pixels; its size in CSS pixels. */
export function fitCanvas(canvas, width, height) {
  const ratio = Math.min(window.devicePixelRatio || 1, 3);
  const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== across || canvas.height !== down) {
    canvas.width = across;
    canvas.height = down;
  }
  const ctx = canvas.getContext("2d");
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.clearRect(0, 0, width, height);
  return ctx;
}
export const easeOut = (part) => 1 - (1 - part) ** 3;
