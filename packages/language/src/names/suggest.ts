const maxLength = 40;
const maxCandidateLength = 200;
const maxCandidates = 200;
const maxSlips = 5;

/** The remaining budget of comparisons. */
export interface Budget {
  left: number;
}

/**
 * Up to three known names that are closest to a wrong one, at most `slips` edits away, and never the name itself.
 * Bounded: skips long names and long lists, and compares nothing once the budget is used up.
 */
export function closest(
  name: string,
  known: Iterable<string>,
  slips = maxSlips,
  budget: Budget = { left: maxCandidates },
): string[] {
  if (name.length > maxLength) return [];
  const wanted = simplified(name);
  const allowed = Math.min(slips, slipsIn(wanted.length));
  const found: Array<{ candidate: string; distance: number }> = [];
  let seen = 0;
  for (const candidate of known) {
    if (++seen > maxCandidates || budget.left <= 0) break;
    if (candidate === name || candidate.length > maxCandidateLength) continue;
    if (sameLeaf(wanted, candidate)) found.push({ candidate, distance: 1 });
    else if (Math.abs(candidate.length - wanted.length) <= allowed) {
      budget.left -= 1;
      const distance = editDistance(wanted, simplified(candidate), allowed);
      if (distance <= allowed) found.push({ candidate, distance });
    }
  }
  found.sort((a, b) => a.distance - b.distance);
  const best = found[0]?.distance ?? 0;
  const close = found.filter(({ distance }) => distance <= best + 1);
  return close.slice(0, 3).map(({ candidate }) => candidate);
}

/** Any name of one or two characters is one edit away from any other. */
function slipsIn(length: number): number {
  return length < 3 ? 0 : Math.max(1, Math.floor(length / 3));
}

// A wrong case or separator, a file name, and braces as in prompts are the commonest mistakes and cost no edits.
function simplified(name: string): string {
  const bare = name.startsWith("{{") && name.endsWith("}}") ? name.slice(2, -2).trim() : name;
  return bare.toLowerCase().replaceAll("_", "-").replace(/\.md$/, "");
}

/** The prompt or reference may be in another folder, or in none. */
function sameLeaf(wanted: string, candidate: string): boolean {
  if (!wanted.includes("/") && !candidate.includes("/")) return false;
  return leafOf(wanted) === leafOf(simplified(candidate));
}

function leafOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/**
 * The number of insertions, deletions, replacements and swaps of neighbours that turn one text into the other. Stops
 * counting above `limit`: the result is then some number greater than it.
 */
export function editDistance(from: string, to: string, limit = Number.POSITIVE_INFINITY): number {
  const rowOf = () => new Float64Array(to.length + 1).fill(Number.POSITIVE_INFINITY);
  let [beforeLast, last, row] = [rowOf(), rowOf().map((_, index) => index), rowOf()];
  for (let i = 1; i <= from.length; i++) {
    row.fill(Number.POSITIVE_INFINITY);
    row[0] = i;
    let least = i;
    // Elsewhere, the insertions or deletions alone exceed the limit.
    for (let j = Math.max(1, i - limit); j <= Math.min(to.length, i + limit); j++) {
      const same = from[i - 1] === to[j - 1];
      let best = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (same ? 0 : 1));
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      if (swapped) best = Math.min(best, at(beforeLast, j - 2) + 1);
      row[j] = best;
      least = Math.min(least, best);
    }
    // A swap looks back two rows, at the price of one.
    if (least > limit + 1) return least;
    [beforeLast, last, row] = [last, row, beforeLast];
  }
  return at(last, to.length);
}

function at(row: Readonly<Float64Array>, index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
