import type { Collection, Document, Filter, UpdateFilter, UpdateOptions } from "mongodb";

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
