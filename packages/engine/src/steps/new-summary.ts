import { tokensIn } from "../context/estimate.ts";
import { startsTurn } from "../context/fold-plan.ts";
import type { Sized } from "../context/view.ts";
import type { StoredMessage, ThreadSummary, Todo } from "../conversation/conversation.ts";
import { boundOutput, charactersPerToken } from "../prompt/tool-output.ts";

/** The shares of the room for recent messages that instructions and the request of a divided turn may take. */
const shares = { system: 0.25, request: 0.5 } as const;

/**
 * The summary of the folded messages, together with the texts that models must read literally. `kept`: the first
 * message that is not folded. `recent`: in estimated tokens.
 */
export function newSummary(
  text: string,
  through: number,
  { folded, kept, before }: { folded: readonly Sized[]; kept: Sized | undefined; before?: ThreadSummary },
  recent: number,
): ThreadSummary {
  const added = folded.flatMap(({ message }) => (message.role === "system" ? textOf(message) : []));
  const system = newest([...(before?.system ?? []), ...added], recent * shares.system);
  const todos = folded.reduce<Todo[] | undefined>(
    (last, { message }) => todosIn(message) ?? last,
    before?.todos,
  );
  const isDivided = kept !== undefined && !startsTurn(folded.at(-1), kept);
  const request = isDivided ? requestOf(folded, kept, before, recent * shares.request) : undefined;
  return {
    through,
    text,
    ...(system.length > 0 && { system }),
    ...(todos !== undefined && { todos }),
    ...(request !== undefined && { request }),
  };
}

/** The share of the room for a prompt that the text of a summary may take. */
const textShare = 0.5;

/**
 * The summary for a model that may have less room than the one that it was written for. `limit`: for the whole prompt, and
 * `recent`: as above, in estimated tokens.
 */
export function fitted(
  { text, system, request, ...rest }: ThreadSummary,
  { limit, recent }: { limit: number; recent: number },
): ThreadSummary {
  return {
    ...rest,
    text: cut(text, limit * textShare),
    ...(system !== undefined && { system: newest(system, recent * shares.system) }),
    ...(request !== undefined && { request: cut(request, recent * shares.request) }),
  };
}

/** Characters of other scripts take more tokens. */
function cut(text: string, maxTokens: number): string {
  const tokens = tokensIn(text);
  if (tokens <= maxTokens) return text;
  return boundOutput(
    text,
    Math.max(1, Math.floor((maxTokens * text.length) / (tokens * charactersPerToken))),
  );
}

function textOf({ parts }: StoredMessage): string {
  return parts.flatMap((part) => (part.type === "text" ? part.text : [])).join("\n");
}

function todosIn({ parts }: StoredMessage): Todo[] | undefined {
  const last = parts.findLast((part) => part.type === "todo");
  return last?.type === "todo" ? last.todos : undefined;
}

/** The newest different texts for which there is room, in their order. A handler may add the same one in every turn. */
function newest(texts: readonly string[], room: number): string[] {
  const kept = new Set<string>();
  let left = room;
  for (const text of texts.toReversed()) {
    if (text.trim() === "" || kept.has(text)) continue;
    left -= tokensIn(text);
    if (left < 0) break;
    kept.add(text);
  }
  return [...kept].reverse();
}

function requestOf(
  folded: readonly Sized[],
  { message: { executionId } }: Sized,
  before: ThreadSummary | undefined,
  room: number,
): string | undefined {
  const asked = folded.filter(
    ({ message }) => message.role === "user" && message.executionId === executionId,
  );
  if (asked.length === 0) return before?.request;
  const text = asked.map(({ message }) => textOf(message)).join("\n\n");
  return cut(text, room);
}
