import type { StoredMessage } from "../conversation/conversation.ts";
import type { WorkerCallPart } from "../conversation/worker-call.ts";
import { FieldReader } from "./field-reader.ts";
import type { RestoredPart } from "./restored-part.ts";

/**
 * The card of a worker as the call that started it. For the model of the session, it is a call that it made itself, except
 * that it never called the workers of a worker.
 */
export function restoreWorker(
  part: FieldReader,
  restorePart: (part: FieldReader) => RestoredPart,
): WorkerCallPart {
  const workerId = part.id("workerId");
  const [input, output, error] = [part.json("input"), part.json("output"), part.optionalText("error")];
  const status = part.oneOf("status", ["running", "done", "error", "cancelled"], "done");
  const [title, parentWorkerId] = [part.optionalText("description"), part.optionalText("parentWorkerId")];
  return {
    type: "tool-call",
    toolCallId: workerId,
    toolName: part.name("workerSlug"),
    ...(title !== undefined && { title }),
    display: "stream",
    source: parentWorkerId === undefined ? "llm" : "block",
    args: input ?? {},
    ...(output !== undefined && { result: output }),
    ...(status === "done" && output === undefined && { restored: true as const }),
    ...(error !== undefined && { error }),
    status: status === "running" ? "cancelled" : status,
    worker: {
      workerId,
      ...(input !== undefined && { hasInput: true }),
      ...(parentWorkerId !== undefined && { parentWorkerId }),
      messages: messagesOf(part, workerId, restorePart),
    },
  };
}

/** One message for each run of parts of one thread. Only users read them. */
function messagesOf(
  card: FieldReader,
  id: string,
  restorePart: (part: FieldReader) => RestoredPart,
): StoredMessage[] {
  const messages: StoredMessage[] = [];
  for (const [index, value] of card.list("parts").entries()) {
    const reader = new FieldReader(value, card.pathOf(`parts.${index}`), card.issues);
    if (reader.raw("type") === "worker") {
      reader.refuse("type", "must not be worker: the cards of a worker's own workers stand beside its card");
      continue;
    }
    const { thread, part } = restorePart(reader);
    const last = messages.at(-1);
    if (last?.thread === thread) last.parts.push(part);
    else {
      const fixed = { role: "assistant", status: "done", audience: "everyone", createdAt: "" } as const;
      messages.push({ id, ...fixed, thread, parts: [part] });
    }
  }
  return messages;
}
