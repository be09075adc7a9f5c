import type { Static } from "@muster/wire/schema";
import { badRequest } from "../../edge/errors/from-any.ts";
import { toToolResult } from "../../schemas/tools.ts";
import { messageInput, type WantedTurn } from "../chat-turn.ts";
import type { chatBody } from "./schemas.ts";

type Body = Static<typeof chatBody>;
type Message = Body["messages"][number];
type Part = Message["parts"][number];

/** `known`: the calls of the last step, if it has decisions. */
type Wanted = WantedTurn & { known?: ReadonlySet<string> };

/** Reads the last message. Throws INVALID_REQUEST if it asks for nothing. */
export function readLastMessage({ messages }: Pick<Body, "messages">): Wanted {
  const at = messages.length - 1;
  const last = messages[at];
  const path = `messages.${at}`;
  if (last?.role === "user") return { type: "begin", trigger: readInput(last, `${path}.parts`) };
  if (last?.role !== "assistant")
    throw badRequest("body", [{ path: `${path}.role`, message: "must be user or assistant" }]);
  return readContinuation(last, `${path}.parts`);
}

function readInput({ parts }: Message, path: string) {
  const texts = parts.flatMap(({ type, text = "" }) => (type === "text" ? [text] : []));
  const files = parts.flatMap((part, index) =>
    part.type === "file" ? [readFile(part, `${path}.${index}`)] : [],
  );
  return messageInput(texts.join("\n"), files);
}

function readFile({ url = "", mediaType = "", filename }: Part, path: string) {
  const isAddress = url.length <= 2_000 && /^https?:/.test(url);
  if (!isAddress) {
    const message = "must be a download URL of this server or a public https address: upload the file first";
    throw badRequest("body", [{ path: `${path}.url`, message }]);
  }
  return { id: url.slice(0, 200), mediaType, url, ...(filename !== undefined && { filename }) };
}

function readContinuation({ parts }: Message, path: string): Wanted {
  const begin = parts.findLastIndex(({ type }) => type === "step-start");
  const calls = parts.slice(begin + 1);
  const decisions = calls.flatMap(decisionIn);
  const known = new Set(calls.flatMap(({ toolCallId }) => toolCallId ?? []));
  if (decisions.length > 0) return { type: "decide", decisions, known };
  const toolResults = calls.flatMap(resultIn);
  if (toolResults.length > 0) return { type: "continue", trigger: { toolResults } };
  const message = "must have results or decisions of the turn's tool calls in its last step";
  throw badRequest("body", [{ path, message }]);
}

function decisionIn({ state, approval }: Part) {
  if (state !== "approval-responded" || approval?.approved === undefined) return [];
  const { id, approved, reason = "" } = approval;
  return [{ id, decision: approved ? "approve" : "deny", message: reason }];
}

function resultIn({ toolCallId, state, output, errorText, providerExecuted }: Part) {
  if (toolCallId === undefined || providerExecuted === true) return [];
  if (state === "output-available") return [toToolResult({ toolCallId, result: output ?? null })];
  if (state !== "output-error") return [];
  return [toToolResult({ toolCallId, error: errorText || "The call has failed." })];
}
