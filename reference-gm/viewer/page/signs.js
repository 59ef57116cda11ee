// The signs of the board with their meanings, for the help.

import { REAL, SHAM, TEAMS, VERDICTS } from "../model/terms.js";
import { fitCanvas, readPaint, TEXT_FONT, VERDICT_DASHES, VERDICT_SIGNS } from "../drawing/paint.js";
import { agentShape, cross, crown, diamond, drawPiece } from "../drawing/shapes.js";
import { make } from "./dom.js";

const SIGN_WIDTH = 44;
const SIGN_HEIGHT = 26;

/** The signs of the board with their meanings, for the help. */
export function fillSigns(list) {
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
  list.replaceChildren(
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
        ctx.fillStyle = paint[name];
        ctx.beginPath();
        ctx.arc(x, y, 8, 0, 7);
        ctx.fill();
        ctx.fillStyle = paint.surface;
        ctx.textAlign = "center";
        ctx.textBaseline = "middle";
        ctx.font = `700 11px ${TEXT_FONT}`;
        ctx.fillText(VERDICT_SIGNS[worth], x, y + 0.5);
      })),
    sign("a request was refused", (ctx, x, y) => {
      ctx.strokeStyle = paint.blocked;
      cross(ctx, x, y, 5);
    }),
  );
}
