import { nearestDouble } from "../bson/numbers.ts";
import { doc } from "../bson/plain.ts";
import { show } from "../bson/show.ts";
import { T } from "../bson/types.ts";
import { type Doc, double, isNumber } from "../bson/value.ts";
import { notSupported, StoreError } from "../errors.ts";
import type { Store } from "../open-store.ts";
import type { Steps } from "../steps.ts";
import type { Database } from "../storage/database.ts";
import { CommandArguments } from "./arguments.ts";
import type { Command } from "./command.ts";
import { commandRegistry } from "./registry.ts";

/** The run of a command whose last writes were undone because the disk is full. */
export interface Continuation {
  /** The result committed before, as the command yielded it. */
  readonly progress: Doc | undefined;
  /** The log of a full disk has room for few. */
  readonly writesPerCommit: number;
}

/**
 * Runs the command returned by `read` in slices and returns its reply, `ok: 0` for a refusal. Throws only other errors
 * (the disk is full, a fault in this server): then the caller must roll back, because the slice may be half-done.
 * `client` is the identity of the connection.
 */
export function* start(
  store: Store,
  read: () => Doc,
  client?: object,
  continuation?: Continuation,
): Steps<Doc> {
  try {
    const body = read();
    const name = body.firstName() ?? "";
    const command = commandRegistry.get(name);
    if (!command) throw new StoreError("CommandNotFound", `no such command: '${name}'`);
    const args = new CommandArguments(body, name);
    if (command.fields !== "any") args.allowOnly(command.fields, true);
    refuseTransactions(body);
    checkConcerns(args);
    return yield* run(store, command, args, client, continuation);
  } catch (error) {
    if (error instanceof StoreError) return errorReply(error);
    throw error;
  }
}

/** Like `start`, but the command runs to completion as one slice. */
export function execute(store: Store, read: () => Doc): Doc {
  const steps = start(store, read);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

function* run(
  store: Store,
  command: Command,
  args: CommandArguments,
  client: object | undefined,
  continuation: Continuation | undefined,
): Steps<Doc> {
  const { database } = store;
  const memory = store.memory.open();
  const limit = limiter(database, command, args, continuation?.writesPerCommit);
  let steps: Steps<Doc> | undefined;
  try {
    limit();
    const { progress } = continuation ?? {};
    const work = { client, memory, pace: database.pace, ...(progress && { progress }) };
    const started = command.run(store, args, work);
    if (!isSteps(started)) return withOk(started);
    steps = started;
    for (;;) {
      const step = steps.next();
      if (step.done) return withOk(step.value);
      yield step.value;
      limit();
    }
  } finally {
    steps?.return(doc({}));
    memory.release();
  }
}

/** The command's own limits, which apply to each of its slices. */
function limiter(
  database: Database,
  command: Command,
  args: CommandArguments,
  writesPerCommit = Number.POSITIVE_INFINITY,
): () => void {
  const deadlineMs = database.pace.deadlineAfter(args.count("maxTimeMS", 0));
  const freesSpace = command.freesSpace?.(args) ?? false;
  return () => {
    database.pace.limitTo(deadlineMs);
    database.freesSpace = freesSpace;
    database.writesPerCommit = writesPerCommit;
  };
}

function withOk(reply: Doc): Doc {
  return reply.set("ok", double(1));
}

function isSteps(started: Doc | Steps<Doc>): started is Steps<Doc> {
  return "next" in started;
}

function refuseTransactions(body: Doc): void {
  if (body.has("startTransaction") || body.has("autocommit")) throw notSupported("A transaction");
  if (body.has("txnNumber")) throw notSupported("A retryable write (set retryWrites=false)");
}

const readLevels = ["local", "available", "majority", "linearizable"];

// Every acknowledged write is on disk and every read sees it, so these levels are satisfied.
function checkConcerns(args: CommandArguments): void {
  const w = concernOf(args, "writeConcern", ["w", "j", "wtimeout", "fsync", "provenance"])?.value("w");
  const isSatisfied =
    w === undefined ||
    (w.type === T.string && w.value === "majority") ||
    (isNumber(w) && [0, 1].includes(nearestDouble(w)));
  if (!isSatisfied) throw notSupported(`The write concern ${show(w)}`);
  const level = concernOf(args, "readConcern", ["level", "afterClusterTime", "provenance"])?.value("level");
  if (level === undefined || (level.type === T.string && readLevels.includes(level.value))) return;
  throw notSupported(`The read concern ${show(level)}`);
}

function concernOf(
  args: CommandArguments,
  name: string,
  fields: readonly string[],
): CommandArguments | undefined {
  const concern = args.doc(name);
  if (!concern) return undefined;
  const parsed = new CommandArguments(concern, name);
  parsed.allowOnly(fields, false);
  return parsed;
}

/** Whether a command frees disk space, so that it can be repeated with the reserve of a full disk. */
export function freesSpace(body: Doc): boolean {
  const name = body.firstName() ?? "";
  return commandRegistry.get(name)?.freesSpace?.(new CommandArguments(body, name)) ?? false;
}

/** Converts a refusal to a command's reply. */
export function errorReply(error: StoreError): Doc {
  const fields = { ok: double(0), errmsg: error.message, code: error.code, codeName: error.codeName };
  return doc({ ...fields, ...Object.fromEntries(error.details) });
}
