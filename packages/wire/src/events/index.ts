export { type EventOf, type EventType, eventSchemas, isEventType, type StreamEvent } from "./events.ts";
export { schemaName } from "./fields.ts";
export { parseObjectText, parsePartialJson } from "./partial-json.ts";
export { threadEventSchemas } from "./thread-event-schemas.ts";
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
} from "./ui-message.ts";
