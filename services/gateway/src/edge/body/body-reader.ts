import { availableParallelism } from "node:os";
import { createThreadPool, isLarge, parseInSlices, type ThreadPool } from "@muster/large-data";
import { FairQueue, QueueFullError } from "@muster/service";
import { HttpProblem } from "../errors/http-problem.ts";
import { TickQueue } from "../http/tick-queue.ts";
import type { MemoryOwner } from "../limits/byte-budget.ts";
import type * as tasks from "./body-thread.ts";
import type { Read } from "./body-thread.ts";
import { putBack } from "./large-body.ts";
import { parseJsonBody } from "./parse-json-body.ts";
import { RelayedJson, type RelayPlan } from "./relayed-json.ts";

/** At up to 10 MiB each. Projects take turns. */
const waiting = { waiting: 64, waitingPerOwner: 32 };

/**
 * Reads request bodies, so that they do not block the main loop: small ones are parsed on it as long as a tick has time
 * for them, large ones by another thread. All are judged by `parseJsonBody`.
 */
export interface BodyReader {
  /** `plan`: which values of a large body may stay JSON. Throws HttpProblem. */
  read(bytes: Uint8Array, plan: RelayPlan | undefined, owner: MemoryOwner): unknown;
  close(): Promise<void>;
}

export function createBodyReader(): BodyReader {
  const maxThreads = Math.min(4, Math.max(1, availableParallelism() - 1));
  const threads = createThreadPool<typeof tasks>(new URL("body-thread.ts", import.meta.url), {
    maxThreads,
    maxWaiting: 0,
  });
  const queue = new FairQueue({ running: maxThreads, ...waiting });
  const ticks = new TickQueue();
  return {
    read: (bytes, plan, { projectId, principal }) =>
      isLarge(bytes)
        ? inTurn(() => queue.run(projectId, () => readLarge(threads, bytes, plan), { member: principal }))
        : ticks.run(projectId, principal, () => parseJsonBody(bytes)),
    close: () => threads.close(),
  };
}

async function readLarge(
  threads: ThreadPool<typeof tasks>,
  bytes: Uint8Array,
  plan: RelayPlan | undefined,
): Promise<unknown> {
  const [own, move] = movable(bytes);
  if (plan === undefined)
    return await parseInSlices(accepted(await threads.run("check", { bytes: own }, move)));
  const slim = accepted(await threads.run("slim", { bytes: own, plan }, move));
  return putBack(slim, (text) => new RelayedJson(text));
}

async function inTurn(read: () => Promise<unknown>): Promise<unknown> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof QueueFullError)) throw error;
    throw new HttpProblem("UNAVAILABLE", "Too many large requests are being read. Try again.", {
      cause: error,
      refusedBy: "overload",
    });
  }
}

/** A large buffer usually owns its memory, which can then be handed over instead of copied. */
function movable(bytes: Uint8Array): [Uint8Array, ArrayBuffer[]] {
  const { buffer } = bytes;
  const isOwner = buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength;
  return isOwner ? [new Uint8Array(buffer), [buffer]] : [bytes, []];
}

function accepted<T>(read: Read<T>): T {
  if (read.ok) return read.body;
  const { code, message, issues } = read.refusal;
  throw new HttpProblem(code, message, { issues });
}
