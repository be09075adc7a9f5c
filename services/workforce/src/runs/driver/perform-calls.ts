import {
  type CallOutcome,
  type Computer,
  ComputerElsewhereError,
  ComputerUnreachableError,
  StaleEpochError,
} from "@muster/computers";
import type { JsonValue } from "@muster/language";
import type { ThreadLog } from "../../events/thread-log.ts";
import type { StoredCall, StoredRequest } from "../../store/thread-document.ts";
import type { ActiveRun } from "../slot/active-run.ts";
import { Broken } from "./broken.ts";
import { persist } from "./persist.ts";
import { callId } from "./stop-commands.ts";

/** The result of a tool call for the session. */
export interface PerformedCall {
  toolCallId: string;
  toolName: string;
  outcome: { case: "resultJson" | "error"; value: string };
}

/** Calls of one request: fewer than the outcomes that a computer remembers, so that none is executed again after a take-over. */
const maxCalls = 150;
/** Characters of a result; a command's output is far shorter. */
const maxResultLength = 2 * 1024 * 1024;
/** Characters of the results of one request, so that a message can contain them. */
const maxResultsLength = 6 * 1024 * 1024;
/** Characters of a command's output in the thread's events. */
const maxStreamedLength = 256 * 1024;

const tooManyCalls = `Only the first ${maxCalls} calls of a step are executed. Make this call again in the next step.`;

const unknownOutcome =
  "The outcome of this call is unknown, because the process that executed it ended. It may have had its effects, in part or " +
  "in full. Check the state before you repeat it.";

/**
 * Executes the calls of a request on the computer, in order. Their ids are stored, so that a process that takes the run over
 * asks for the outcomes of the same calls. Stops between two calls if the run has to stop. `sentSince`: as in `ComputerCall`.
 */
export async function performCalls(
  computer: Computer,
  run: ActiveRun,
  request: StoredRequest,
  log: ThreadLog,
  sentSince?: number,
): Promise<PerformedCall[]> {
  const performed: PerformedCall[] = [];
  let length = 0;
  for (const [index, call] of request.calls.entries()) {
    run.check();
    const { toolCallId, name } = call;
    const problem = problemOf(computer, name, index);
    const outcome =
      problem === undefined
        ? await execute(computer, run, { id: callId(request, index), sentSince }, call, log)
        : { error: problem };
    const shown = bounded(outcome, maxResultsLength - length);
    length += shown.value.length;
    performed.push({ toolCallId, toolName: name, outcome: shown });
  }
  return performed;
}

/** Why a call is not executed, for the model. */
function problemOf({ tools }: Computer, name: string, index: number): string | undefined {
  if (!tools.some((tool) => tool.name === name))
    return `The tool ${name} is not available here: nothing executes it. Continue without it.`;
  return index < maxCalls ? undefined : tooManyCalls;
}

async function execute(
  computer: Computer,
  run: ActiveRun,
  { id, sentSince }: { id: string; sentSince: number | undefined },
  { toolCallId, name, args }: StoredCall,
  log: ThreadLog,
): Promise<CallOutcome> {
  let room = maxStreamedLength;
  const output = ({ stream, text }: { stream: "stdout" | "stderr"; text: string }): void => {
    if (room <= 0) return;
    const shown = text.slice(0, room);
    room -= shown.length;
    log.output(toolCallId, stream, room > 0 ? shown : `${shown}\n[more output is not shown here]\n`);
  };
  const ended = new AbortController();
  // A process that drains allows its calls to end:
  const abort = () => {
    if (run.cause !== "draining") ended.abort(run.stopping.reason);
  };
  run.stopping.addEventListener("abort", abort);
  try {
    run.check();
    const parsed: JsonValue = JSON.parse(args);
    const since = sentSince === undefined ? {} : { sentSince };
    const call = { id, name, args: parsed, epoch: run.driver.epoch, ...since };
    // The computer knows the call, so sending it again after an outage of its store repeats nothing.
    return await persist(run, () => {
      run.check();
      return unlessAbandoned(run, computer.execute(call, output, ended.signal));
    });
  } catch (error) {
    if (ended.signal.aborted && run.cause !== "lost") await computer.abort(id);
    run.check();
    if (error instanceof StaleEpochError) {
      run.newestEpoch = error.newest;
      run.stopNow("lost");
    }
    if (error instanceof ComputerElsewhereError) {
      run.stopNow("draining");
    }
    if (error instanceof ComputerUnreachableError) throw new Broken({ at: "computer" }, { cause: error });
    throw error;
  } finally {
    run.stopping.removeEventListener("abort", abort);
  }
}

async function unlessAbandoned<T>(run: ActiveRun, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abandon = () => reject(run.abandoning.reason);
  run.abandoning.addEventListener("abort", abandon);
  try {
    run.abandoning.throwIfAborted();
    return await Promise.race([work, promise]);
  } finally {
    run.abandoning.removeEventListener("abort", abandon);
    // Its end has no reader.
    work.catch(() => undefined);
  }
}

function bounded(outcome: CallOutcome, room: number): PerformedCall["outcome"] {
  if ("unknown" in outcome) return { case: "error", value: unknownOutcome };
  if ("error" in outcome) return { case: "error", value: outcome.error.slice(0, 10_000).toWellFormed() };
  const value = JSON.stringify(outcome.result);
  if (value.length <= Math.min(maxResultLength, room)) return { case: "resultJson", value };
  return {
    case: "error",
    value: "The result is too large to be returned. It was executed; ask for less of it.",
  };
}
