// The operator's token. It comes with the address that the game master printed, and stays out of the address
// that others see over a shoulder, on a projector or in a link.

const TOKEN_PLACE = "operator";

/** The token, from the address or from before the page was loaded again; null for a spectator. */
export function takeToken() {
  const named = new URLSearchParams(location.search);
  const token = named.get("token");
  try {
    if (token === null) return sessionStorage.getItem(TOKEN_PLACE);
    sessionStorage.setItem(TOKEN_PLACE, token);
    named.delete("token");
    history.replaceState(null, "", `${location.pathname}${named.size ? `?${named}` : ""}${location.hash}`);
  } catch { /* Without storage it stays in the address, where a page that is loaded again finds it. */ }
  return token;
}

/** Forgets a token that is not right, or not any more. */
export function forgetToken() {
  try { sessionStorage.removeItem(TOKEN_PLACE); } catch { /* There is none then. */ }
}

// The token of a person's seat. A page that is loaded again goes on with it; another page, or another browser, has none.

const SEAT_PLACE = "seat";

/** The token of the seat from before the page was loaded again; null if there is none. */
export function keptSeat() {
  try { return sessionStorage.getItem(SEAT_PLACE); } catch { return null; }
}

/** Keeps the token of a seat for a page that is loaded again; null forgets it. */
export function keepSeat(token) {
  try {
    if (token === null) sessionStorage.removeItem(SEAT_PLACE);
    else sessionStorage.setItem(SEAT_PLACE, token);
  } catch { /* Then it lasts as long as the page. */ }
}
