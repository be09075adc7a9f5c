const maxLength = 40;
const maxCandidates = 200;
const maxSlips = 5;

/** How much comparing is left to do; it is counted down. */
export interface Budget {
  left: number;
}

/**
 * The up to three known names closest to a wrong one, at most `slips` away. Bounded: long names and long lists are
 * not compared, nor is anything when the budget is used up.
 */
export function closest(
  name: string,
  known: Iterable<string>,
  slips = maxSlips,
  budget: Budget = { left: maxCandidates },
): string[] {
  if (name.length > maxLength) return [];
  const wanted = simplified(name);
  const allowed = Math.min(slips, Math.max(1, Math.floor(wanted.length / 3)));
  const found: Array<{ candidate: string; distance: number }> = [];
  let seen = 0;
  for (const candidate of known) {
    if (++seen > maxCandidates || budget.left <= 0) break;
    if (Math.abs(candidate.length - name.length) > allowed) continue;
    budget.left -= 1;
    const distance = editDistance(wanted, simplified(candidate), allowed);
    if (distance <= allowed) found.push({ candidate, distance });
  }
  found.sort((a, b) => a.distance - b.distance);
  const best = found[0]?.distance ?? 0;
  const close = found.filter(({ distance }) => distance <= best + 1);
  return close.slice(0, 3).map(({ candidate }) => candidate);
}

// A wrong case or separator is the commonest slip and should cost nothing.
function simplified(name: string): string {
  return name.toLowerCase().replaceAll("_", "-");
}

/**
 * Insertions, deletions, replacements and swaps of neighbours that turn one text into the other. More than `limit`
 * is not counted to its end: the answer is then some number above it.
 */
export function editDistance(from: string, to: string, limit = Number.POSITIVE_INFINITY): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= to.length; j++) {
      const same = from[i - 1] === to[j - 1];
      let best = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (same ? 0 : 1));
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      if (swapped) best = Math.min(best, at(beforeLast, j - 2) + 1);
      row.push(best);
      least = Math.min(least, best);
    }
    // A swap looks back two rows, at the price of one.
    if (least > limit + 1) return least;
    beforeLast = last;
    last = row;
  }
  return at(last, to.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
