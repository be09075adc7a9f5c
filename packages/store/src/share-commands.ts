import { setTimeout } from "node:timers/promises";
import type { Collection, Document, Filter, OptionalUnlessRequiredId } from "mongodb";
import { isStoreUnavailable, unlessDuplicate } from "./errors.ts";
import { change, filterOf, type Transition, updateOf } from "./transition.ts";

interface Batching {
  /** The items of a batch at most; 64 unless set. */
  max?: number | undefined;
  /** How long a batch waits for more items. `waiting`: the number of them so far. */
  pauseMs?(waiting: number): number;
}

/**
 * Sends items in batches, one after the other: those of one moment leave together, and those that arrive while a batch is
 * under way share the next one. So a caller that is alone waits for no one, and many share a command.
 */
export function inBatches<Item>(
  send: (items: Item[]) => Promise<unknown>,
  { max = 64, pauseMs = () => 0 }: Batching = {},
) {
  const waiting: Array<{ item: Item } & PromiseWithResolvers<void>> = [];
  let isSending = false;
  let isHurried = false;
  let pause = new AbortController();

  const sendAll = async (): Promise<void> => {
    isSending = true;
    await undefined;
    while (waiting.length > 0) {
      const ms = isHurried ? 0 : pauseMs(waiting.length);
      if (ms > 0) {
        pause = new AbortController();
        // Rejects only if it is cut short.
        await setTimeout(ms, undefined, { signal: pause.signal, ref: false }).catch(() => undefined);
      }
      isHurried = false;
      const batch = waiting.splice(0, max);
      try {
        await send(batch.map(({ item }) => item));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    isSending = false;
  };

  return {
    /** Resolves or rejects with the item's batch. */
    add: (item: Item): Promise<void> => {
      const outcome = Promise.withResolvers<void>();
      waiting.push({ item, ...outcome });
      if (!isSending) void sendAll();
      return outcome.promise;
    },
    /** The items that wait now wait for no others. */
    hurry: (): void => {
      isHurried = waiting.length > 0;
      pause.abort();
    },
  };
}

interface Sending<Item, Result> extends Pick<Batching, "max"> {
  /** Sends an item alone. */
  one(item: Item): Promise<Result>;
  /** Sends several with one command. Undefined: the outcome of that item is not known, so `one` is asked again. */
  many(items: Item[]): Promise<ReadonlyArray<Result | undefined>>;
  /** Such items never wait for others, nor others for them. Default: none. */
  isLarge?(item: Item): boolean;
}

/** Sends items in batches, each with one command and an outcome of its own. */
export function shareCommands<Item, Result>({
  one,
  many,
  isLarge = () => false,
  max,
}: Sending<Item, Result>): (item: Item) => Promise<Result> {
  type Waiting = { item: Item; resolve(result: Result | Promise<Result>): void };
  const { add } = inBatches(
    async (batch: Waiting[]) => {
      const items = batch.map(({ item }) => item);
      const [first] = items;
      const results = items.length === 1 && first !== undefined ? [await one(first)] : await many(items);
      for (const [index, { item, resolve }] of batch.entries()) resolve(results[index] ?? one(item));
    },
    { max },
  );
  return async (item) => {
    if (isLarge(item)) return one(item);
    const { promise, resolve } = Promise.withResolvers<Result>();
    await add({ item, resolve });
    return promise;
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
interface Change<Stored extends Document> {
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
