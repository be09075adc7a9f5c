export type { UiMessage, UiPart, UiToolCall, UiWorker } from "@muster/wire/events";
