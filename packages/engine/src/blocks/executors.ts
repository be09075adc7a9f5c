import type {
  BlockOf,
  KindRunYet,
  SerializeThreadBlock,
  SetResourceBlock,
  StartThreadBlock,
} from "@muster/language";
import { serializedJson, serializedMarkdown } from "../prompt/serialize.ts";
import { readVariable, writeVariable } from "../turn/scope.ts";
import { emit, openWaitingBlock, type Turn } from "../turn/turn.ts";
import { addMessage } from "./add-message.ts";
import { callTool, receiveToolResult, receiveWorkerResult, runWorker } from "./block-calls.ts";
import { asOperation, atOnce, type Executor } from "./executor.ts";
import { afterWait, beginNextMessage, reopenNextMessage } from "./next-message.ts";

/** Every kind of block has an entry here, or in `blocksNotRunYet` of the language. */
const executors: { readonly [Kind in KindRunYet]: Executor<BlockOf<Kind>> } = {
  "add-message": atOnce(addMessage),
  "next-message": { begin: beginNextMessage, reopen: reopenNextMessage, endWait: afterWait },
  // Its only result ends it, so the stream that continues does not show it again.
  "tool-call": { begin: callTool, reopen: () => {}, endWait: receiveToolResult },
  "start-thread": asOperation(startThread),
  "serialize-thread": asOperation(serializeThread),
  "set-resource": asOperation(setResource),
  "run-worker": { begin: runWorker, reopen: openWaitingBlock, endWait: receiveWorkerResult },
};

export function executorOf<Kind extends KindRunYet>(kind: Kind): Executor<BlockOf<Kind>> {
  return executors[kind];
}

/** Configures the thread from now on, in later turns too. Its messages stay. */
function startThread({ conversation }: Turn, { thread, id }: StartThreadBlock): void {
  conversation.threads = { ...conversation.threads, [thread]: id };
}

/** A thread without messages becomes an empty text, or an empty list. */
function serializeThread(turn: Turn, { format, output, thread }: SerializeThreadBlock): void {
  const write = format === "json" ? serializedJson : serializedMarkdown;
  writeVariable(turn, output, write(turn.conversation, thread, turn.program.references));
}

/** Every write is announced, regardless of the block's display, because clients keep their resources in step with it. */
function setResource(turn: Turn, { resource, value: name }: SetResourceBlock): void {
  const value = readVariable(turn, name) ?? null;
  turn.conversation.resources[resource] = value;
  emit(turn, { type: "resource-update", name: resource, value });
}
