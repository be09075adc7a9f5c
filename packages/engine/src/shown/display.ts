import type { Display } from "@muster/language";

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
