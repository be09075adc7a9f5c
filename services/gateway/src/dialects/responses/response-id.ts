import { createHash } from "node:crypto";
import { HttpProblem } from "../../edge/errors/http-problem.ts";
import type { Continuation } from "../openai/conversation.ts";

/** A response as its id names it: no other place says where it belongs. */
export interface ResponsePlace {
  sessionId: string;
  executionId: string;
  /** The message that the turn writes. */
  messageId: string;
  /** The last message before the turn. Absent: it is the first turn. */
  lastMessageId?: string;
  /** The part of its turn. `0`: the first, before any results. */
  part: string;
  /** The number of the event before its first one. Above 0 once decisions have continued the turn. */
  after: number;
  model: string;
  /** It keeps running without its reader. */
  background: boolean;
}

const encode = (text: string) => Buffer.from(text).toString("base64url");
const decode = (text: string) => Buffer.from(text, "base64url").toString();

export function responseIdOf({ model, background, lastMessageId = "", ...place }: ResponsePlace): string {
  const { sessionId, executionId, messageId, part, after } = place;
  const kept = background ? "b" : "f";
  const named = [sessionId, executionId, messageId, encode(lastMessageId), part, after, kept, encode(model)];
  return `resp_${named.join(".")}`;
}

const pattern =
  /^resp_(ses_\w{1,64})\.(exe_\w{1,64})\.(msg_\w{1,64})\.([\w-]{0,300})\.([\w-]{1,16})\.(\d{1,9})\.([bf])\.([\w-]{1,200})$/;

/** The part of a turn that results begin. Calls of one turn have different ids, so each part has its own name. */
export function partAfter({ results }: Pick<Continuation, "results">): string {
  const ids = results.map(({ toolCallId }) => toolCallId).toSorted();
  return createHash("sha256").update(JSON.stringify(ids)).digest("base64url").slice(0, 16);
}

/** Throws NOT_FOUND for anything else than an id of `responseIdOf`. */
export function readResponseId(id: string): ResponsePlace {
  const [, sessionId, executionId, messageId, last, part, after, kept, model] = pattern.exec(id) ?? [];
  if (!sessionId || !executionId || !messageId || !part || !model)
    throw new HttpProblem("NOT_FOUND", "The response does not exist in this project.");
  return {
    ...{ sessionId, executionId, messageId, part },
    ...(last && { lastMessageId: decode(last) }),
    after: Number(after),
    background: kept === "b",
    model: decode(model),
  };
}
