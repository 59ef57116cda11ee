// What a test has opened and started is undone in reverse order: its pages are closed before the programs that serve them
// end, and these end before their folders are removed. The runner's own order is the order in which it was asked; a page
// that loses its server complains.

const actions = new WeakMap();

/** Does this when the test is over, before everything that was asked for earlier. */
export function afterwards(t, action) {
  if (!actions.has(t)) {
    const list = [];
    actions.set(t, list);
    t.after(async () => {
      const faults = [];
      while (list.length) await Promise.resolve().then(list.pop()).catch((fault) => faults.push(fault));
      if (faults.length) throw faults[0];
    });
  }
  actions.get(t).push(action);
}
