import type { Display } from "@muster/language";
import type { StoredMessage, StoredPart } from "../conversation/conversation.ts";

/** The parts of a tool call that users see. One row per display mode of the protocol. */
export interface ToolVisibility {
  readonly name: boolean;
  readonly args: boolean;
  /** Arguments while the model is still writing them. */
  readonly argsStream: boolean;
  readonly resultLive: boolean;
  readonly resultOnReread: boolean;
}

export const toolVisibility: Readonly<Record<Display, ToolVisibility>> = {
  hidden: { name: false, args: false, argsStream: false, resultLive: false, resultOnReread: false },
  name: { name: true, args: false, argsStream: false, resultLive: false, resultOnReread: false },
  title: { name: true, args: false, argsStream: false, resultLive: false, resultOnReread: false },
  description: { name: true, args: true, argsStream: false, resultLive: true, resultOnReread: false },
  stream: { name: true, args: true, argsStream: true, resultLive: true, resultOnReread: true },
};

/** How a tool or block is shown. */
export interface Look {
  readonly display: Display;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
}

/** The label shown instead of the name of a tool or block; undefined if only the name is shown. */
export function labelOf({ display, title, description }: Look): string | undefined {
  switch (display) {
    case "hidden":
    case "name":
      return undefined;
    case "title":
      return title;
    case "description":
    case "stream":
      return title ?? description;
    default:
      return display satisfies never;
  }
}

/** Users can follow the output of a next-message block only with `stream`. */
export function showsContent(display: Display): boolean {
  return display === "stream";
}

/** Blocks that are neither hidden nor show their content leave an operation part behind. */
export function showsOperation(display: Display): boolean {
  return display === "name" || display === "title" || display === "description";
}

/** Whether users see a stored message that is for everyone: the same rule without making the parts. */
export function showsAnything({ parts, status, uiText }: StoredMessage): boolean {
  return status === "streaming" || uiText !== undefined || parts.some(showsPart);
}

function showsPart(part: StoredPart): boolean {
  switch (part.type) {
    case "text":
    case "reasoning":
      return part.text !== "";
    case "tool-call":
      return toolVisibility[part.display].name;
    case "operation":
      return part.display !== "hidden";
    case "step-start":
      return part.restored === true;
    case "object":
    case "todo":
    case "file":
    case "source":
      return true;
    default:
      return part satisfies never;
  }
}
