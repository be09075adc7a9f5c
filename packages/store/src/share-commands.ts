import type { Collection, Document, Filter, OptionalUnlessRequiredId } from "mongodb";
import { isStoreUnavailable, unlessDuplicate } from "./errors.ts";
import { change, filterOf, type Transition, updateOf } from "./transition.ts";

/** How items are sent. */
export interface Sending<Item, Result> {
  /** Sends an item alone. */
  one(item: Item): Promise<Result>;
  /** Sends several with one command. Undefined: the outcome of that item is not known, so `one` is asked again. */
  many(items: Item[]): Promise<ReadonlyArray<Result | undefined>>;
  /** Such items never wait for others, nor others for them. Default: none. */
  isLarge?(item: Item): boolean;
  /** The items of one command at most; 64 unless set. */
  max?: number;
}

/**
 * Sends items with one command after the other: an item leaves at once unless a command is under way, and those that
 * arrive meanwhile share the next one. So a caller that is alone waits for no one, and many callers share a command.
 */
export function shareCommands<Item, Result>({
  one,
  many,
  isLarge = () => false,
  max = 64,
}: Sending<Item, Result>): (item: Item) => Promise<Result> {
  const waiting: Array<{ item: Item } & PromiseWithResolvers<Result>> = [];
  let isSending = false;

  const send = async (batch: typeof waiting): Promise<void> => {
    const items = batch.map(({ item }) => item);
    try {
      const [first] = items;
      const results = items.length === 1 && first !== undefined ? [await one(first)] : await many(items);
      for (const [index, { item, resolve }] of batch.entries()) resolve(results[index] ?? one(item));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };

  const sendAll = async (): Promise<void> => {
    isSending = true;
    while (waiting.length > 0) await send(waiting.splice(0, max));
    isSending = false;
  };

  return (item) => {
    if (isLarge(item)) return one(item);
    const outcome = Promise.withResolvers<Result>();
    waiting.push({ item, ...outcome });
    if (!isSending) void sendAll();
    return outcome.promise;
  };
}

/** Waits for a shared command. Nothing is known of any item if the store refuses one for its contents. */
async function unlessRefused<Result>(results: Promise<Result[]>): Promise<Result[]> {
  try {
    return await results;
  } catch (error) {
    if (isStoreUnavailable(error)) throw error;
    return [];
  }
}

/** Inserts documents. False: a document with its key exists, which can be the result of the same call. */
export function sharedInserts<Stored extends Document>(
  documents: Collection<Stored>,
  isLarge: (document: OptionalUnlessRequiredId<Stored>) => boolean,
) {
  return shareCommands<OptionalUnlessRequiredId<Stored>, boolean>({
    one: (document) => unlessDuplicate(documents.insertOne(document)),
    many: (all) =>
      unlessRefused(documents.insertMany(all, { ordered: false }).then(() => all.map(() => true))),
    isLarge,
  });
}

/** A transition of the document that the key selects. */
export interface Change<Stored extends Document> {
  key: Filter<Stored>;
  transition: Transition<Stored>;
}

/** Makes transitions. False: the condition was false, which can be the result of the same call. */
export function sharedChanges<Stored extends Document>(
  documents: Collection<Stored>,
  isLarge: (change: Change<Stored>) => boolean,
) {
  return shareCommands<Change<Stored>, boolean>({
    one: ({ key, transition }) => change(documents, key, transition),
    many: (all) => unlessRefused(changeAll(documents, all)),
    isLarge,
  });
}

/** The store reports only how many conditions were true, so nothing is known of any unless all were. */
async function changeAll<Stored extends Document>(
  documents: Collection<Stored>,
  changes: ReadonlyArray<Change<Stored>>,
): Promise<true[]> {
  const statements = changes.map(({ key, transition }) => ({
    updateOne: { filter: { ...key, ...filterOf(transition) }, update: updateOf(transition) },
  }));
  const { matchedCount } = await documents.bulkWrite(statements, { ordered: false });
  return matchedCount === changes.length ? changes.map(() => true) : [];
}
