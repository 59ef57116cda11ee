// The signs of the board with their meanings, for the help.

import { EITHER, REAL, SHAM, TEAMS, VERDICTS } from "./model/terms.js";
import { fitCanvas, readPaint, TEXT_FONT } from "../../shell/paint.js";
import { TOLD_SIGN, VERDICT_DASHES, VERDICT_SIGNS } from "./drawing/verdicts.js";
import {
  agentShape, believedFalsely, believedGoal, believedNone, cross, crown, diamond, drawPiece, falseCorners, remarkField,
  remarkLine, toldDot,
} from "./drawing/shapes.js";
import { make } from "../../shell/dom.js";

const SIGN_WIDTH = 44;
const SIGN_HEIGHT = 26;

/** The side of a field in the help. */
const FIELD = 22;

/** The signs of the board with their meanings, for the help. */
export function listSigns() {
  const paint = readPaint();
  const sign = (text, draw) => {
    const canvas = make("canvas", { "aria-hidden": "true" });
    canvas.style.width = `${SIGN_WIDTH}px`;
    canvas.style.height = `${SIGN_HEIGHT}px`;
    const ctx = fitCanvas(canvas, SIGN_WIDTH, SIGN_HEIGHT);
    ctx.lineWidth = 2;
    draw(ctx, SIGN_WIDTH / 2, SIGN_HEIGHT / 2);
    return make("li", {}, canvas, text);
  };
  const across = (ctx, colour, dashes, width) => {
    ctx.strokeStyle = colour;
    ctx.lineWidth = width;
    ctx.setLineDash(dashes);
    ctx.beginPath();
    ctx.moveTo(0, SIGN_HEIGHT / 2);
    ctx.lineTo(SIGN_WIDTH, SIGN_HEIGHT / 2);
    ctx.stroke();
    ctx.setLineDash([]);
  };
  const letter = (ctx, text, colour, x, y) => {
    ctx.fillStyle = colour;
    ctx.beginPath();
    ctx.arc(x, y, 8, 0, 7);
    ctx.fill();
    ctx.fillStyle = paint.surface;
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    ctx.font = `700 11px ${TEXT_FONT}`;
    ctx.fillText(text, x, y + 0.5);
  };
  /** A field with a distance that is believed. */
  const believed = (text, mark = () => {}) => sign(text, (ctx, x, y) => {
    const [left, top] = [x - FIELD / 2, y - FIELD / 2];
    ctx.globalAlpha = 0.3;
    ctx.fillStyle = paint.accent;
    ctx.fillRect(left, top, FIELD, FIELD);
    ctx.globalAlpha = 1;
    ctx.fillStyle = paint.ink;
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    ctx.font = `500 10px ${TEXT_FONT}`;
    ctx.fillText("4", x, y);
    mark(ctx, left, top);
  });
  return [
    ...TEAMS.map((team) => sign(`an agent of ${team}; the ring is the time that it is locked`, (ctx, x, y) => {
      ctx.fillStyle = paint[team];
      agentShape(ctx, team, x, y, 8);
      ctx.fill();
      ctx.strokeStyle = paint.ink;
      ctx.beginPath();
      ctx.arc(x, y, 11.5, -1.6, 2.5);
      ctx.stroke();
    })),
    sign("the leader of a team", (ctx, x, y) => crown(ctx, paint, x, y, 8)),
    sign("a piece", (ctx, x, y) => drawPiece(ctx, paint, x, y, 8, REAL)),
    sign("a sham; agents cannot tell it from a piece", (ctx, x, y) => drawPiece(ctx, paint, x, y, 8, SHAM)),
    sign("either, in a view of agents", (ctx, x, y) => drawPiece(ctx, paint, x, y, 8, EITHER)),
    sign("a goal, still hidden", (ctx, x, y) => {
      ctx.strokeStyle = paint.red;
      ctx.setLineDash([4, 3]);
      diamond(ctx, x, y, 9);
      ctx.stroke();
    }),
    sign("a goal, covered", (ctx, x, y) => {
      ctx.fillStyle = paint.red;
      diamond(ctx, x, y, 9);
      ctx.fill();
    }),
    sign("a question", (ctx) => across(ctx, paint.muted, [2, 5], 1.5)),
    ...VERDICTS.map((name, worth) => sign(
      ["an answer that is true", "an answer that was true once", "an answer, false by mistake", "an answer that is a lie"][worth],
      (ctx, x, y) => {
        across(ctx, paint[name], VERDICT_DASHES[worth], 2.5);
        letter(ctx, VERDICT_SIGNS[worth], paint[name], x, y);
      })),
    sign("an answer, in a view of agents: they cannot judge it", (ctx, x, y) => {
      across(ctx, paint.accent, [], 2.5);
      letter(ctx, TOLD_SIGN, paint.accent, x, y);
    }),
    sign("a request was refused", (ctx, x, y) => {
      ctx.strokeStyle = paint.blocked;
      cross(ctx, x, y, 5);
    }),
    sign("what the chosen agent's strategy draws", (ctx, x, y) => {
      remarkLine(ctx, paint.accent, [2, y], [x + 6, y]);
      remarkField(ctx, paint.accent, x + 6, y - 8, 16);
    }),
    believed("a distance that the agent read; the older, the fainter"),
    believed("one that it was told", (ctx, left, top) => toldDot(ctx, paint.ink, left, top, FIELD)),
    believed("one that is not true any more", (ctx, left, top) => falseCorners(ctx, paint.stale, false, left, top, FIELD)),
    ...["mistaken", "lie"].map((name) => believed(
      `one that was false when it was told: ${name === "lie" ? "a lie" : "by mistake"}`,
      (ctx, left, top) => falseCorners(ctx, paint[name], true, left, top, FIELD))),
    sign("a field that it takes for a goal", (ctx, x, y) => believedGoal(ctx, paint, x, y, FIELD)),
    sign("a field that it takes for none", (ctx, x, y) => believedNone(ctx, paint, x, y, FIELD)),
    sign("either of them, if that is false", (ctx, x, y) => {
      believedGoal(ctx, paint, x, y, FIELD);
      believedFalsely(ctx, paint.lie, x, y, FIELD);
    }),
  ];
}
