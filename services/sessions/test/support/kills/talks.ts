import type { ScriptedStep } from "@muster/models/testing";

/** A turn that is killed somewhere: the steps of the model, until the turn ends. */
export interface Talk {
  name: string;
  steps: ScriptedStep[];
  /** More than any of its streams has. */
  maxEvents: number;
  /** It has at least so many before the first half of its last text. */
  minEvents: number;
  /** The tools that its caller executes. */
  tools: string[];
}

const slowly = { chunkDelayMs: 1 };
const todo = (status: string) => ({
  toolCall: { name: "platform_todo_write", arguments: { todos: [{ content: "Look", status }] } },
});
/** Finished messages are archived once 32 KiB of them have gathered. */
const longText = Array.from({ length: 24 }, (_, index) => `${index} ${"words ".repeat(90)}`);

export const talks: readonly Talk[] = [
  {
    name: "a long answer",
    steps: [{ parts: [{ reasoning: "Let me think about it." }, { text: longText }], ...slowly }],
    maxEvents: 45,
    minEvents: 10,
    tools: [],
  },
  {
    name: "a turn of several steps",
    steps: [
      { parts: [{ text: "I will look." }, todo("pending")], ...slowly },
      { parts: [{ reasoning: "Now." }, todo("in_progress")], ...slowly },
      { parts: [{ text: longText.slice(0, 6) }, todo("completed")], ...slowly },
      { parts: [{ text: "I have looked everywhere." }], ...slowly },
    ],
    maxEvents: 60,
    minEvents: 25,
    tools: [],
  },
  {
    name: "a turn that its caller continues with results",
    steps: [
      {
        parts: [
          { reasoning: "Both." },
          { text: "One moment." },
          {
            toolCalls: [
              { name: "get-order", arguments: { number: "7" } },
              { name: "send-mail", arguments: { to: "Ann" } },
            ],
          },
        ],
        ...slowly,
      },
      { parts: [{ text: longText.slice(0, 8) }], ...slowly },
    ],
    maxEvents: 50,
    minEvents: 20,
    tools: ["get-order", "send-mail"],
  },
];
