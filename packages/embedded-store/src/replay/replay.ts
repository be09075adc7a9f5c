import type { Document } from "bson";
import { errorCodes } from "../errors.ts";
import type { Recorded } from "./read-recording.ts";
import { canonical, resultOf } from "./result.ts";

/** A result that MongoDB did not return and that is not a plain refusal. */
export interface Difference {
  readonly operation: Recorded;
  readonly expected: string;
  readonly actual: string;
}

export interface Replay {
  /** Number of operations with MongoDB's own result. */
  same: number;
  /** Number of refusals as not supported (238), by message. */
  readonly refused: Map<string, number>;
  readonly differences: Difference[];
}

/** Runs a command and returns its reply, with numbers in their exact types. */
export type Run = (command: Document) => Document | Promise<Document>;

/**
 * Replays recorded operations and compares the results, including the documents after every write. After a
 * refusal or a difference it stores the recorded documents, so that the next operation starts from them. Rounds
 * use collections of their own, so they run concurrently.
 */
export async function replay(server: Run, recording: AsyncIterable<Recorded>): Promise<Replay> {
  const outcome: Replay = { same: 0, refused: new Map(), differences: [] };
  const rounds = new Map<number, Recorded[]>();
  for await (const operation of recording) {
    const round = rounds.get(operation.round);
    if (round) round.push(operation);
    else rounds.set(operation.round, [operation]);
  }
  await Promise.all(Array.from(rounds.values(), (operations) => replayRound(server, operations, outcome)));
  const byPlace = (a: Recorded, b: Recorded) => a.round - b.round || a.seq - b.seq;
  outcome.differences.sort((a, b) => byPlace(a.operation, b.operation));
  return outcome;
}

async function replayRound(server: Run, operations: readonly Recorded[], outcome: Replay): Promise<void> {
  for (const operation of operations) await replayOne(server, operation, outcome);
}

async function replayOne(server: Run, operation: Recorded, outcome: Replay): Promise<void> {
  const reply = await run(server, operation.command);
  const expected = resultOf(operation.answer, operation.compare);
  const actual = resultOf(reply, operation.compare);
  const refusal = refusalOf(reply);
  const problem = await settle(server, operation);
  if (refusal !== undefined) outcome.refused.set(refusal, (outcome.refused.get(refusal) ?? 0) + 1);
  else if (expected === actual && !problem) outcome.same++;
  else if (expected !== actual) outcome.differences.push({ operation, expected, actual });
  else if (problem) outcome.differences.push({ operation, ...problem });
}

// The recording has an error's code as `error`.
async function run(server: Run, command: Document): Promise<Document> {
  const reply = await server(command);
  return Number(reply.ok) === 1 ? reply : { ...reply, error: Number(reply.code) };
}

function refusalOf(reply: Document): string | undefined {
  const errors: Document[] = reply.error === undefined ? (reply.writeErrors ?? []) : [reply];
  const refusal = errors.find(({ error, code }) => Number(error ?? code) === errorCodes.NotImplemented);
  return refusal && String(refusal.errmsg);
}

/** More than a recorded collection has, so that one batch has all documents. */
const maxDocuments = 100_000;

type Problem = Pick<Difference, "expected" | "actual"> | undefined;

/** Compares the documents with those after MongoDB's write and stores the recorded ones if they differ. */
async function settle(server: Run, operation: Recorded): Promise<Problem> {
  const { after } = operation;
  if (!after) return undefined;
  const name = namespaceOf(operation);
  const { cursor } = await run(server, { find: name, sort: { _id: 1 }, batchSize: maxDocuments });
  const found: Document[] = cursor.firstBatch;
  const expected = after.map(canonical).join("\n");
  const actual = found.map(canonical).join("\n");
  if (expected === actual) return undefined;
  const failure = await restore(server, name, found, after);
  return { expected, actual: failure ? canonical(failure) : actual };
}

function namespaceOf({ command }: Recorded): string {
  return String(Object.values(command)[0]);
}

/** Stores the documents and keeps equal ones, and with them the natural order. Returns the first failure. */
async function restore(
  server: Run,
  name: string,
  found: readonly Document[],
  wanted: readonly Document[],
): Promise<Document | undefined> {
  const wantedIds = new Set(wanted.map(({ _id }) => canonical(_id)));
  const kept = new Map(found.map((document) => [canonical(document._id), canonical(document)]));
  const deletes = found
    .filter(({ _id }) => !wantedIds.has(canonical(_id)))
    .map(({ _id }) => ({ q: { _id: { $eq: _id } }, limit: 1 }));
  const updates = wanted
    .filter((document) => kept.get(canonical(document._id)) !== canonical(document))
    .map((u) => ({ q: { _id: { $eq: u._id } }, u, upsert: true }));
  const removal = deletes.length > 0 ? await run(server, { delete: name, deletes }) : {};
  const storing = updates.length > 0 ? await run(server, { update: name, updates, ordered: false }) : {};
  const [failure] = [removal, storing].flatMap((reply) =>
    reply.error ? [reply] : (reply.writeErrors ?? []),
  );
  return failure && { ...failure, code: Number(failure.code) };
}
