export type { UiMessage, UiPart, UiToolCall, UiWorker } from "@muster/stream-events";
