import { Type } from "typebox";
import { display, event, optional, text, whereabouts } from "./fields.ts";

const step = Type.Integer({
  minimum: 1,
  description: "The number of the step within the block; the first is 1.",
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
      Type.Boolean({
        description: "Whether the block's text is part of the conversation; absent if it writes none.",
      }),
    ),
    ...whereabouts,
  }),
  "block-end": event("block-end", "The block has ended.", {
    blockId: text("The id of its `block-start`."),
    summary: optional(text("What it did, for users.")),
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
      ...whereabouts,
    },
  ),
};
