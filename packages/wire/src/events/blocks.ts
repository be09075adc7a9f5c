import { flag, inline, integer, list, object, oneOf, optional, Type, text } from "../schema/index.ts";
import { display, event, fileFields, interrupted, whereabouts } from "./fields.ts";

const step = integer("The number of the step within the block; the first is 1.", { minimum: 1 });

const addedMessage = object("AddedMessage", "The message that the block has added, if users see it.", {
  id: text("The id of the message."),
  role: oneOf("Who wrote it.", ["user", "assistant"]),
  parts: list(
    "The content, in order.",
    Type.Union([
      Type.Object({
        type: Type.Literal("text"),
        text: text("The text."),
        status: Type.Literal("done", { description: "Always `done`." }),
      }),
      Type.Object({ type: Type.Literal("file"), ...fileFields }),
    ]),
  ),
  status: Type.Literal("done", { description: "Always `done`." }),
  createdAt: text("When it was created, ISO 8601."),
  sender: optional(
    inline("The author of a user message, if the trigger named one.", {
      id: optional(text("The author's id.")),
      name: optional(text("The author's name.")),
      image: optional(text("The address of a picture of the author.")),
    }),
  ),
});

/** Events about the progress of the handler. */
export const blockEvents = {
  "block-start": event("block-start", "A block of the handler starts.", {
    blockId: text("Unique in the stream."),
    blockName: text("The block's name in the handler."),
    blockType: text("The kind of block, such as `next-message`."),
    display,
    description: optional(text("The block's description for users.")),
    outputToChat: optional(
      flag("Whether the block's text is part of the conversation; absent if it writes none."),
    ),
    independent: optional(
      Type.Literal(true, {
        description: "Nothing of the block remains in the session: its output is only live.",
      }),
    ),
    ...whereabouts,
  }),
  "block-end": event("block-end", "The block has ended.", {
    blockId: text("The id of its `block-start`."),
    summary: optional(text("What it did, for users.")),
    status: optional(
      oneOf(
        "`running`: the block waits for tool results. `cancelled`: the turn ended before the block did. Absent: it has ended.",
        ["running", "cancelled"],
      ),
    ),
    message: optional(addedMessage),
    messageId: optional(
      text(
        "The assistant message in which the turn continues after `message`; absent: in the same as before.",
      ),
    ),
    ...interrupted,
    ...whereabouts,
  }),
  "step-start": event("step-start", "A later model step starts, in the same message.", {
    step,
    ...whereabouts,
  }),
  "step-discard": event(
    "step-discard",
    "Everything since the start of the step is retracted; drop those parts.",
    {
      step,
      blockId: optional(
        text(
          "The block whose start is the start of the step; absent if the step has its own `step-start`, or if it is the latest.",
        ),
      ),
      waiting: optional(
        Type.Literal(true, {
          description:
            "The step follows workers whose `display` hides them, or calls of other systems: everything since the start of the step or the end of `blockId`, whichever came first, is retracted.",
        }),
      ),
      ...whereabouts,
    },
  ),
};
