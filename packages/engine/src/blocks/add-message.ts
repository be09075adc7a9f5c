import type { AddMessageBlock, JsonValue } from "@muster/language";
import type { FilePart, StoredMessage } from "../conversation/conversation.ts";
import { fileRefOf, shownFile } from "../conversation/files.ts";
import { isModelOutput, mainThread, settleMessage } from "../conversation/messages.ts";
import { visibleMessages } from "../turn/output.ts";
import { readVariable, renderPrompt } from "../turn/scope.ts";
import {
  type BlockOutcome,
  closeBlock,
  messagesOfTurn,
  openBlock,
  type Turn,
  timestamp,
} from "../turn/turn.ts";

export function addMessage(turn: Turn, block: AddMessageBlock): void {
  openBlock(turn, block);
  const message = compose(turn, block);
  const before = turn.frame.messageId;
  if (message.audience === "everyone") placeVisible(turn, message);
  else turn.conversation.messages.push(message);
  closeBlock(turn, outcomeOf(turn, message, before));
}

function compose(turn: Turn, block: AddMessageBlock): StoredMessage {
  const { sender, run } = turn.frame;
  const audience = isForUsers(turn, block) ? "everyone" : "model";
  const isOfUser = audience === "everyone" && block.role === "user";
  const isQuestion = isOfUser && !hasQuestion(turn);
  const shown = block.uiContent === undefined ? undefined : readVariable(turn, block.uiContent);
  return {
    // The workforce service names its caller's message as the sender: readers find it under the same id later.
    id: (isQuestion && run && sender?.id) || turn.environment.newId("msg"),
    role: block.role,
    status: "done",
    createdAt: timestamp(turn),
    executionId: turn.frame.executionId,
    thread: block.thread,
    audience,
    ...(shown !== undefined && { uiText: asText(shown) }),
    ...(block.role === "user" && sender !== undefined && run === undefined && { sender }),
    parts: [
      { type: "text", text: renderPrompt(turn, block.prompt), status: "done" },
      ...filesOf(turn, block),
      ...(isQuestion ? filesForPeople(turn, block) : []),
    ],
  };
}

/** Whether the turn has a user's message that users see. */
function hasQuestion(turn: Turn): boolean {
  return messagesOfTurn(turn).some(({ role, audience }) => role === "user" && audience === "everyone");
}

/** Those of a workforce agent's message that the block does not add. */
function filesForPeople(turn: Turn, block: AddMessageBlock): FilePart[] {
  const { files = [] } = turn.frame.run ?? {};
  if (files.length === 0) return [];
  const added = new Set(filesOf(turn, block).map(({ url }) => url));
  return files
    .filter(({ url }) => !added.has(url))
    .map((file) => ({ type: "file", ...file, shownOnly: true }));
}

/** The files of the variables that have a value. */
function filesOf(turn: Turn, { files }: AddMessageBlock): FilePart[] {
  return files
    .flatMap((name) => readVariable(turn, name) ?? [])
    .flatMap((value): FilePart[] => {
      const file = fileRefOf(value);
      return file === undefined ? [] : [{ type: "file", ...file }];
    });
}

/**
 * A message that a handler adds to a named thread is for its model and not part of the chat, regardless of its role. A worker
 * has no chat.
 */
function isForUsers({ program }: Turn, { visible, role, thread }: AddMessageBlock): boolean {
  return program.format === "interactive" && visible && role !== "system" && thread === mainThread;
}

/** The part of it that readers of the stream see. */
function outcomeOf({ frame }: Turn, message: StoredMessage, before: string): BlockOutcome {
  if (message.audience === "model") return {};
  return { ...shownTo(message), ...(frame.messageId !== before && { messageId: frame.messageId }) };
}

/** The same as in the messages that users read later. */
function shownTo({
  id,
  role,
  createdAt,
  sender,
  uiText,
  parts: [part, ...files],
}: StoredMessage): BlockOutcome {
  const text = uiText ?? (part?.type === "text" ? part.text : "");
  const words = text === "" && uiText === undefined ? [] : [{ type: "text", text, status: "done" } as const];
  const parts = [...words, ...files.flatMap((file) => (file.type === "file" ? shownFile(file) : []))];
  if (role === "system" || parts.length === 0) return {};
  return { message: { id, role, parts, status: "done", createdAt, ...(sender && { sender }) } };
}

/**
 * After model output, the turn continues in a new assistant message. Before it, the handler's own operations and
 * tool calls move behind the added message, so that a turn which looks something up first still has a single
 * response, below the question.
 */
function placeVisible(turn: Turn, message: StoredMessage): void {
  const { conversation, frame } = turn;
  const current = visibleMessages(turn);
  if (current.some(({ parts }) => parts.some(isModelOutput))) {
    for (const segment of current) settleMessage(segment);
    frame.messageId = turn.environment.newId("msg");
    conversation.messages.push(message);
    return;
  }
  const own = messagesOfTurn(turn);
  const others = own.filter((other) => !current.includes(other));
  conversation.messages.splice(turn.firstMessage, own.length, ...others, message, ...current);
}

function asText(value: JsonValue): string {
  if (value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
