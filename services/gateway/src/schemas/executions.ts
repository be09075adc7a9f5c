import { oneOf, optional } from "@muster/wire/schema";
import { body, idOf, openObjectOf } from "./common.ts";
import { executeExample } from "./examples.ts";
import { dynamicToolSchemas, toolResults } from "./tools.ts";

export const executeAgentBody = body(
  "ExecuteRequest",
  "The start or the continuation of an execution.",
  executeExample,
  {
    type: oneOf("Whether to start an execution or to continue one.", ["start", "continue"]),
    input: optional(openObjectOf("For start: the input that the definition declares.")),
    dynamicToolSchemas: optional(dynamicToolSchemas),
    executionId: optional(idOf("Required for continue: the id from the `start` event.")),
    toolResults: optional({
      ...toolResults,
      description: "Required for continue. Calls without an entry are cancelled.",
    }),
  },
);
