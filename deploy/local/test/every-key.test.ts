import assert from "node:assert/strict";
import { record } from "@muster/testing";
import { test } from "vitest";
import { startTestServer } from "./support/server.ts";

/** Every key of the language, in an agent that answers a plain message: it lists much that the message does not need. */
const everything = {
  settings: { slug: "everything", name: "Everything", format: "interactive" },
  protocol: `
input:
  MODEL: { type: string, default: demo/echo, description: The model, enum: [demo/echo] }
  FILES: { type: "file[]", optional: true }
variables:
  TEXT: { type: string, default: none, readonly: false }
  ANSWER: { type: Answer }
  MADE: { type: file }
resources:
  STATE: { type: string, default: new }
types:
  Answer: { text: { type: string }, kind: { type: string, enum: [a, b] }, note: { type: Item, optional: true } }
  Note: { kind: { type: string, const: note }, tags: { type: array, items: { type: string } } }
  Task: { kind: { type: string, const: task }, done: { type: boolean } }
  Item: { anyOf: [Note, Task], discriminator: kind }
tools: { find: { description: Finds, parameters: { name: { type: string, optional: true } }, display: title, title: Finding } }
workers: { research: { description: Researches, display: stream, title: Research, tools: { find-it: find } } }
mcpServers: { tracker: { description: Issues, source: remote, display: name, connection: lazy, execution: device, contextRetention: { toolResults: { retainLast: 5 } } } }
onDemandMcpServers: { remote: { description: Others, display: name, execution: device } }
skills: { charts: { description: Draws, display: name, execution: sandbox } }
onDemandSkills: { description: Others, display: name }
capabilities: { mail: { description: Sends mail, default: true, tools: [find], mcpServers: [tracker], skills: [charts] } }
triggers: { say: { description: Says, input: { TEXT_IN: { type: string } } } }
agent:
  model: MODEL
  backupModel: MODEL
  system: system
  input: [TEXT]
  tools: [find]
  workers: [research]
  mcpServers: [tracker]
  skills: [charts]
  references: [returns]
  agentic: true
  maxSteps: 5
  temperature: 0.5
  thinking: low
  cache: extended
  maxOutputTokens: 500
  maxToolOutputTokens: 500
  loopGuard: true
  webSearch: true
  imageModel: openai/gpt-image-1
  todoList: true
  contextManagement: { summarizerWorker: research, thresholdPercent: 0.8, recentPercent: 0.2 }
  speed: fast
  maxImageDimension: 1568
  sandboxTimeout: 600000
  speechModel: elevenlabs/eleven_v3
  speechVoice: alloy
  transcriptionModel: openai/whisper-1
  videoModel: google/veo-3.1-generate-preview
  onDemandMcpServers: [remote, device, consumer]
  onDemandSkills: true
  anthropic: { tools: { web-search: { display: description, title: Search, description: Searching } }, skills: { pdf: { type: anthropic, version: latest, display: name } } }
handlers:
  say:
    Open: { block: start-thread, thread: side, system: system, input: [TEXT], maxSteps: 2 }
    Note it: { block: add-message, role: system, prompt: note, visible: false }
    Add it: { block: add-message, role: user, prompt: message, input: [TEXT_IN], files: [FILES], uiContent: TEXT_IN, description: Adds, title: Adds }
    Answer: { block: next-message, output: TEXT, display: stream }
    Keep it: { block: set-resource, resource: STATE, value: TEXT }
    Hand over: { block: add-message, thread: side, role: user, prompt: message, input: [TEXT_IN: TEXT] }
    Fill: { block: next-message, thread: side, responseType: Answer, independent: true, output: ANSWER }
    Write down: { block: serialize-thread, thread: main, format: markdown, output: TEXT }
`,
  prompts: [
    { name: "system", content: "You repeat. {{TEXT}}" },
    { name: "message", content: "{{TEXT_IN}}" },
    { name: "note", content: "A note." },
  ],
  references: [{ name: "returns", description: "Returns", content: "30 days." }],
};

test("an agent with every key of a thread runs: a key that a turn does not need never fails it", async (t) => {
  const { client } = await startTestServer(t);
  const agentId = await client.field("agentId", 201, "POST", "/api/agents", everything);
  const sessionId = await client.field("sessionId", 201, "POST", "/api/agent-sessions", { agentId });
  for (const TEXT_IN of ["Hello", "And again"]) {
    const events = await client.trigger(sessionId, { triggerName: "say", input: { TEXT_IN } });
    assert.deepEqual(
      events.filter(({ type }) => type === "error"),
      [],
    );
    assert.equal(events.at(-1)?.finishReason, "stop");
  }
  const { variables, resources } = await client.json(200, "GET", `/api/agent-sessions/${sessionId}`);
  assert.match(String(record(resources).STATE), /You said: And again/);
  assert.match(String(record(variables).TEXT), /Hello/);
  assert.equal(typeof record(variables).ANSWER, "object");
});
