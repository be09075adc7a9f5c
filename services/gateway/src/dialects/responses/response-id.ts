import { HttpProblem } from "../../edge/errors/http-problem.ts";

/** A response as its id names it: no other place says where it belongs. */
export interface ResponsePlace {
  sessionId: string;
  executionId: string;
  /** The message that the turn writes. */
  messageId: string;
  /** How often results have continued the turn before. */
  part: number;
  /** The number of the event before its first one. Above 0 once decisions have continued the turn. */
  after: number;
  model: string;
  /** It keeps running without its reader. */
  background: boolean;
}

export function responseIdOf({ model, background, ...place }: ResponsePlace): string {
  const { sessionId, executionId, messageId, part, after } = place;
  const name = Buffer.from(model).toString("base64url");
  return `resp_${[sessionId, executionId, messageId, part, after, background ? "b" : "f", name].join(".")}`;
}

const pattern =
  /^resp_(ses_\w{1,64})\.(exe_\w{1,64})\.(msg_\w{1,64})\.(\d{1,4})\.(\d{1,9})\.([bf])\.([\w-]{1,200})$/;

/** Throws NOT_FOUND for anything else than an id of `responseIdOf`. */
export function readResponseId(id: string): ResponsePlace {
  const [, sessionId, executionId, messageId, part, after, kept, model] = pattern.exec(id) ?? [];
  if (!sessionId || !executionId || !messageId || !model)
    throw new HttpProblem("NOT_FOUND", "The response does not exist in this project.");
  return {
    ...{ sessionId, executionId, messageId },
    part: Number(part),
    after: Number(after),
    background: kept === "b",
    model: Buffer.from(model, "base64url").toString(),
  };
}
