import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { InteractiveProgram } from "@muster/protocol";
import type { Input } from "./machine.ts";
import { toUiMessages } from "./projections/ui-messages.ts";
import {
  abort,
  answer,
  call,
  failed,
  openText,
  parts,
  reasoning,
  results,
  start,
  text,
} from "./testing/model-parts.ts";
import { lines, play } from "./testing/play.ts";
import { ask, programOf, promptOf, put, say, use } from "./testing/programs.ts";

interface Case {
  title: string;
  program: InteractiveProgram;
  inputs: Input[];
  events: string[];
  /** Of each message: its role, then its parts as `type:words:status`. */
  messages: string[];
  outcome: string;
}

const hello = [say("Hello"), ask()];
const cut = parts(openText("Half a sen"));

const cases: Case[] = [
  {
    title: "an answer is streamed inside its block and stored",
    program: programOf({ blocks: hello }),
    inputs: [start, ...answer(reasoning("Hm."), text("Hi!"))],
    events: [
      "start msg_1",
      "block-start Add hidden",
      "block-end",
      "block-start Answer stream true",
      "reasoning-start rsn_1",
      "reasoning-delta rsn_1 Hm.",
      "reasoning-end rsn_1",
      "text-start txt_2",
      "text-delta txt_2 Hi!",
      "text-end txt_2",
      "block-end",
      "finish stop",
    ],
    messages: ["user text:Hello:done", "assistant reasoning:Hm.:done text:Hi!:done"],
    outcome: "finished",
  },
  {
    title: "a turn pauses for a tool and waits as streaming",
    program: programOf({ blocks: hello, tools: { find: "stream" } }),
    inputs: [start, ...answer(text("Let me look."), call("c1", "find", { q: 1 }))],
    events: [
      "start msg_1",
      "block-start Add hidden",
      "block-end",
      "block-start Answer stream true",
      "text-start txt_1",
      "text-delta txt_1 Let me look.",
      "text-end txt_1",
      "tool-input-start c1 find About find stream",
      'tool-input-delta c1 {"q":1}',
      "tool-input-end c1",
      'tool-input-available c1 find {"q":1}',
      "block-end",
      'tool-request [{"toolCallId":"c1","toolName":"find","args":{"q":1},"source":"llm"}]',
      "finish tool-calls",
    ],
    messages: ["user text:Hello:done", "assistant* text:Let me look.:done tool-call:find:running"],
    outcome: "paused",
  },
  {
    title: "results come first in the continued stream, then the next step in the same message",
    program: programOf({ blocks: hello, tools: { find: "stream" } }),
    inputs: [
      start,
      ...answer(call("c1", "find"), call("c2", "find")),
      results({ c2: new Error("no"), c1: 7 }),
      ...answer(text("7")),
    ],
    events: [
      "start msg_1",
      "block-start Add hidden",
      "block-end",
      "block-start Answer stream true",
      "tool-input-start c1 find About find stream",
      "tool-input-delta c1 {}",
      "tool-input-end c1",
      "tool-input-available c1 find {}",
      "tool-input-start c2 find About find stream",
      "tool-input-delta c2 {}",
      "tool-input-end c2",
      "tool-input-available c2 find {}",
      "block-end",
      'tool-request [{"toolCallId":"c1","toolName":"find","args":{},"source":"llm"},{"toolCallId":"c2","toolName":"find","args":{},"source":"llm"}]',
      "finish tool-calls",
      "start msg_1",
      "tool-output-available c1 7",
      "tool-output-error c2 no",
      "block-start Answer stream true",
      "step-start 2",
      "text-start txt_1",
      "text-delta txt_1 7",
      "text-end txt_1",
      "block-end",
      "finish stop",
    ],
    messages: [
      "user text:Hello:done",
      "assistant tool-call:find:done tool-call:find:error step-start text:7:done",
    ],
    outcome: "finished",
  },
  {
    title: "an unknown tool and broken arguments are answered with errors and the loop goes on",
    program: programOf({ blocks: hello, tools: { find: "description" } }),
    inputs: [
      start,
      ...answer(call("c1", "fly"), call("c2", "find", { raw: '{"q"' })),
      ...answer(text("Sorry.")),
    ],
    events: [
      "start msg_1",
      "block-start Add hidden",
      "block-end",
      "block-start Answer stream true",
      "tool-input-start c1 fly description",
      "tool-input-end c1",
      "tool-input-available c1 fly {}",
      'tool-output-error c1 There is no tool named "fly".',
      "tool-input-start c2 find About find description",
      "tool-input-end c2",
      'tool-input-available c2 find {"q"',
      "tool-output-error c2 The arguments are not valid JSON.",
      "step-start 2",
      "text-start txt_1",
      "text-delta txt_1 Sorry.",
      "text-end txt_1",
      "block-end",
      "finish stop",
    ],
    messages: [
      "user text:Hello:done",
      "assistant tool-call:fly:error tool-call:find:error step-start text:Sorry.:done",
    ],
    outcome: "finished",
  },
  {
    title: "a message added after output opens a new assistant message",
    program: programOf({ blocks: [say("Hello"), ask(), say("And?"), ask()] }),
    inputs: [start, ...answer(text("One.")), ...answer(text("Two."))],
    events: [
      "start msg_1",
      "block-start Add hidden",
      "block-end",
      "block-start Answer stream true",
      "text-start txt_1",
      "text-delta txt_1 One.",
      "text-end txt_1",
      "block-end",
      "block-start Add hidden",
      "block-end",
      "block-start Answer stream true",
      "step-start 2",
      "text-start txt_2",
      "text-delta txt_2 Two.",
      "text-end txt_2",
      "block-end",
      "finish stop",
    ],
    messages: [
      "user text:Hello:done",
      "assistant text:One.:done",
      "user text:And?:done",
      "assistant text:Two.:done",
    ],
    outcome: "finished",
  },
  {
    title: "a message for the model alone leaves the assistant message whole",
    program: programOf({ blocks: [say("Hello"), ask(), say("Check it.", { visible: false }), ask()] }),
    inputs: [start, ...answer(text("One.")), ...answer(text("Two."))],
    events: [
      "start msg_1",
      "block-start Add hidden",
      "block-end",
      "block-start Answer stream true",
      "text-start txt_1",
      "text-delta txt_1 One.",
      "text-end txt_1",
      "block-end",
      "block-start Add hidden",
      "block-end",
      "block-start Answer stream true",
      "step-start 2",
      "text-start txt_2",
      "text-delta txt_2 Two.",
      "text-end txt_2",
      "block-end",
      "finish stop",
    ],
    messages: ["user text:Hello:done", "assistant text:One.:done step-start text:Two.:done"],
    outcome: "finished",
  },
  {
    title: "a tool-call block pauses, and its result reaches the next prompt by its variable",
    program: programOf({
      blocks: [use("find", { output: "FOUND" }), say("", { prompt: promptOf("Found: ", "FOUND") }), ask()],
      tools: { find: "description" },
    }),
    inputs: [start, results({ call_3: "gold" }), ...answer(text("Nice."))],
    events: [
      "start msg_1",
      "block-start Use description",
      "tool-input-start call_3 find About find description",
      "tool-input-end call_3",
      "tool-input-available call_3 find {}",
      "block-end",
      'tool-request [{"toolCallId":"call_3","toolName":"find","args":{},"source":"block"}]',
      "finish tool-calls",
      "start msg_1",
      "tool-output-available call_3 gold",
      "block-start Add hidden",
      "block-end",
      "block-start Answer stream true",
      "text-start txt_1",
      "text-delta txt_1 Nice.",
      "text-end txt_1",
      "block-end",
      "finish stop",
    ],
    messages: ["user text:Found: gold:done", "assistant tool-call:find:done text:Nice.:done"],
    outcome: "finished",
  },
  {
    title: "setting a resource is announced and leaves an operation",
    program: programOf({ blocks: [put("CART", "TEXT"), put("SECRET", "TEXT", { display: "hidden" })] }),
    inputs: [start],
    events: [
      "start msg_1",
      "block-start Put name",
      "resource-update CART Hello",
      "block-end",
      "block-start Put hidden",
      "resource-update SECRET Hello",
      "block-end",
      "finish stop",
    ],
    messages: ["assistant operation:Put:done"],
    outcome: "finished",
  },
  {
    title: "an independent answer is streamed outside the chat and not kept",
    program: programOf({
      blocks: [say("Hello"), ask({ independent: true, output: "MOOD" }), put("MOOD", "MOOD")],
    }),
    inputs: [start, ...answer(text("glad"))],
    events: [
      "start msg_1",
      "block-start Add hidden",
      "block-end",
      "block-start Answer stream false",
      "text-start txt_1",
      "text-delta txt_1 glad",
      "text-end txt_1",
      "block-end",
      "block-start Put name",
      "resource-update MOOD glad",
      "block-end",
      "finish stop",
    ],
    messages: ["user text:Hello:done", "assistant operation:Put:done"],
    outcome: "finished",
  },
  {
    title: "a failed step is retracted and retried on the backup model",
    program: programOf({ blocks: hello, agent: { backupModel: { id: "demo/backup" } } }),
    inputs: [start, ...cut, failed(), ...answer(text("Whole."))],
    events: [
      "start msg_1",
      "block-start Add hidden",
      "block-end",
      "block-start Answer stream true",
      "text-start txt_1",
      "text-delta txt_1 Half a sen",
      "text-end txt_1",
      "step-discard 1",
      "text-start txt_2",
      "text-delta txt_2 Whole.",
      "text-end txt_2",
      "block-end",
      "finish stop",
    ],
    messages: ["user text:Hello:done", "assistant text:Whole.:done"],
    outcome: "finished",
  },
  {
    title: "a failure of the backup model too ends the turn with its error and the text so far",
    program: programOf({ blocks: hello, agent: { backupModel: { id: "demo/backup" } } }),
    inputs: [start, failed(), ...cut, failed({ retryAfterMs: 1200 })],
    events: [
      "start msg_1",
      "block-start Add hidden",
      "block-end",
      "block-start Answer stream true",
      "text-start txt_1",
      "text-delta txt_1 Half a sen",
      "text-end txt_1",
      "block-end",
      "error provider_overloaded The provider is overloaded. 2",
    ],
    messages: ["user text:Hello:done", "assistant text:Half a sen:done"],
    outcome: "failed",
  },
  {
    title: "a lasting failure is not retried",
    program: programOf({ blocks: hello, agent: { backupModel: { id: "demo/backup" } } }),
    inputs: [start, failed({ transient: false })],
    events: [
      "start msg_1",
      "block-start Add hidden",
      "block-end",
      "block-start Answer stream true",
      "block-end",
      "error provider_overloaded The provider is overloaded.",
    ],
    messages: ["user text:Hello:done"],
    outcome: "failed",
  },
  {
    title: "an abort keeps the text so far and cancels the calls",
    program: programOf({ blocks: hello, tools: { find: "name" } }),
    inputs: [start, ...parts(openText("Half"), call("c1", "find")), abort],
    events: [
      "start msg_1",
      "block-start Add hidden",
      "block-end",
      "block-start Answer stream true",
      "text-start txt_1",
      "text-delta txt_1 Half",
      "tool-input-start c1 find name",
      "tool-input-end c1",
      "text-end txt_1",
      "block-end",
    ],
    messages: ["user text:Hello:done", "assistant text:Half:done tool-call:find:cancelled"],
    outcome: "aborted",
  },
  {
    title: "calls left without a result are cancelled",
    program: programOf({ blocks: hello, tools: { find: "description" }, agent: { agentic: false } }),
    inputs: [start, ...answer(call("c1", "find")), results({})],
    events: [
      "start msg_1",
      "block-start Add hidden",
      "block-end",
      "block-start Answer stream true",
      "tool-input-start c1 find About find description",
      "tool-input-end c1",
      "tool-input-available c1 find {}",
      "block-end",
      'tool-request [{"toolCallId":"c1","toolName":"find","args":{},"source":"llm"}]',
      "finish tool-calls",
      "start msg_1",
      "tool-output-error c1 The call was cancelled: no result was given.",
      "finish stop",
    ],
    messages: ["user text:Hello:done", "assistant tool-call:find:cancelled"],
    outcome: "finished",
  },
];

describe("a turn", () => {
  for (const { title, program, inputs, events, messages, outcome } of cases) {
    test(title, () => {
      const played = play(program, inputs);
      assert.deepEqual(lines(played.events), events);
      assert.deepEqual(toUiMessages(played.machine.conversation, { view: "ui" }).map(messageLine), messages);
      assert.equal(played.outcome, outcome);
    });
  }
});

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
      default:
        return part.type;
    }
  });
  return [status === "streaming" ? `${role}*` : role, ...words].join(" ");
}
