import { Type } from "@muster/wire/schema";
import { idField, openObjectOf } from "./common.ts";
import { executeExample } from "./examples.ts";
import { dynamicToolSchemas, toolResults } from "./tools.ts";

export const executeAgentBody = Type.Object(
  {
    type: Type.Enum(["start", "continue"], {
      description: "Whether to start an execution or to continue one.",
    }),
    input: Type.Optional(openObjectOf("For start: the input that the definition declares.")),
    dynamicToolSchemas: Type.Optional(dynamicToolSchemas),
    executionId: Type.Optional({
      ...idField,
      description: "Required for continue: the id from the `start` event.",
    }),
    toolResults: Type.Optional({
      ...toolResults,
      description: "Required for continue. Calls without an entry are cancelled.",
    }),
  },
  {
    title: "ExecuteRequest",
    description: "The start or the continuation of an execution.",
    examples: [executeExample],
  },
);
