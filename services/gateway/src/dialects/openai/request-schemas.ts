import {
  flag,
  list,
  object,
  type Static,
  type TProperties,
  type TSchema,
  Type,
  text,
} from "@muster/wire/schema";
import { jsonTextOf } from "../../edge/body/request-bodies.ts";
import { openObject, openObjectOf } from "../../schemas/common.ts";
import type { toDynamicTool } from "../../schemas/tools.ts";

/** A member that clients leave out, or set to null. */
export function absentOr<Schema extends TSchema>(schema: Schema) {
  const { description = "" }: { description?: string } = schema;
  return Type.Optional(Type.Union([schema, Type.Null()], { description }));
}

/** A function that the client executes. */
export const functionFields = {
  name: text("Its name.", { minLength: 1, maxLength: 64 }),
  description: absentOr(text("What it does, for the model.")),
  parameters: absentOr(openObjectOf("The JSON Schema of its arguments.")),
};

const functionTool = openObject("A function.", functionFields);

/** The same for the turn. */
export function toTool({
  name,
  description,
  parameters,
}: Static<typeof functionTool>): ReturnType<typeof toDynamicTool> {
  const inputSchemaJson = jsonTextOf(parameters ?? { type: "object", properties: {} });
  return { name, description: description ?? "", inputSchemaJson };
}

export const maxItems = 10_000;

/** The members of every request. `toolFields`: where a tool has its `functionFields`. */
export function turnFields<Fields extends TProperties>(toolFields: Fields) {
  const type = Type.Literal("function", { description: "No other tools are known." });
  const tool = openObject("A tool.", { type, ...toolFields });
  return {
    model: text("The agent: `muster/<slug>`, or `muster/<slug>@<version>`.", {
      minLength: 1,
      maxLength: 100,
    }),
    metadata: absentOr(
      openObject("Only `session_id` counts.", {
        session_id: Type.Optional(text("The session to continue.", { minLength: 1, maxLength: 100 })),
      }),
    ),
    stream: absentOr(flag("Whether the response is a stream of events. Default: false.")),
    tools: absentOr(list("Functions that the client executes.", tool, { maxItems: 512 })),
  };
}

/** The body of a request. */
export function openBody<Fields extends TProperties>(title: string, example: object, fields: Fields) {
  const description = "A request as the OpenAI API takes it. It may have more members.";
  return object(title, description, fields, { additionalProperties: true, examples: [example] });
}
