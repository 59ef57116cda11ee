// How verdicts on claims look: in colour, dashes and sign, so that no colour alone carries a meaning.

export const VERDICT_DASHES = [[], [9, 5], [2, 4], [12, 3, 2, 3]];
export const VERDICT_SIGNS = ["✓", "~", "?", "✕"];
/** The sign of an answer for who cannot judge it. */
export const TOLD_SIGN = "i";
