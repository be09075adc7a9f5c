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
import { openObjectOf } from "../../schemas/common.ts";
import type { toDynamicTool } from "../../schemas/tools.ts";

/** An object of a client that may have more members than are read. */
export function openObject<Fields extends TProperties>(description: string, fields: Fields) {
  return Type.Object(fields, { additionalProperties: true, description });
}

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

/** The limit of every trigger. */
export const bodyLimitBytes = 10 * 1024 * 1024;

export const maxItems = 10_000;

/** The members of every request. `tool`: how it writes a function that the client executes. */
export function turnFields<Tool extends TSchema>(tool: Tool) {
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
