import { readCallId, type WaitingCall } from "./call-id.ts";
import { invalid } from "./refusals.ts";
import type { SentFile } from "./sent-file.ts";

/** A piece of the conversation that a client sends. `path`: its place in the body. */
export type Item =
  | { type: "user"; path: string; text: string; files: readonly SentFile[] }
  | { type: "assistant"; path: string; text: string }
  | { type: "call"; path: string; id: string; name: string; arguments: string }
  | { type: "result"; path: string; callId: string; output: string };

/** The results of the calls that one turn waits for. */
export interface Continuation extends Omit<WaitingCall, "toolCallId"> {
  results: ReadonlyArray<{ toolCallId: string; output: string }>;
}

/** A message, and the conversation before it. */
export interface Beginning {
  text: string;
  files: readonly SentFile[];
  earlier: readonly Item[];
}

/**
 * What the last items ask for: results of calls continue the turn that waits for them, a message of a user begins a turn.
 * Throws INVALID_REQUEST for anything else.
 */
export function requestIn(items: readonly Item[], path: string): Continuation | Beginning {
  const last = items.at(-1);
  if (last?.type === "result") return continuationOf(items.slice(lastOther(items, "result") + 1));
  if (last?.type !== "user")
    throw invalid(path, "must end with a message of the user or with results of tool calls");
  const first = lastOther(items, "user") + 1;
  const messages = items.slice(first).filter((item) => item.type === "user");
  return {
    text: messages.map(({ text }) => text).join("\n\n"),
    files: messages.flatMap(({ files }) => files),
    earlier: items.slice(0, first),
  };
}

function lastOther(items: readonly Item[], type: Item["type"]): number {
  return items.findLastIndex((item) => item.type !== type);
}

function continuationOf(items: readonly Item[]): Continuation {
  const results: Array<{ toolCallId: string; output: string }> = [];
  let place: WaitingCall | undefined;
  for (const item of items) {
    if (item.type !== "result") continue;
    const call = readCallId(item.callId);
    if (call === undefined) throw invalid(item.path, "must name a tool call of a response of this server");
    place ??= call;
    if (call.executionId !== place.executionId || call.sessionId !== place.sessionId)
      throw invalid(item.path, "must name a tool call of the same response as the others");
    results.push({ toolCallId: call.toolCallId, output: item.output });
  }
  if (place === undefined) throw invalid("", "must contain a result");
  return { sessionId: place.sessionId, executionId: place.executionId, results };
}

/** The items as the stored messages of a session. Their ids follow from their places. */
export function storedMessages(items: readonly Item[], now: Date): object[] {
  const messages: Array<{ role: string; parts: object[] }> = [];
  const outputs = new Map(
    items.flatMap((item) => (item.type === "result" ? [[item.callId, item.output]] : [])),
  );
  const partsFor = (role: "user" | "assistant") => {
    const last = messages.at(-1);
    if (last?.role === role && role === "assistant") return last.parts;
    const parts: object[] = [];
    messages.push({ role, parts });
    return parts;
  };
  for (const [index, item] of items.entries()) {
    if (item.type === "user") partsFor("user").push(...textParts(item.text), ...item.files.map(filePart));
    else if (item.type === "assistant") partsFor("assistant").push(...textParts(item.text));
    else if (item.type === "call")
      partsFor("assistant").push(callPart(item, `call_${index}`, outputs.get(item.id)));
  }
  const createdAt = now.toISOString();
  return messages.map((message, index) => ({ ...message, id: `msg_${index}`, createdAt }));
}

function textParts(text: string): object[] {
  return text === "" ? [] : [{ type: "text", text }];
}

function filePart(file: SentFile): object {
  return { type: "file", ...file };
}

function callPart(
  { path, name, arguments: text }: Extract<Item, { type: "call" }>,
  toolCallId: string,
  result: string | undefined,
): object {
  const call = { type: "tool-call", toolCallId, toolName: name, args: argumentsIn(text, path) };
  return result === undefined ? { ...call, status: "cancelled" } : { ...call, status: "done", result };
}

function argumentsIn(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid(path, "must have arguments that are JSON");
  }
}
