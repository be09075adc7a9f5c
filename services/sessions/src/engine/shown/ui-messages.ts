import { asObject } from "../conversation/call-arguments.ts";
import type { Conversation, StoredMessage, StoredPart, ToolCallPart } from "../conversation/conversation.ts";
import { mainThread, shownId } from "../conversation/messages.ts";
import { toolVisibility } from "./display.ts";
import type { UiMessage, UiPart, UiToolCall } from "./ui-message.ts";

export interface UiOptions {
  /** `ui` omits messages without visible parts. `full` lists them without parts, and adds `content` and `visible`. */
  view?: "full" | "ui";
}

/**
 * The messages of a conversation that users see. Both views follow `display`: a session can be read with a token for
 * untrusted clients, so content that is hidden live must be hidden here too. Neither contains messages that are only
 * for the model (system, `visible: false`, hidden and independent turns, messages added to named threads).
 *
 * Output on a named thread follows its block's display, as it does live: with `stream` its parts appear in the turn's
 * message, in chronological order, each with `thread`; clients decide whether to show them. With `name`, `title` and
 * `description`, an operation part with `thread` represents them.
 */
export function toUiMessages(conversation: Conversation, { view }: UiOptions = {}): UiMessage[] {
  const shown = new Map<string, UiMessage>();
  for (const message of conversation.messages) addMessage(shown, message);
  const messages = [...shown.values()];
  for (const message of messages) finishShown(message);
  if (view === "ui") return messages.filter(isWorthShowing);
  return view === "full" ? messages.map(withContent) : messages;
}

/** Clients of the full view read the text from `content` and skip what is not `visible`. Hidden parts are not here. */
function withContent(message: UiMessage): UiMessage {
  const parts = message.parts.map((part) => ({ ...part, visible: true }));
  const content = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  return { ...message, parts, content, visible: isWorthShowing(message) };
}

/** A turn in progress is shown from its beginning, so that users see that something is happening. */
function isWorthShowing({ parts, status }: UiMessage): boolean {
  return parts.length > 0 || status === "streaming";
}

/** Whether users see a stored message that is for everyone: the same rule without making the parts. */
export function showsAnything({ parts, status, uiText }: StoredMessage): boolean {
  return status === "streaming" || uiText !== undefined || parts.some(showsPart);
}

function showsPart(part: StoredPart): boolean {
  switch (part.type) {
    case "text":
    case "reasoning":
      return part.text !== "";
    case "tool-call":
      return toolVisibility[part.display].name;
    case "operation":
      return part.display !== "hidden";
    case "step-start":
      return false;
    case "object":
    case "todo":
    case "file":
    case "source":
      return true;
    default:
      return part satisfies never;
  }
}

function addMessage(shown: Map<string, UiMessage>, message: StoredMessage): void {
  const { role, status, createdAt, sender, audience, thread } = message;
  if (role === "system" || audience === "model") return;
  const id = shownId(message);
  const parts = thread === mainThread ? partsOf(message) : onThread(partsOf(message), thread);
  const whole = shown.get(id);
  if (whole === undefined) shown.set(id, { id, role, parts, status, createdAt, ...(sender && { sender }) });
  else {
    whole.status = status;
    for (const part of parts) addPart(whole, part);
  }
}

/** A list that is written again stays where it was, as it does live, although its first part may have been sealed. */
function addPart({ parts }: UiMessage, part: UiPart): void {
  const list =
    part.type === "todo"
      ? parts.find(({ type, thread }) => type === "todo" && thread === part.thread)
      : undefined;
  if (list === undefined) parts.push(part);
  else Object.assign(list, part);
}

function onThread(parts: readonly UiPart[], thread: string): UiPart[] {
  return parts.map((part) => ({ ...part, thread }));
}

function partsOf({ parts, uiText }: StoredMessage): UiPart[] {
  if (uiText === undefined) return parts.flatMap(toUiPart);
  const others = parts.filter(({ type }) => type !== "text").flatMap(toUiPart);
  return [{ type: "text", text: uiText, status: "done" }, ...others];
}

function toUiPart(part: StoredPart): UiPart[] {
  switch (part.type) {
    case "text":
    case "reasoning":
      // Encrypted reasoning has no words, but goes back to its provider.
      if (part.text === "") return [];
      return [{ type: part.type, text: part.text, status: part.status }];
    case "tool-call":
      return toUiCall(part);
    case "operation": {
      const { display, ...operation } = part;
      return display === "hidden" ? [] : [operation];
    }
    case "object": {
      const { id, typeName, object, status } = part;
      return [{ type: "object", id, typeName, status, ...(object !== undefined && { object }) }];
    }
    case "todo":
      return [{ type: "todo", todos: part.todos, status: part.status }];
    case "file":
    case "source":
    case "step-start":
      return [{ ...part }];
    default:
      return part satisfies never;
  }
}

/** The last column of the display table: a re-read never shows more than this. */
function toUiCall(part: ToolCallPart): UiToolCall[] {
  const sees = toolVisibility[part.display];
  if (!sees.name) return [];
  const { toolCallId, toolName, title, result, error, status } = part;
  return [
    {
      type: "tool-call",
      toolCallId,
      toolName,
      displayName: title ?? toolName,
      // Clients require an object even if the display hides the arguments.
      args: sees.args ? asObject(part.args) : {},
      ...(sees.resultOnReread && result !== undefined && { result }),
      ...(sees.resultLive && error !== undefined && { error }),
      status,
    },
  ];
}

function finishShown({ parts, status }: UiMessage): void {
  trimSteps(parts);
  // The turn goes on with the list, whichever stored message contains it.
  for (const part of parts) if (part.type === "todo" && status === "streaming") part.status = "running";
}

/** Hidden steps leave separators with nothing between them. */
function trimSteps(parts: UiPart[]): void {
  const kept = parts.filter(
    ({ type }, index) => type !== "step-start" || (index > 0 && parts[index - 1]?.type !== "step-start"),
  );
  while (kept.at(-1)?.type === "step-start") kept.pop();
  parts.splice(0, parts.length, ...kept);
}
