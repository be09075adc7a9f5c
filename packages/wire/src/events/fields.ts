import { count, object, oneOf, optional, type TProperties, Type, text } from "../schema/index.ts";

/** The name of an event's schema: `text-delta` is `TextDeltaEvent`. */
export function schemaName(type: string): string {
  return `${type.replace(/(?:^|-)(\w)/g, (_match, letter: string) => letter.toUpperCase())}Event`;
}

/** An event; `title` becomes the name of its schema in the OpenAPI document. */
export function event<const Name extends string, Fields extends TProperties>(
  type: Name,
  description: string,
  fields: Fields,
) {
  return object(schemaName(type), description, { type: Type.Literal(type), ...fields });
}

/** Where an event inside a turn belongs. */
export const whereabouts = {
  thread: optional(text("The named thread that it belongs to; absent for the main conversation.")),
  workerId: optional(text("The worker that it comes from; absent outside workers.")),
};

/** On the ends that the server adds to a response that it ends early. */
export const interrupted = {
  interrupted: optional(
    Type.Literal(true, {
      description:
        "The response ends early: the server added this end, which is not an event of the turn. If you continue the turn, ignore it.",
    }),
  ),
};

export const display = oneOf("How much of it users see.", [
  "hidden",
  "name",
  "description",
  "stream",
  "title",
]);

/** A file as clients show it. */
export const fileFields = {
  id: text("The id of the file."),
  mediaType: text("Its media type, such as `image/png`."),
  url: text("Where to download it."),
  filename: optional(text("Its name.")),
  size: optional(count("Its size in bytes.")),
};
