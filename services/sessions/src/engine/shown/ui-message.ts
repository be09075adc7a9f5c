export type { UiMessage, UiPart, UiToolCall } from "@muster/stream-events";
