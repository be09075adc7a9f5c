export { checkEvent } from "./check-event.ts";
export { type EventOf, type EventType, eventSchemas, isEventType, type StreamEvent } from "./events.ts";
export { schemaName } from "./fields.ts";
