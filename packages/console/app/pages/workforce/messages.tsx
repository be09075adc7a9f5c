import type { UiMessage } from "@muster/client";
import type { ReactNode } from "react";
import { useEnd } from "../../parts/use-end.ts";
import { Transcript } from "../sessions/transcript.tsx";

interface Props {
  messages: readonly UiMessage[];
  agentName: string;
  /** The calls that wait for a decision. */
  waiting: ReadonlySet<string>;
  /** Shown after the last message. */
  children: ReactNode;
}

/** The conversation. It follows new messages, unless the reader has scrolled up. */
export function Messages({ messages, agentName, waiting, children }: Props) {
  const { end } = useEnd([messages]);
  return (
    <div
      role="log"
      aria-label="Conversation"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls needs the keyboard
      tabIndex={0}
      className="grid min-h-0 flex-1 grid-cols-[minmax(0,1fr)] content-start gap-4 overflow-auto"
    >
      <Transcript {...{ messages, agentName, waiting }} userName="Task" />
      {children}
      <div ref={end} />
    </div>
  );
}
