import type { Static } from "../schema/index.ts";
import { blockEvents } from "./blocks.ts";
import { contentEvents } from "./content.ts";
import { toolEvents } from "./tools.ts";
import { turnEvents } from "./turn.ts";
import { workerEvents } from "./workers.ts";

/** The schema of every event of a stream, by its `type`. */
export const eventSchemas = {
  ...turnEvents,
  ...blockEvents,
  ...contentEvents,
  ...toolEvents,
  ...workerEvents,
};

export type EventType = keyof typeof eventSchemas;

type ByType = { [Type in EventType]: Static<(typeof eventSchemas)[Type]> };

/** An event of one of the given types. */
export type EventOf<Type extends EventType> = ByType[Type];

/** An event of a stream. */
export type StreamEvent = ByType[EventType];

export function isEventType(type: unknown): type is EventType {
  return typeof type === "string" && Object.hasOwn(eventSchemas, type);
}
