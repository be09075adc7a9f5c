export type { Compaction } from "./boundary/compaction.ts";
export {
  type DynamicTool,
  type Frame,
  frameFrom,
  frameOf,
  maxPendingCalls,
  type PendingToolCall,
  type RunSettings,
} from "./boundary/frame.ts";
export type {
  Effect,
  Input,
  LibraryWorker,
  Machine,
  MachineEnvironment,
  ModelCall,
  NewTurn,
  RunningWorker,
  ToolOutcome,
  WorkerLibrary,
} from "./boundary/machine.ts";
export { messagesAfter, summaryOf } from "./context/view.ts";
export { type ReadThreads, threadsReadBy, ViewSearch } from "./context/view-search.ts";
export type {
  Conversation,
  FileRef,
  Memory,
  StoredMessage,
  StoredPart,
  ThreadSummary,
  ToolCallPart,
} from "./conversation/conversation.ts";
export { fileRefOf } from "./conversation/file-refs.ts";
export { mainThread, shownId } from "./conversation/messages.ts";
export { newConversation } from "./conversation/new-conversation.ts";
export { rollback, rollbackToSummary } from "./conversation/rollback.ts";
export { finalLength, settle } from "./conversation/settle.ts";
export { beginTurn, continueTurn } from "./machine/begin-turn.ts";
export { failureEvents } from "./machine/turn-end.ts";
export { boundOutput } from "./prompt/bound-output.ts";
export { counted } from "./prompt/counted.ts";
export { addFile, maxFileTextTokens, type PromptFile, positionOf } from "./prompt/files.ts";
export { toPrompt } from "./prompt/prompt.ts";
export { fromUiMessages, Restoration } from "./restore/restore-messages.ts";
export type { RestoreOptions } from "./restore/restore-part.ts";
export type { StreamEvent } from "./shown/events.ts";
export { modelFailureEvent } from "./shown/failure-event.ts";
export { summaryIdOf, summaryMessage } from "./shown/summary-message.ts";
export { showsAnything, toUiMessages, type UiOptions } from "./shown/ui-messages.ts";
export { workerLimits } from "./workers/limits.ts";
