import type { UiMessage } from "@muster/client";

/** A copy of the messages without decisions about calls, which no event carries and no restored message keeps. */
export function withoutApprovals(messages: readonly UiMessage[]): UiMessage[] {
  return JSON.parse(JSON.stringify(messages), (name, value) => (name === "approval" ? undefined : value));
}
