import { Type } from "typebox";
import type { RelayPlan } from "../body/relayed-json.ts";
import { openObject } from "./common.ts";

const toolResult = Type.Object(
  {
    toolCallId: Type.String({ minLength: 1, maxLength: 200 }),
    toolName: Type.Optional(Type.String({ maxLength: 200 })),
    result: Type.Optional(Type.Unknown()),
    error: Type.Optional(Type.String({ maxLength: 32_768 })),
  },
  {
    description:
      "Either result (any JSON value) or error (one sentence for the model); without both, the result is null.",
  },
);

const dynamicTool = Type.Object({
  name: Type.String({ pattern: "^[0-9A-Za-z_-]{1,64}$" }),
  description: Type.String({ maxLength: 10_000 }),
  inputSchema: openObject,
  outputSchema: Type.Optional(openObject),
});

/** Results of the calls that an execution is waiting for. */
export const toolResults = Type.Array(toolResult, { maxItems: 1_000 });

/** Additional tools that the caller executes. */
export const dynamicToolSchemas = Type.Array(dynamicTool, { maxItems: 512 });

/** What triggers and executions pass on without reading it. */
export function relaysOf(body: { properties: object }): RelayPlan {
  return {
    fields: Object.keys(body.properties),
    objects: ["input", "dynamicToolSchemas.*.inputSchema", "dynamicToolSchemas.*.outputSchema"],
    values: ["toolResults.*.result"],
  };
}
