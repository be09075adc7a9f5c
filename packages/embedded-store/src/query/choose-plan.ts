import { prefixEnd } from "../bson/key-encoding.ts";
import type { Collection } from "../storage/collection.ts";
import type { IndexTable } from "../storage/index-table.ts";
import { fieldBounds, type KeyRange, wholeRange } from "./bounds.ts";
import { conjuncts, type Expression } from "./conjuncts.ts";
import { implies } from "./implies.ts";
import type { KeyField } from "./keys.ts";

/** How documents are found. `residual` is the filter still to be tested on each of them. */
export interface Plan {
  /** Undefined: the whole collection in natural order. */
  readonly index?: IndexTable;
  readonly ranges: readonly KeyRange[];
  readonly reverse: boolean;
  /** The documents are read in the order of the sort. */
  readonly sorted: boolean;
  readonly residual?: Expression;
}

interface Wanted {
  readonly filter: Expression;
  readonly sort: readonly KeyField[];
  /** 0 means all. */
  readonly limit: number;
}

interface Candidate extends Plan {
  readonly score: number;
  /** Only a bounded part of the index is read. */
  readonly bounded: boolean;
  /** A document with an array is read once for each element, unless the plan is bound to one. */
  readonly repeats: boolean;
}

const maxRanges = 10_000;

/**
 * Chooses the index with the longest usable prefix; a sort it provides and a partial filter break ties. For the first
 * documents of an order, a range that is read in this order is better than one that repeats documents and is sorted.
 */
export function choosePlan(collection: Collection, { filter, sort, limit }: Wanted): Plan {
  const conditions = conjuncts(filter);
  const candidates = collection.indexes.flatMap((index) => planFor(index, filter, conditions, sort) ?? []);
  const best = bestOf(candidates);
  if (best?.repeats && !best.sorted && limit > 0) {
    return bestOf(candidates.filter(({ sorted, bounded }) => sorted && bounded)) ?? best;
  }
  if (best) return best;
  const plan = { ranges: [], reverse: false, sorted: sort.length === 0 };
  return conditions.length === 0 ? plan : { ...plan, residual: filter };
}

/** The first one with the highest score. */
function bestOf(candidates: readonly Candidate[]): Candidate | undefined {
  let best: Candidate | undefined;
  for (const candidate of candidates) {
    if (candidate.score > (best?.score ?? 0)) best = candidate;
  }
  return best;
}

function planFor(
  index: IndexTable,
  filter: Expression,
  conditions: readonly Expression[],
  sort: readonly KeyField[],
): Candidate | undefined {
  const { partial, fields } = index.spec;
  if (partial && !implies(conditions, partial)) return undefined;
  const bounds = collectBounds(index, conditions);
  const order = sortOrder(index, sort, bounds.fixed, bounds.ranges.length);
  const ordered = sort.length > 0 && order !== undefined;
  const score = bounds.fixed * 10 + (bounds.ranged ? 5 : 0) + (ordered ? 4 : 0) + (partial ? 2 : 0);
  if (score === 0) return undefined;
  const covered = bounds.used.size === conditions.length && bounds.exact;
  const unique = index.spec.unique && bounds.fixed === fields.length && bounds.ranges.length === 1;
  return {
    index,
    ranges: bounds.ranges,
    reverse: order === "reverse",
    sorted: sort.length === 0 || order !== undefined || unique,
    ...(covered ? {} : { residual: filter }),
    score: unique ? score + 100 : score,
    bounded: bounds.fixed > 0 || bounds.ranged,
    repeats: index.multikey.some((multikey, i) => multikey && i >= bounds.fixed),
  };
}

interface IndexBounds {
  readonly ranges: readonly KeyRange[];
  /** Number of leading fields bound to points. */
  readonly fixed: number;
  readonly ranged: boolean;
  /** Every document in the ranges satisfies the conditions used. */
  readonly exact: boolean;
  readonly used: ReadonlySet<Expression>;
}

function collectBounds(index: IndexTable, conditions: readonly Expression[]): IndexBounds {
  let prefixes: Buffer[] = [Buffer.alloc(0)];
  let fixed = 0;
  let exact = true;
  let multikeyUsed = false;
  const used = new Set<Expression>();
  for (const [i, field] of index.spec.fields.entries()) {
    const multikey = index.multikey[i] ?? false;
    // Different elements, which are different index entries, may satisfy two conditions on one array.
    if (multikey && multikeyUsed) break;
    const bounds = fieldBounds(conditions, field, multikey);
    if (!bounds) break;
    // Checked before the bounds count as used, because unused conditions must be tested on each document.
    if (bounds.kind === "points" && prefixes.length * bounds.keys.length > maxRanges) break;
    multikeyUsed ||= multikey;
    exact &&= bounds.exact;
    for (const condition of bounds.used) used.add(condition);
    if (bounds.kind === "range") {
      const ranges = prefixes.map((prefix) => withPrefix(prefix, bounds.range));
      return { ranges, fixed, ranged: true, exact, used };
    }
    prefixes = prefixes.flatMap((prefix) => bounds.keys.map((key) => Buffer.concat([prefix, key])));
    fixed++;
  }
  if (fixed === 0) return { ranges: [wholeRange], fixed, ranged: false, exact, used };
  const ranges = prefixes.map((prefix) => ({ low: prefix, high: prefixEnd(prefix) }));
  return { ranges: ranges.sort((a, b) => Buffer.compare(a.low, b.low)), fixed, ranged: false, exact, used };
}

function withPrefix(prefix: Buffer, range: KeyRange): KeyRange {
  if (prefix.length === 0) return range;
  return { low: Buffer.concat([prefix, range.low]), high: Buffer.concat([prefix, range.high]) };
}

/** Whether an index scan returns the sort's order, forwards or backwards. */
function sortOrder(
  index: IndexTable,
  sort: readonly KeyField[],
  fixed: number,
  ranges: number,
): "forward" | "reverse" | undefined {
  if (sort.length === 0 || ranges > 1) return undefined;
  const { fields } = index.spec;
  // A document has one entry for each element: several in the range, unless the range fixes the element.
  if (index.multikey.some((multikey, i) => multikey && (i >= fixed || sort.some(sortsBy(fields[i]))))) {
    return undefined;
  }
  const bound = new Set(fields.slice(0, fixed).map((field) => field.field));
  // A field bound to one value does not affect the order.
  const wanted = sort.filter((field) => !bound.has(field.field));
  const flips = wanted.map((field, i) => {
    const provided = fields[fixed + i];
    return provided?.field === field.field ? provided.descending !== field.descending : undefined;
  });
  if (flips.every((flip) => flip === false)) return "forward";
  return flips.every((flip) => flip === true) ? "reverse" : undefined;
}

function sortsBy(field: KeyField | undefined): (sort: KeyField) => boolean {
  return (sort) => sort.field === field?.field;
}
