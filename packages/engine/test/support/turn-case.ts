import assert from "node:assert/strict";
import type { InteractiveProgram } from "@muster/language";
import { describe, test } from "vitest";
import type { Input } from "../../src/boundary/machine.ts";
import { toUiMessages } from "../../src/shown/ui-messages.ts";
import { lines, play } from "./play.ts";

export interface TurnCase {
  title: string;
  program: InteractiveProgram;
  inputs: Input[];
  /** The events for the reader, one line each. */
  events: string[];
  /** For each message: its role, with a star while it is streaming, then its parts as `type:text:status`. */
  messages: string[];
  outcome: string;
}

/** The events of a turn whose first block adds a message, up to the output of the second one. */
export const opening = [
  "start msg_1",
  "block-start Add hidden",
  "block-end",
  "block-start Answer stream true",
];

/** The events of an output that arrives in one piece. */
export function streamed(kind: "text" | "reasoning", id: string, output: string): string[] {
  return [`${kind}-start ${id}`, `${kind}-delta ${id} ${output}`, `${kind}-end ${id}`];
}

/** The events of a tool call that is shown with its progress. */
export function called(id: string, name: string, args: string): string[] {
  return [
    `tool-input-start ${id} ${name} About ${name} stream`,
    `tool-input-delta ${id} ${args}`,
    `tool-input-end ${id}`,
    `tool-input-available ${id} ${name} ${args}`,
  ];
}

export function testTurns(subject: string, cases: readonly TurnCase[]): void {
  describe(subject, () => {
    for (const { title, program, inputs, events, messages, outcome } of cases) {
      test(title, () => {
        const played = play(program, inputs);
        assert.deepEqual(lines(played.events), events);
        assert.deepEqual(
          toUiMessages(played.machine.conversation, { view: "ui" }).map(messageLine),
          messages,
        );
        assert.equal(played.outcome, outcome);
      });
    }
  });
}

function messageLine({ role, status, parts: shown }: ReturnType<typeof toUiMessages>[number]): string {
  const words = shown.map((part) => {
    switch (part.type) {
      case "text":
      case "reasoning":
        return `${part.type}:${part.text}:${part.status}`;
      case "tool-call":
        return `${part.type}:${part.toolName}:${part.status}`;
      case "operation":
        return `${part.type}:${part.name}:${part.status}`;
      case "file":
      case "source":
      case "object":
      case "todo":
      case "worker":
      case "step-start":
        return part.type;
      default:
        return part satisfies never;
    }
  });
  return [status === "streaming" ? `${role}*` : role, ...words].join(" ");
}
