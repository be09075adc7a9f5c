import { View } from "@muster/proto/sessions";
import { Reason, readRpcError, relayedFailure } from "@muster/rpc";
import type { WorkforceContext } from "../context.ts";
import type { StoredMessage, ThreadDocument } from "../store/thread-document.ts";
import { isFinal } from "../store/thread-transitions.ts";
import type { Conversation } from "./read-thread.ts";
import { readUsage, type ThreadUsage } from "./read-usage.ts";

const timeoutMs = 10_000;

/**
 * The messages of a thread: those that never ran, those of its session, then those that were accepted and are not part of it yet. The thread was
 * read before, so a message that moves in between is in both, and shown once.
 */
export async function readConversation(
  context: Pick<WorkforceContext, "services" | "callFor">,
  thread: ThreadDocument,
  filesBaseUrl: string,
): Promise<Conversation> {
  const { pieces, usage } =
    thread.turn === 0 ? { pieces: "" } : await readSession(context, thread, filesBaseUrl);
  const before = (thread.neverRan ?? []).map((message) => JSON.stringify(shown(message)));
  const waiting = messagesOutside(thread, pieces).map((message) => JSON.stringify(shown(message)));
  const messagesJson = `[${[...before, ...(pieces === "" ? [] : [pieces]), ...waiting].join(",")}]`;
  return { messagesJson, ...(usage && { usage }) };
}

async function readSession(
  { services, callFor }: Pick<WorkforceContext, "services" | "callFor">,
  { projectId, sessionId, request: call }: ThreadDocument,
  filesBaseUrl: string,
): Promise<{ pieces: string; usage?: ThreadUsage }> {
  // A run that ended at a tool call left its turn paused there, until a later run begins one.
  const request = { sessionId, view: View.UI, isOver: call === null, filesBaseUrl };
  const pieces: string[] = [];
  let usageJson = "";
  try {
    for await (const { session, messagesJson } of services.sessions.getSession(
      request,
      callFor(projectId, { timeoutMs }),
    )) {
      usageJson = session?.usageJson ?? usageJson;
      pieces.push(messagesJson);
    }
  } catch (error) {
    // Its first turn could not be begun.
    if (readRpcError(error).reason === Reason.NOT_FOUND) return { pieces: "" };
    throw relayedFailure(error, "The sessions service does not respond.");
  }
  const usage = readUsage(usageJson);
  return { pieces: pieces.join(""), ...(usage && { usage }) };
}

/** A message has the same id in the session. The message of a turn that has ended is not searched for. */
function messagesOutside(
  { message, inbox, turn, status }: ThreadDocument,
  session: string,
): readonly StoredMessage[] {
  const mayMiss = turn === 0 || session === "" || !isFinal(status);
  const ofTurn = message !== null && mayMiss ? [message] : [];
  return [...ofTurn, ...inbox].filter(({ id }) => !session.includes(`"id":${JSON.stringify(id)}`));
}

function shown({ id, text, files, at }: StoredMessage) {
  return {
    id,
    role: "user",
    parts: [{ type: "text", text, status: "done" }, ...files.map((file) => ({ type: "file", ...file }))],
    status: "done",
    createdAt: at.toISOString(),
  };
}
