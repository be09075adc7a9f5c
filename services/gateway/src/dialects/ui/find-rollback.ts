import { Reason, readRpcError } from "@muster/rpc";
import type { Static } from "@muster/wire/schema";
import type { FastifyReply } from "fastify";
import type { GatewayContext } from "../../context.ts";
import { badRequest } from "../../edge/errors/from-any.ts";
import { storedSession } from "../stored-session.ts";
import type { chatBody } from "./schemas.ts";

type Body = Static<typeof chatBody>;
type Rollback = { afterMessageId?: string };

/** A turn that has more messages is found by a read of all of them. */
const newest = 50;

/**
 * The rollback with which the message of a request is sent, so that it replaces an earlier one. Undefined: it replaces
 * nothing. The client's history may be a part of the conversation, so that it alone never removes the whole of it.
 */
export async function findRollback(
  context: GatewayContext,
  reply: FastifyReply,
  sessionId: string,
  { messages: sent, trigger, messageId }: Body,
): Promise<Rollback | undefined> {
  const isRegenerated = trigger === "regenerate-message";
  if (!isRegenerated && messageId === undefined) return undefined;
  // Messages of the assistant have the server's ids, and those of users only after a reload.
  const isOfServer = messageId?.startsWith("msg_") === true;
  const kept = sent.findLast(
    ({ role, id, parts }) =>
      role === "assistant" && id.startsWith("msg_") && parts.some(({ type }) => type !== "step-start"),
  );
  if (messageId !== undefined && !isOfServer && kept !== undefined) return { afterMessageId: kept.id };
  if (isRegenerated || isOfServer) {
    const ids = new Set(sent.map(({ id }) => id));
    const found = await beforeUser(context, reply, sessionId, { messageId, ids, orLast: isRegenerated });
    if (found !== "unknown") return found;
    if (kept !== undefined) return { afterMessageId: kept.id };
  }
  const [first, ...others] = sent.filter(({ role }) => role === "user");
  if (first?.id === messageId && others.length === 0) return {};
  const message = "must have the assistant's message before the one that is replaced, with the server's id";
  throw badRequest("body", [{ path: "messages", message }]);
}

/**
 * Everything before the last message of a user, or the last one up to `messageId`. `ids`: those of the client's messages.
 * Unknown: the session does not contain `messageId`, and the last message must not be taken for it.
 */
async function beforeUser(
  context: GatewayContext,
  reply: FastifyReply,
  sessionId: string,
  { messageId, ids, orLast }: { messageId: string | undefined; ids: ReadonlySet<string>; orLast: boolean },
): Promise<Rollback | undefined | "unknown"> {
  for (const limit of [newest, undefined]) {
    const session = await storedSession(context, reply, { sessionId, limit }).catch(unlessMissing);
    const messages = session?.messages ?? [];
    const last = messages.at(-1);
    // The message that is sent again was refused, and never stored.
    if (messageId === undefined && last?.role === "assistant" && ids.has(last.id)) return undefined;
    const wanted = messages.findIndex(({ id }) => id === messageId);
    const isWhole = limit === undefined || messages.length < limit;
    if (messageId !== undefined && wanted === -1) {
      if (!isWhole) continue;
      if (!orLast) return "unknown";
    }
    const end = wanted === -1 ? messages.length : wanted;
    const at = messages.findLastIndex(({ role }, index) => role === "user" && index <= end);
    const before = messages[at - 1];
    if (before !== undefined) return { afterMessageId: before.id };
    if (isWhole) return at === 0 ? {} : undefined;
  }
  return undefined;
}

/** Nothing was ever stored of a chat whose first message was refused. */
function unlessMissing(error: unknown): undefined {
  if (readRpcError(error).reason !== Reason.NOT_FOUND) throw error;
}
