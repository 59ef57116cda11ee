// Searches in sorted lists.

/** The first of `count` places that is not `before`; the places before it come first. */
export function lowerBound(count, before) {
  let low = 0, high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (before(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
