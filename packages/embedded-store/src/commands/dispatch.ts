import { nearestDouble } from "../bson/numbers.ts";
import { doc } from "../bson/plain.ts";
import { show } from "../bson/show.ts";
import { T } from "../bson/types.ts";
import { type Doc, double, isNumber } from "../bson/value.ts";
import { notSupported, StoreError } from "../errors.ts";
import type { Store } from "../store.ts";
import { CommandArguments } from "./arguments.ts";
import { type Command, ReplyWithImage } from "./command.ts";
import { commands } from "./registry.ts";

/**
 * Runs the command returned by `read` and returns its reply, `ok: 0` for a refusal. Throws only other errors
 * (the disk is full, a fault in this server): then the caller must roll back, because the command may be
 * half-done.
 */
export function execute(store: Store, read: () => Doc): Doc {
  try {
    const body = read();
    const name = body.firstName() ?? "";
    const command = commands.get(name);
    if (!command) throw new StoreError("CommandNotFound", `no such command: '${name}'`);
    const args = new CommandArguments(body, name);
    if (command.fields !== "any") args.allowOnly(command.fields, true);
    refuseTransactions(body);
    checkConcerns(args);
    store.database.limitTime(args.count("maxTimeMS", 0));
    store.database.freesSpace = command.freesSpace?.(args) ?? false;
    return runOnce(store, command, args);
  } catch (error) {
    if (error instanceof StoreError) return errorReply(error);
    throw error;
  }
}

// A resent write is served from the log. A write that changed nothing is not logged: running it again is
// harmless.
function runOnce(store: Store, command: Command, args: CommandArguments): Doc {
  const write = command.retryable ? retryKey(args) : undefined;
  const earlier = write && store.retries.find(write.session, write.number);
  if (earlier) return earlier;
  const before = store.database.writes;
  const result = command.run(store, args);
  const { reply, image } = result instanceof ReplyWithImage ? result : { reply: result, image: undefined };
  reply.set("ok", double(1));
  if (write && store.database.writes !== before)
    store.retries.record(write.session, write.number, reply, image);
  return reply;
}

function retryKey(args: CommandArguments): { session: Buffer; number: bigint } | undefined {
  const number = args.value("txnNumber");
  if (number === undefined) return undefined;
  const id = args.doc("lsid")?.get("id");
  if (number.type !== T.int64 || id?.type !== T.binary) {
    throw new StoreError("InvalidOptions", "txnNumber must be a long and needs an lsid");
  }
  if (number.value < 0n) throw new StoreError("InvalidOptions", "txnNumber must not be negative");
  return { session: id.value.bytes, number: number.value };
}

function refuseTransactions(body: Doc): void {
  if (body.has("startTransaction") || body.has("autocommit")) throw notSupported("A transaction");
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
  if (level.type === T.string && level.value === "snapshot")
    throw notSupported("The read concern 'snapshot'");
  if (level.type !== T.string) throw new StoreError("TypeMismatch", "'readConcern.level' must be a string");
  throw new StoreError("BadValue", `The read concern level ${show(level)} is not a valid value`);
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
  return commands.get(name)?.freesSpace?.(new CommandArguments(body, name)) ?? false;
}

/** Converts a refusal to a command's reply. */
export function errorReply(error: StoreError): Doc {
  const fields = { ok: double(0), errmsg: error.message, code: error.code, codeName: error.codeName };
  return doc({ ...fields, ...Object.fromEntries(error.details) });
}
