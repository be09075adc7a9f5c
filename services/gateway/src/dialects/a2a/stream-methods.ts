import type { StreamThreadEventsResponse } from "@muster/proto/workforce";
import { Reason, readRpcError } from "@muster/rpc";
import type { StreamError } from "@muster/wire/error-codes";
import { HttpProblem } from "../../edge/errors/http-problem.ts";
import { threadEvents } from "../../routes/workforce/follow-thread.ts";
import type { Batch } from "../../streams/event-stream.ts";
import { type AddedEvent, type Encoding, plainEncoding, type RelayedEvent } from "../../streams/frames.ts";
import { relay } from "../../streams/relay.ts";
import { callIdOf } from "../json-rpc.ts";
import { a2aErrorOf, a2aProblem } from "./a2a-problem.ts";
import { type Call, deliver, find, type Method, messagesOf, taskIdOf } from "./methods.ts";
import { isSettled, isTerminal, statusOf, type Task, type TaskStatus, taskOf } from "./task.ts";
import { type StatusUpdate, TaskUpdates, type Update } from "./task-updates.ts";

export const sendStreamingMessage: Method = async (call) => {
  await stream(call, await deliver(call), isSettled);
  return undefined;
};

export const subscribeToTask: Method = async (call) => {
  const threadId = taskIdOf(call.params);
  await stream(call, threadId, (status) => {
    if (!isTerminal(status)) return false;
    throw a2aProblem("UNSUPPORTED_OPERATION", "The task has ended; read it with GetTask.");
  });
  return undefined;
};

/** Whether the client wants nothing but the task in this state. */
type IsEnough = (status: TaskStatus) => boolean;

async function stream(call: Call, threadId: string, isEnough: IsEnough): Promise<void> {
  const { context, request, reply, agentId } = call;
  const events = threadEvents(context, request, { agentId, threadId }, 0);
  const source = (signal: AbortSignal) => updates(call, threadId, events(signal), isEnough);
  await relay(context.streams, reply, source, { encoding: encodingFor(call) });
}

/** The task, then its changes until its client has nothing to wait for. */
async function* updates(
  call: Call,
  threadId: string,
  source: AsyncIterable<StreamThreadEventsResponse>,
  isEnough: IsEnough,
): AsyncGenerator<Batch, void, undefined> {
  const shown = call.context.streams.readerUrls(call.request);
  let changes: TaskUpdates | undefined;
  try {
    for await (const batch of source) {
      if (changes === undefined) {
        // Read after the first message, so that the task includes everything until then.
        const { task, messages, isAll } = await readTask(call, threadId, isEnough);
        yield { events: [eventOf(call, { task }, isAll)] };
        if (isAll) return;
        changes = new TaskUpdates(task, messages, batch.lastSequence);
      }
      const found: RelayedEvent[] = [];
      for (const event of shown(batch).events) {
        for (const update of changes.take(event)) {
          const isLast = "statusUpdate" in update && isSettled(update.statusUpdate.status);
          found.push(eventOf(call, isLast ? await explained(call, update) : update, isLast));
          if (!isLast) continue;
          yield { events: found };
          return;
        }
      }
      if (found.length > 0) yield { events: found };
    }
  } catch (error) {
    if (changes !== undefined || readRpcError(error).reason !== Reason.EVENTS_GONE) throw error;
    const { task } = await readTask(call, threadId, isEnough);
    yield { events: [eventOf(call, { task }, true)] };
  }
}

async function readTask(call: Call, threadId: string, isEnough: IsEnough) {
  const thread = await find(call, threadId);
  const messages = await messagesOf(thread);
  const task = taskOf(thread, messages, call.params.configuration?.historyLength);
  return { task, messages, isAll: isEnough(task.status) };
}

/** An event does not say why a thread has failed. */
async function explained(call: Call, { statusUpdate }: StatusUpdate): Promise<StatusUpdate> {
  const status = statusOf(await find(call, statusUpdate.taskId));
  return {
    statusUpdate: status.state === statusUpdate.status.state ? { ...statusUpdate, status } : statusUpdate,
  };
}

/** `finish`: the access line reports that the stream is complete. */
function eventOf({ request }: Call, result: Update | { task: Task }, isLast: boolean): RelayedEvent {
  const json = JSON.stringify({ jsonrpc: "2.0", id: callIdOf(request.body), result });
  return { sequence: 0, type: isLast ? "finish" : "update", json };
}

function encodingFor({ request }: Call): Encoding {
  const added: Encoding["added"] = (events) =>
    events
      .filter(isError)
      .map(({ code, message }) => a2aErrorOf(new HttpProblem(code ?? "INTERNAL", message), request))
      .map((response) => `data: ${JSON.stringify(response)}\n\n`)
      .join("");
  return { ...plainEncoding, added, done: "" };
}

function isError(event: AddedEvent): event is StreamError {
  return event.type === "error";
}
