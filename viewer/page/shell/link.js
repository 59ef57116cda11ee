// The fragment of an address: a moment, and what the room adds to it.

import { toast } from "./notices.js";

/** What a fragment names: the moment, null without a sound one, and all names for the room. */
export function readLink(fragment) {
  const named = new URLSearchParams(fragment.replace(/^#/, ""));
  return { t: readNumber(named, "t"), named };
}

/** The number behind a name, if it is one and not negative; otherwise null. */
export function readNumber(named, name) {
  const text = (named.get(name) ?? "").trim(), value = Number(text);
  return text !== "" && Number.isFinite(value) && value >= 0 ? value : null;
}

/** The page's address, which names what is seen. A page in the frame of a notebook has none (`about:srcdoc`). */
export class Address {
  constructor(page) {
    this.page = page;
    this.timer = 0;
    /** The fragment that names the match to which the page turns, until that match begins. */
    this.awaited = "";
    this.isNone = location.protocol === "about:";
  }

  /** Opens a game with what a fragment names: a replay waits at the moment, and so does a game under way. */
  open(fragment) {
    const { page } = this, link = readLink(fragment);
    this.awaited = "";
    if (page.live) {
      // Users who saw the lobby have come for the whole game, whatever the address still says.
      if (!page.game.lobby) page.time.wanted = link.t;
    } else {
      page.room.opened();
      page.time.seek(link.t ?? page.time.from, { quiet: true });
      // A replay from a server comes in pieces.
      if (link.t > page.game.duration) page.time.wanted = link.t;
    }
    page.room.applyLink(link.named);
  }

  /** Follows an address that was changed by hand. */
  follow(fragment) {
    const { page } = this, link = readLink(fragment);
    if (page.matches.follow(link.named) || this.awaited) {
      // Until the match begins, the page shows the one before.
      this.awaited = fragment;
      return;
    }
    if (!page.game.start) return;
    page.room.applyLink(link.named);
    if (link.t !== null) page.time.seek(link.t);
  }

  /** Writes the current view into the address after the user has been idle for a moment. */
  writeSoon() {
    clearTimeout(this.timer);
    if (this.isNone) return;
    this.timer = setTimeout(() => {
      const { game, time } = this.page;
      if (!game.start || time.wanted !== null) return;
      // A page that follows a game looks at no moment of it.
      history.replaceState(null, "", this.fragment({ moment: !time.following }) || location.pathname + location.search);
    }, 150);
  }

  fragment({ moment = true } = {}) {
    const parts = [...this.page.matches.linkParts(moment), ...(moment ? [`t=${Math.round(this.page.time.t)}`] : []), ...this.page.room.linkParts()];
    return parts.length ? `#${parts.join("&")}` : "";
  }

  async copy() {
    if (this.isNone) {
      toast("no link leads into a notebook: save the page to a file");
      return;
    }
    history.replaceState(null, "", this.fragment());
    // The operator's token is not for those who get the link.
    const address = `${location.href.split(/[?#]/)[0]}${this.fragment()}`;
    try {
      await navigator.clipboard.writeText(address);
      toast("link copied");
    } catch {
      toast(address);
    }
  }
}
