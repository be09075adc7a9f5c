import type { JsonValue } from "@muster/language";
import { integer, optional, type TProperties, Type, text } from "../schema/index.ts";

/** The name of an entry's schema: `tool-call` is `ToolCallEntry`. */
export function entrySchemaName(type: string): string {
  return `${type.replace(/(?:^|-)(\w)/g, (_match, letter: string) => letter.toUpperCase())}Entry`;
}

/** Set by the log, not by the recorder of an entry. */
const identity = {
  id: text("The id of the entry."),
  sequence: integer("Rises from entry to entry of a session, in all executions. Numbers have gaps."),
  timestamp: text("When it happened, in ISO 8601.", { format: "date-time" }),
  executionId: text("The execution that it belongs to."),
};

const place = {
  thread: optional(text("The named thread; absent for the main conversation.")),
  blockName: optional(text("The block that was running.")),
  workerId: optional(text("The worker that was running; absent outside workers.")),
  shortened: optional(
    Type.Literal(true, {
      description: "A text or value is not whole. The entry by its id has all that is stored of it.",
    }),
  ),
};

const exampleIdentity = {
  id: "log_3nKq8ZtV0bHs7dYw_2",
  sequence: 1_048_578,
  timestamp: "2026-11-22T09:30:00.000Z",
  executionId: "exe_0mJ4c2Vd8hQx",
};

/** An entry; `title` becomes the name of its schema in the OpenAPI document. */
export function entry<const Name extends string, Fields extends TProperties>(
  type: Name,
  description: string,
  fields: Fields,
  example: Readonly<Record<string, JsonValue>>,
) {
  return Type.Object(
    { type: Type.Literal(type), ...identity, ...place, ...fields },
    { title: entrySchemaName(type), description, examples: [{ type, ...exampleIdentity, ...example }] },
  );
}
