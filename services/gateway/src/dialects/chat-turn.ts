import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  type DecideApprovalRequestSchema,
  DisconnectPolicy,
  type LocateChatRequestSchema,
  type TriggerRequestSchema,
} from "@muster/proto/sessions";
import { Reason, readRpcError } from "@muster/rpc";
import type { FastifyRequest } from "fastify";
import { streamCallFor } from "../auth/identity.ts";
import { callFor, type GatewayContext } from "../context.ts";
import { HttpProblem } from "../edge/errors/http-problem.ts";
import { resumed, triggerErrors } from "../routes/sessions/trigger-session.ts";
import { continued, type TurnPlace } from "../streams/continued-turn.ts";
import type { Batch } from "../streams/event-stream.ts";
import type { RelayedEvent } from "../streams/frames.ts";
import type { OpenSource } from "../streams/relay.ts";
import type { TurnBatch } from "../streams/turn-collector.ts";

/** The chat of a client, whose session begins with its first turn. `agentId` or `agentSlug` is set. */
export type Chat = Required<Pick<MessageInitShape<typeof LocateChatRequestSchema>, "chatId">> &
  Pick<MessageInitShape<typeof LocateChatRequestSchema>, "agentId" | "agentSlug" | "subject">;

type TriggerMessage = MessageInitShape<typeof TriggerRequestSchema>;
export type Decision = { id: string } & MessageInitShape<typeof DecideApprovalRequestSchema>;

/** A new turn, or the results or decisions that a turn waits for. */
export type WantedTurn =
  | { type: "begin"; trigger: Pick<TriggerMessage, "inputJson" | "rollback" | "dynamicTools"> }
  | { type: "continue"; trigger: Pick<TriggerMessage, "toolResults"> }
  | { type: "decide"; decisions: Decision[] };

/** The codes with which such turns are refused. */
export const turnErrors = [...triggerErrors, "APPROVAL_DECIDED", "APPROVAL_EXPIRED"] as const;

/** A message, as the input of a trigger without a name. `files`: file references as the API takes them. */
export function messageInput(text: string, files: readonly object[] = []): Pick<TriggerMessage, "inputJson"> {
  return { inputJson: JSON.stringify({ text, ...(files.length > 0 && { files }) }) };
}

export async function sessionOfChat(
  context: GatewayContext,
  request: FastifyRequest,
  chat: Chat,
): Promise<string> {
  const { sessionId } = await context.sessions.locateChat(chat, callFor(context, request));
  return sessionId;
}

/**
 * The turn that a client's message begins, or that its tool results continue. It keeps running if the reader leaves, unless
 * the message says otherwise. The session of `chat` is created if it does not exist.
 */
export function turnOf(
  context: GatewayContext,
  request: FastifyRequest,
  message: TriggerMessage & { sessionId: string },
  chat?: Chat,
): OpenSource<TurnBatch> {
  const { sessions } = context;
  const command = { onDisconnect: DisconnectPolicy.CONTINUE, ...message };
  const { sessionId, wantsResult = false } = message;
  async function* open(signal: AbortSignal): AsyncGenerator<TurnBatch, void, undefined> {
    const trigger = () => sessions.trigger(command, streamCallFor(request, signal))[Symbol.asyncIterator]();
    let batches = trigger();
    let first = await batches.next().catch(async (error: unknown) => {
      if (chat === undefined || readRpcError(error).reason !== Reason.NOT_FOUND) throw error;
      await sessions.createSession(chat, callFor(context, request));
      batches = trigger();
      return batches.next();
    });
    for (; first.done !== true; first = await batches.next()) yield first.value;
  }
  return continued<TurnBatch>(open, resumed(context, request, { wantsResult }), { sessionId });
}

/** The events of the turn that a client wants. Only a new one creates the session of the chat. */
export async function wantedTurn(
  context: GatewayContext,
  request: FastifyRequest,
  sessionId: string,
  wanted: WantedTurn,
  chat: Chat,
): Promise<OpenSource> {
  switch (wanted.type) {
    case "begin":
      return turnOf(context, request, { sessionId, ...wanted.trigger }, chat);
    case "continue":
      return turnOf(context, request, { sessionId, ...wanted.trigger });
    case "decide":
      return decide(context, request, { sessionId }, wanted.decisions);
  }
}

/** Absent `executionId`: the turn that is running or waits. */
type FollowedTurn = Pick<TurnPlace, "sessionId"> & Partial<Pick<TurnPlace, "executionId">>;

/**
 * Decides about calls of one turn, and follows it. Absent `executionId`: any turn. Throws NOT_FOUND for an approval of another
 * session, and what `DecideApproval` throws.
 */
export async function decide(
  context: GatewayContext,
  request: FastifyRequest,
  { sessionId, executionId }: FollowedTurn,
  decisions: readonly Decision[],
): Promise<OpenSource> {
  const options = callFor(context, request);
  const turn: FollowedTurn = { sessionId, ...(executionId && { executionId }) };
  const [decided, open]: [Decision[], Decision[]] = [[], []];
  for (const decision of decisions) {
    const { approval } = await context.sessions.getApproval({ id: decision.id }, options);
    if (approval?.sessionId !== sessionId)
      throw new HttpProblem("NOT_FOUND", `The chat has no approval ${decision.id}.`);
    turn.executionId ??= approval.executionId;
    if (approval.executionId !== turn.executionId)
      throw new HttpProblem("INVALID_REQUEST", "The decisions must be about calls of one turn.");
    (approval.status === "pending" ? open : decided).push(decision);
  }
  // One that is refused because of an earlier decision must not leave others written.
  for (const decision of [...decided, ...open]) await context.sessions.decideApproval(decision, options);
  const approvalIds = decisions.map(({ id }) => id);
  return followedTurn(context, request, turn, approvalIds);
}

/**
 * A turn that has begun, to its end or its next pause. `decided`: approvals that it has waited for; of its events, the `start`
 * and those behind the pause that asked for them. Repeated decisions have the same events.
 */
export function followedTurn(
  context: GatewayContext,
  request: FastifyRequest,
  turn: FollowedTurn,
  decided: readonly string[] = [],
): OpenSource {
  const resume = resumed(context, request, { throughPauses: decided.length > 0 });
  const follow = continued((signal) => resume({ executionId: "", after: 0, ...turn }, signal), resume, turn);
  if (decided.length === 0) return follow;
  const asked = decided.map((id) => `"approvalId":${JSON.stringify(id)}`);
  return (signal) => behindPause(follow(signal), asked);
}

/**
 * The event that asks for the decisions contains one of the texts `asked`. Without such an event, the turn has had its next
 * request: the answer is everything.
 */
async function* behindPause(
  batches: AsyncIterable<Batch>,
  asked: readonly string[],
): AsyncGenerator<Batch, void, undefined> {
  let place: "before" | "asking" | "behind" = "before";
  let withheld: RelayedEvent[] = [];
  for await (const batch of batches) {
    const events = [];
    for (const event of batch.events) {
      const { type, json } = event;
      if (type === "start" || place === "behind") events.push(event);
      else if (type === "finish" && place === "asking") {
        place = "behind";
        withheld = [];
      } else {
        withheld.push(event);
        if (type === "approval-request" && asked.some((text) => json.includes(text))) place = "asking";
      }
    }
    const end = events.findIndex(isPause);
    yield { ...batch, events: end === -1 ? events : events.slice(0, end + 1) };
    if (end !== -1) return;
  }
  if (withheld.length > 0) yield { events: withheld };
}

/** The turn waits for users or services, and its events may continue. Those of one that has ended do not. */
function isPause({ type, json }: RelayedEvent): boolean {
  return type === "finish" && (json.includes('"approvals":') || json.includes('"openCalls":'));
}
