import { Type } from "typebox";
import { idField, openObject } from "./common.ts";
import { dynamicToolSchemas, toolResults } from "./tools.ts";

export const executeAgentBody = Type.Object({
  type: Type.Enum(["start", "continue"]),
  input: Type.Optional({ ...openObject, description: "For start: the input that the definition declares." }),
  dynamicToolSchemas: Type.Optional(dynamicToolSchemas),
  executionId: Type.Optional({
    ...idField,
    description: "Required for continue: the id from the `start` event.",
  }),
  toolResults: Type.Optional({
    ...toolResults,
    description: "Required for continue. Calls without an entry are cancelled.",
  }),
});
