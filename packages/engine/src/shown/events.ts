import type { EventOf, EventType } from "@muster/wire/events";

export type FinishReason = EventOf<"finish">["finishReason"];

/** All events of a turn. Ids are unique in the stream; every `-start` has its `-end`. */
export type StreamEvent = OuterEvent | CardEvent | InnerEvent;

type OuterType = "start" | "finish" | "error" | "persisted" | "tool-request" | "approval-request";

type CardType =
  | "worker-input-start"
  | "worker-input-delta"
  | "worker-input-ready"
  | "worker-start"
  | "worker-result";

/** Events that nothing in the engine causes. */
type OtherType = "usage";

/** Events about the whole stream. */
export type OuterEvent = EventOf<OuterType>;

/** Events about a worker as seen from outside. */
export type CardEvent = EventOf<CardType>;

/** The place of an event in a turn: on a named thread, inside a worker. */
export interface Whereabouts {
  thread?: string;
  workerId?: string;
}

/** Events while blocks run. */
export type InnerEvent = EventOf<Exclude<EventType, OuterType | CardType | OtherType>>;
