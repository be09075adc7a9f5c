import type { Conversation, StoredMessage, StoredPart, ToolCallPart } from "../conversation/conversation.ts";
import { mainThread, shownId } from "../conversation/messages.ts";
import { toolVisibility } from "./display.ts";
import type { UiMessage, UiPart, UiToolCall } from "./ui-message.ts";

export interface UiOptions {
  /** `ui` leaves out messages in which there is nothing to see; `full`, the default, lists them with no parts. */
  view?: "full" | "ui";
}

/**
 * What people see of a conversation. Both views follow `display`: a session can be read with a token that is
 * meant for untrusted clients, so what is hidden live must be hidden here. Messages for the model alone (system,
 * `visible: false`, hidden and independent turns, what is added to named threads) are in neither.
 *
 * Answers on a named thread follow their block's display, as they do live: with `stream` their parts stand in the
 * message of the turn, in the order in which things happened, each with `thread`; clients decide whether to show
 * them. With `name`, `title` and `description` an operation part with `thread` stands for them.
 */
export function toUiMessages(conversation: Conversation, { view }: UiOptions = {}): UiMessage[] {
  const shown = new Map<string, UiMessage>();
  for (const message of conversation.messages) addMessage(shown, message);
  const messages = [...shown.values()];
  for (const { parts } of messages) trimSteps(parts);
  return view === "ui" ? messages.filter(isWorthShowing) : messages;
}

/** A turn in progress is shown from its beginning, so that people see that something happens. */
function isWorthShowing({ parts, status }: UiMessage): boolean {
  return parts.length > 0 || status === "streaming";
}

function addMessage(shown: Map<string, UiMessage>, message: StoredMessage): void {
  const { role, status, createdAt, sender, audience, thread } = message;
  if (role === "system" || audience === "model") return;
  const id = shownId(message);
  const parts = thread === mainThread ? partsOf(message) : onThread(partsOf(message), thread);
  const whole = shown.get(id);
  if (whole === undefined) shown.set(id, { id, role, parts, status, createdAt, ...(sender && { sender }) });
  else whole.parts.push(...parts);
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

/** The last column of the display table: nothing more than this ever leaves on re-read. */
function toUiCall(part: ToolCallPart): UiToolCall[] {
  const sees = toolVisibility[part.display];
  if (!sees.name) return [];
  const { toolCallId, toolName, title, args, result, error, status } = part;
  return [
    {
      type: "tool-call",
      toolCallId,
      toolName,
      displayName: title ?? toolName,
      ...(sees.args && { args }),
      ...(sees.resultOnReread && result !== undefined && { result }),
      ...(sees.resultLive && error !== undefined && { error }),
      status,
    },
  ];
}

/** Hidden steps leave marks with nothing between them. */
function trimSteps(parts: UiPart[]): void {
  const kept = parts.filter(
    ({ type }, index) => type !== "step-start" || (index > 0 && parts[index - 1]?.type !== "step-start"),
  );
  while (kept.at(-1)?.type === "step-start") kept.pop();
  parts.splice(0, parts.length, ...kept);
}
