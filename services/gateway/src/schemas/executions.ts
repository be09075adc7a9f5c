import { Type } from "typebox";
import { idField, openObject } from "./common.ts";
import { dynamicToolSchemas, toolResults } from "./tools.ts";

export const executeAgentBody = Type.Object({
  type: Type.Enum(["start", "continue"]),
  input: Type.Optional({ ...openObject, description: "With start: what the definition's input declares." }),
  dynamicToolSchemas: Type.Optional(dynamicToolSchemas),
  executionId: Type.Optional({ ...idField, description: "With continue, required: of the event start." }),
  toolResults: Type.Optional({
    ...toolResults,
    description: "With continue, required. Calls without a result are cancelled.",
  }),
});
