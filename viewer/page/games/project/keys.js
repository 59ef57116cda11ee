// The keys of the room: whom and what the page looks at.

/** The kinds of events to which keys lead. */
export const PROJECT_JUMPS = { goal: "g", "pick-up": "p", exchange: "x", lie: "l", refusal: "r" };

const pan = (dx, dy) => ({ room }) => {
  const length = Math.max(24, room.board.camera.scale);
  room.tracking = false;
  room.board.pan(dx * length, dy * length);
  room.page.invalidate();
};

const zoom = (factor) => ({ room }) => room.zoom(factor);

/** The keys of the room, as rows of the page's. */
export const PROJECT_KEYS = [
  {
    shown: "[ ] H J", words: "previous agent, next agent",
    keys: {
      "[": (page) => page.room.selectNext(-1), "h": (page) => page.room.selectNext(-1),
      "]": (page) => page.room.selectNext(1), "j": (page) => page.room.selectNext(1),
    },
  },
  { shown: "Esc", words: "no agent", keys: { Escape: (page) => { page.room.pointer.unpin(); page.room.select(-1); } } },
  { shown: "I", words: "what lies on the agent's field, or in the middle", keys: { i: (page) => page.room.pointer.tellField() } },
  { shown: "B", words: "what the agent believes", keys: { b: (page) => page.room.toggleBelief() } },
  { shown: "V", words: "choose the view: everything, red, blue, the agent", keys: { v: (page) => page.room.nextView() } },
  { shown: "O", words: "follow the agent", keys: { o: (page) => page.room.toggleFollowAgent() } },
  {
    shown: "+ − F", words: "zoom in, zoom out, the whole board",
    keys: {
      "+": zoom(1.4), "=": zoom(1.4), "-": zoom(1 / 1.4), "_": zoom(1 / 1.4),
      "f": (page) => { page.room.fit(); },
    },
  },
  {
    shown: "W A S D", words: "move the visible part",
    keys: { w: pan(0, 1), a: pan(1, 0), s: pan(0, -1), d: pan(-1, 0) },
  },
];
