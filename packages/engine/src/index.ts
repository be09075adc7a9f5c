export type { Compaction } from "./boundary/compaction.ts";
export {
  type DynamicTool,
  type Frame,
  frameFrom,
  frameOf,
  maxPendingCalls,
  type PendingApproval,
  type PendingToolCall,
  type RunSettings,
} from "./boundary/frame.ts";
export type {
  Decision,
  Effect,
  Input,
  LibraryWorker,
  Machine,
  MachineEnvironment,
  ModelCall,
  NewTurn,
  OpenCall,
  RemoteCall,
  RemoteOutcome,
  RemoteServers,
  RemoteTarget,
  RemoteTool,
  RequestedApproval,
  RunningWorker,
  ToolOutcome,
  WorkerLibrary,
} from "./boundary/machine.ts";
export { messagesAfter, type ReadThreads, summaryOf, threadsReadBy, ViewSearch } from "./context/view.ts";
export type {
  Conversation,
  FileRef,
  Memory,
  StoredMessage,
  StoredPart,
  ThreadSummary,
  ToolCallPart,
} from "./conversation/conversation.ts";
export { addFile, fileRefOf, maxFileTextTokens, type PromptFile, positionOf } from "./conversation/files.ts";
export { finalLength, mainThread, newConversation, settle, shownId } from "./conversation/messages.ts";
export { rollback, rollbackToSummary } from "./conversation/rollback.ts";
export { beginTurn, continueTurn } from "./machine/begin-turn.ts";
export { failureEvents, modelFailureEvent } from "./machine/turn-end.ts";
export { fenceIn } from "./prompt/fence.ts";
export { toPrompt } from "./prompt/prompt.ts";
export { boundOutput, counted } from "./prompt/tool-output.ts";
export { fromUiMessages, Restoration } from "./restore/restore-messages.ts";
export type { RestoreOptions } from "./restore/restore-part.ts";
export { showsAnything } from "./shown/display.ts";
export type { StreamEvent } from "./shown/events.ts";
export { summaryIdOf, summaryMessage } from "./shown/summary-message.ts";
export { toUiMessages, type UiOptions } from "./shown/ui-messages.ts";
export { argumentsHash } from "./tools/approvals.ts";
export { workerLimits } from "./workers/library.ts";
