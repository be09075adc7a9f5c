import { Reason, readRpcError } from "@muster/rpc";
import type { StreamError } from "@muster/wire/error-codes";
import type { threadEventSchemas } from "@muster/wire/events";
import type { Static } from "@muster/wire/schema";
import { HttpProblem } from "../../edge/errors/http-problem.ts";
import { threadEvents } from "../../routes/workforce/follow-thread.ts";
import type { Batch } from "../../streams/event-stream.ts";
import { type Encoding, isStreamError, plainEncoding, type RelayedEvent } from "../../streams/frames.ts";
import { relay } from "../../streams/relay.ts";
import { callIdOf } from "../json-rpc.ts";
import { a2aErrorOf, a2aProblem } from "./a2a-problem.ts";
import { ArtifactUpdates } from "./artifact-updates.ts";
import { type Call, deliver, find, type Method, messagesOf, taskIdOf } from "./methods.ts";
import { isSettled, isTerminal, statusOf, type TaskStatus, taskOf } from "./task.ts";

export const sendStreamingMessage: Method = async (call) => stream(call, await deliver(call), isSettled);

export const subscribeToTask: Method = (call) =>
  stream(call, taskIdOf(call), (status) => {
    if (!isTerminal(status)) return false;
    throw a2aProblem("UNSUPPORTED_OPERATION", "The task has ended; read it with GetTask.");
  });

/** Whether the client wants nothing but the task in this state. */
type IsEnough = (status: TaskStatus) => boolean;

async function stream(call: Call, threadId: string, isEnough: IsEnough): Promise<undefined> {
  const source = (signal: AbortSignal) => updates(call, threadId, isEnough, signal);
  await relay(call.context.streams, call.reply, source, { encoding: encodingFor(call) });
}

/** The task, then its changes until its client has nothing to wait for. */
async function* updates(
  call: Call,
  threadId: string,
  isEnough: IsEnough,
  signal: AbortSignal,
): AsyncGenerator<Batch, void, undefined> {
  const { context, request, agentId } = call;
  const shown = context.streams.readerUrls(request);
  const ids = { taskId: threadId, contextId: threadId };
  let known: { artifacts: ArtifactUpdates; state: string; lastSequence: number } | undefined;
  try {
    for await (const batch of threadEvents(context, request, { agentId, threadId }, 0)(signal)) {
      if (known === undefined) {
        // Read after the first message, so that the task includes everything until then.
        const { task, messages, isAll } = await readTask(call, threadId, isEnough);
        yield { events: [eventOf(call, { task }, isAll)] };
        if (isAll) return;
        const { lastSequence } = batch;
        known = { artifacts: new ArtifactUpdates(messages), state: task.status.state, lastSequence };
      }
      let status: TaskStatus | undefined;
      for (const event of shown(batch).events) {
        if (event.type !== "thread-status") known.artifacts.take(event);
        else if (event.sequence > known.lastSequence) status = statusIn(event, threadId);
      }
      const changes = known.artifacts.changes().map((change) => ({ artifactUpdate: { ...ids, ...change } }));
      if (changes.length > 0) yield { events: changes.map((change) => eventOf(call, change, false)) };
      if (status === undefined || status.state === known.state) continue;
      known.state = status.state;
      const isLast = isSettled(status);
      // An event does not say why a thread has failed.
      if (isLast) status = statusOf(await find(call, threadId));
      yield { events: [eventOf(call, { statusUpdate: { ...ids, status } }, isLast)] };
      if (isLast) return;
    }
  } catch (error) {
    if (known !== undefined || readRpcError(error).reason !== Reason.EVENTS_GONE) throw error;
    const { task } = await readTask(call, threadId, isEnough);
    yield { events: [eventOf(call, { task }, true)] };
  }
}

function statusIn({ json }: RelayedEvent, id: string): TaskStatus {
  const { status, waitingFor }: Static<(typeof threadEventSchemas)["thread-status"]> = JSON.parse(json);
  const { type = "", approvalIds = [] } = waitingFor ?? {};
  return statusOf({ id, status, waitingFor: waitingFor && { type, approvalIds } });
}

async function readTask(call: Call, threadId: string, isEnough: IsEnough) {
  const thread = await find(call, threadId);
  const messages = await messagesOf(thread);
  const task = taskOf(thread, messages, call.params.configuration?.historyLength);
  return { task, messages, isAll: isEnough(task.status) };
}

/** `finish`: the access line reports that the stream is complete. */
function eventOf({ request }: Call, result: object, isLast: boolean): RelayedEvent {
  const json = JSON.stringify({ jsonrpc: "2.0", id: callIdOf(request.body), result });
  return { sequence: 0, type: isLast ? "finish" : "update", json };
}

function encodingFor({ request }: Call): Encoding {
  const frame = ({ code = "INTERNAL", message }: StreamError) =>
    `data: ${JSON.stringify(a2aErrorOf(new HttpProblem(code, message), request))}\n\n`;
  return {
    ...plainEncoding,
    added: (events) => events.filter(isStreamError).map(frame).join(""),
    done: "",
  };
}
