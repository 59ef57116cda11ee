// How a moment is written.

/** The number of moves until a moment of a game whose page counts moves. */
export function movesAt(t) {
  return Math.floor(t / 1000 + 1e-6);
}

/** A moment as `m:ss.d`, or with hours. */
export function clockText(t, tenths = true) {
  const whole = Math.max(0, Math.floor(t / 100)) / 10;
  const hours = Math.floor(whole / 3600), minutes = Math.floor(whole / 60) % 60, seconds = Math.floor(whole) % 60;
  const two = (number) => String(number).padStart(2, "0");
  const rest = tenths ? `.${Math.floor(whole * 10 + 1e-6) % 10}` : "";
  return `${hours ? `${hours}:${two(minutes)}` : minutes}:${two(seconds)}${rest}`;
}
