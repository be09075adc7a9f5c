export { type EventOf, type EventType, eventSchemas, isEventType, type StreamEvent } from "./events.ts";
export { schemaName } from "./fields.ts";
export { EventFold, type FoldOptions, foldEvents } from "./fold/fold.ts";
export type { FoldView } from "./fold/part-list.ts";
export { parseObjectText, parsePartialJson } from "./fold/partial-json.ts";
export type {
  UiMessage,
  UiObject,
  UiOperation,
  UiPart,
  UiText,
  UiTodo,
  UiTodoList,
  UiToolCall,
  UiWorker,
} from "./fold/ui-message.ts";
export { threadEventSchemas } from "./thread-events.ts";
