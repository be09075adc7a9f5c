import type { Computer, ContextRetention } from "../program.ts";
import { type Reader, reader, wrongType } from "../readers/readers.ts";
import { json, oneOf } from "../readers/value-readers.ts";
import { isJsonObject } from "../values/json.ts";

/** Where a skill's scripts or a server's process runs. */
export const computer: Reader<Computer> = oneOf("sandbox", "device");

/** Reads `contextRetention`. The engine does not run it yet, so any map is accepted. */
export const contextRetention: Reader<ContextRetention> = reader(
  { kind: "map", values: { kind: "json" } },
  (node, context) => {
    if (node.kind !== "map") return wrongType(node, context, "a map, such as toolResults: { retainLast: 5 }");
    const value = json.read(node, context);
    return value !== undefined && isJsonObject(value) ? value : undefined;
  },
);

export const contextRetentionDoc = "How much of earlier results stays in the model's context.";
