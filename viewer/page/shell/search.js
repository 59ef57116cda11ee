// Looking something up in what is in order.

/** The first place out of so many that is not `before`; the places that are come first. */
export function lowerBound(count, before) {
  let low = 0, high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (before(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
