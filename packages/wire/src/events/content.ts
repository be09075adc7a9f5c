import { json, list, object, oneOf, optional, Type, text } from "../schema/index.ts";
import { event, fileFields, interrupted, whereabouts } from "./fields.ts";

const id = text("Unique in the stream; the same in start, deltas and end.");

const todo = object("Todo", "An entry of the to-do list.", {
  id: text("Unique in the list."),
  content: text("The task."),
  status: oneOf("Its progress.", ["pending", "in_progress", "completed", "cancelled"]),
});

/** Events about what the assistant writes and shows. */
export const contentEvents = {
  "text-start": event("text-start", "A text starts.", {
    id,
    responseType: optional(
      text("The type that the definition declares; the text is then JSON of that type."),
    ),
    ...whereabouts,
  }),
  "text-delta": event("text-delta", "The text continues.", {
    id,
    delta: text("What to append."),
    ...whereabouts,
  }),
  "text-end": event("text-end", "The text is complete.", {
    id,
    invalid: optional(
      Type.Literal(true, {
        description: "The text has a `responseType`, but is not valid JSON of that type.",
      }),
    ),
    ...interrupted,
    ...whereabouts,
  }),
  "reasoning-start": event("reasoning-start", "Reasoning of the model starts.", { id, ...whereabouts }),
  "reasoning-delta": event("reasoning-delta", "The reasoning continues.", {
    id,
    delta: text("What to append."),
    ...whereabouts,
  }),
  "reasoning-end": event("reasoning-end", "The reasoning is complete.", {
    id,
    ...interrupted,
    ...whereabouts,
  }),
  "file-available": event(
    "file-available",
    "A file can be shown or downloaded. Sent for the files of a tool result, to readers who see the result. Each reader gets a `url` that works for a day.",
    {
      ...fileFields,
      toolCallId: optional(text("The tool call that returned it.")),
      ...whereabouts,
    },
  ),
  "resource-update": event("resource-update", "A resource of the session has a new value.", {
    name: text("The resource's name in the definition."),
    value: json("Its new value."),
    ...whereabouts,
  }),
  source: event("source", "The model cites a source.", {
    sourceType: oneOf("What kind of source it is.", ["url", "document"]),
    id: text("Unique in the stream."),
    url: optional(text("Its address; always set for a `url`.")),
    title: optional(text("Its title; always set for a `document`.")),
    mediaType: optional(text("The media type of a `document`.")),
    filename: optional(text("The file name of a `document`.")),
    ...whereabouts,
  }),
  "todo-update": event("todo-update", "The to-do list has changed.", {
    todos: list("The whole list.", todo),
    ...whereabouts,
  }),
};
