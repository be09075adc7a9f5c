import { createHash } from "node:crypto";
import { HttpProblem } from "../../edge/errors/http-problem.ts";
import type { Beginning, Continuation } from "../openai/conversation.ts";

/** A response as its id names it: no other place says where it belongs. */
export interface ResponsePlace {
  sessionId: string;
  executionId: string;
  /** The message that the turn writes. */
  messageId: string;
  /** The last message before the turn. Absent: it is the first turn. */
  lastMessageId?: string | undefined;
  /** Where it begins in its turn. `0`: at the start; `apr_…`: behind the pause that asked for this approval. */
  part: string;
  model: string;
  /** It keeps running without its reader. */
  background: boolean;
}

const encode = (text: string) => Buffer.from(text).toString("base64url");
const decode = (text: string) => Buffer.from(text, "base64url").toString();

export function responseIdOf({ model, background, lastMessageId = "", ...place }: ResponsePlace): string {
  const { sessionId, executionId, messageId, part } = place;
  const kept = background ? "b" : "f";
  const named = [sessionId, executionId, messageId, encode(lastMessageId), part, kept, encode(model)];
  return `resp_${named.join(".")}`;
}

const pattern =
  /^resp_(ses_\w{1,64})\.(exe_\w{1,64})\.(msg_\w{1,64})\.([\w-]{0,300})\.(\w{1,68})\.([bf])\.([\w-]{1,200})$/;

/** Calls of one turn have different ids, so each part that results begin has its own name. */
export function partOf(request: Beginning | Continuation): string {
  if (!("results" in request)) return "0";
  const ids = request.results.map(({ toolCallId }) => toolCallId).toSorted();
  return createHash("sha256").update(JSON.stringify(ids)).digest("hex").slice(0, 16);
}

/** Throws NOT_FOUND for anything else than an id of `responseIdOf`. */
export function readResponseId(id: string): ResponsePlace {
  const [, sessionId, executionId, messageId, last, part, kept, model] = pattern.exec(id) ?? [];
  if (!sessionId || !executionId || !messageId || !part || !model)
    throw new HttpProblem("NOT_FOUND", "The response does not exist in this project.");
  const lastMessageId = last && { lastMessageId: decode(last) };
  const rest = { part, model: decode(model), background: kept === "b" };
  return { sessionId, executionId, messageId, ...lastMessageId, ...rest };
}
