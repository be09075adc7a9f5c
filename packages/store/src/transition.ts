import type { Metrics } from "@muster/metrics";
import type { Collection, Document, Filter, UpdateFilter, UpdateOptions } from "mongodb";

/** The right of one process to change a document, as the document's field `lease`. */
export interface Lease {
  /** The process. */
  holder: string;
  /** Others may take it afterwards. Its holder may write until one has: the document's epoch decides, not the time. */
  until: Date;
}

/** The end of a lease that its holder has given up. Others may take it at once, and know that no process has died. */
export const givenUp = new Date(0);

/** Whether the holder may live. `onlyHolder`: no other process can exist, so that leases of others are of dead ones. */
export function isHeld(lease: Lease | null, nowMs: number, onlyHolder?: string): boolean {
  if (lease === null || (onlyHolder !== undefined && lease.holder !== onlyHolder)) return false;
  return lease.until.getTime() > nowMs;
}

/** The opposite as a filter. `$not` also matches null and absent: there is no lease. */
export function notHeld(now: Date, onlyHolder?: string) {
  const hasEnded = { "lease.until": { $not: { $gt: now } } };
  return onlyHolder === undefined ? hasEnded : { $or: [hasEnded, { "lease.holder": { $ne: onlyHolder } }] };
}

/** Counts a lease that was taken if its holder had died. `lease`: before that. */
export function countTakeOver(
  metrics: Metrics | undefined,
  kind: "session" | "run" | "recording",
  lease: Pick<Lease, "until"> | null | undefined,
): void {
  if (lease && lease.until > givenUp) metrics?.count("muster_lease_takeovers_total", { kind });
}

/** The legal changes of a status: for each one, those that may follow it. */
export type Transitions = Readonly<Record<string, readonly string[]>>;

/** The statuses from which the table leads to this one. */
export type Before<Table extends Transitions, To> = {
  [From in keyof Table]: To extends Table[From][number] ? From : never;
}[keyof Table];

/** A field of a field. */
type Path = `${string}.${string}`;

type Item<List> = NonNullable<List> extends ReadonlyArray<infer One> ? One : never;

type Status<Stored> = Stored extends { status: infer Name } ? Name : never;

/**
 * A change of one document: one conditional write. A repeated write changes nothing, either because its condition is
 * false by then, or because it sets the same values.
 */
export interface Transition<Stored extends Document> {
  /** Where it may start. Absent: in every status. */
  from?: ReadonlyArray<Status<Stored>>;
  /** Where it leads. Absent: the status stays. */
  to?: Status<Stored>;
  /** The further condition. */
  guard?: Filter<Stored>;
  set?: Readonly<Partial<Stored> & { [path: Path]: unknown }>;
  unset?: ReadonlyArray<keyof Stored | Path>;
  push?: { readonly [Name in keyof Stored]?: Item<Stored[Name]> };
  pull?: { readonly [Name in keyof Stored]?: Partial<Item<Stored[Name]>> };
  /** Added to numbers. */
  inc?: { readonly [Name in keyof Stored]?: number } & { readonly [path: Path]: number };
}

/** Makes the transitions of a document whose statuses follow a table: any other one does not compile. */
export function transitionsOf<Stored extends Document, Table extends Transitions>() {
  return <To extends Status<Stored>>(
    to: To,
    from: ReadonlyArray<Before<Table, To> & Status<Stored>>,
    rest: Omit<Transition<Stored>, "from" | "to">,
  ): Transition<Stored> => ({ from, to, ...rest });
}

/** The condition of a transition. */
export function filterOf<Stored extends Document>({
  from,
  guard,
}: Pick<Transition<Stored>, "from" | "guard">): Filter<Stored> {
  if (from === undefined) return { ...guard } as Filter<Stored>;
  return { ...guard, status: from.length === 1 ? from[0] : { $in: from } } as Filter<Stored>;
}

/** Its change. */
export function updateOf<Stored extends Document>({
  to,
  set,
  unset = [],
  push,
  pull,
  inc,
}: Transition<Stored>): UpdateFilter<Stored> {
  const $set = { ...set, ...(to !== undefined && { status: to }) };
  return {
    ...(Object.keys($set).length > 0 && { $set }),
    ...(unset.length > 0 && { $unset: Object.fromEntries(unset.map((name) => [name, ""])) }),
    ...(push && { $push: push }),
    ...(pull && { $pull: pull }),
    ...(inc && { $inc: inc }),
  } as UpdateFilter<Stored>;
}

/** Makes a transition. False: its condition was false. */
export async function change<Stored extends Document>(
  documents: Collection<Stored>,
  key: Filter<Stored>,
  transition: Transition<Stored>,
  options?: UpdateOptions,
): Promise<boolean> {
  const filter = { ...key, ...filterOf(transition) };
  return (await documents.updateOne(filter, updateOf(transition), options)).matchedCount === 1;
}
