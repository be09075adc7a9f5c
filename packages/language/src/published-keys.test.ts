import assert from "node:assert/strict";
import { test } from "vitest";
import { blocksNotRunYet } from "./availability.ts";
import { compileDefinition } from "./compile-definition.ts";
import { protocolGrammar } from "./grammar/protocol-grammar.ts";
import type { Format } from "./program.ts";

/** Everything that the rows below refer to. */
const shared = `
input:
  MODEL: { type: string, default: demo/echo, description: The model }
  STEPS: { type: integer, optional: true }
  HEAT: { type: number, optional: true }
  DEPTH: { type: string, default: low, enum: [low, high] }
  PACE: { type: string, default: fast }
  PHOTO: { type: file, optional: true }
  PHOTOS: { type: "file[]", optional: true }
  LINK: { type: string, optional: true }
  LINKS: { type: "string[]", optional: true }
variables:
  TEXT: { type: string, default: none }
  MADE: { type: file }
  ANSWER: { type: Answer }
  ANY: { type: unknown, readonly: false }
resources:
  STATE: { type: string, default: new }
types:
  Answer: { text: { type: string, description: The text }, kind: { type: string, enum: [a, b] }, note: { type: Note, optional: true } }
  Note: { kind: { type: string, const: note }, tags: { type: array, items: { type: string } } }
  Task: { kind: { type: string, const: task }, done: { type: boolean } }
  Item: { anyOf: [Note, Task], discriminator: kind }
  Items: { type: array, items: { type: Item } }
tools:
  find: { description: Finds, parameters: { name: { type: string, description: A name, optional: true } }, display: title, title: Finding }
workers:
  research: { description: Researches, display: stream, title: Research, tools: { find-it: find } }
mcpServers:
  tracker: { description: Issues, source: remote, display: name, connection: lazy }
  browser: { description: A browser, source: device }
  shell: { description: A shell, source: device }
  page: { description: The page, source: consumer, connection: eager }
skills:
  charts: { description: Draws, display: name, execution: device }
  plain:
capabilities:
  mail: { description: Sends mail, default: true, tools: [find], mcpServers: [tracker], skills: [charts] }
`;

/** Sections and keys of sections that not every definition has; each row replaces or adds one. */
const sections = `
mcpServers: { tracker: { description: Issues, source: remote, execution: device, contextRetention: { toolResults: { retainLast: 5 } } } }
mcpServers: { tracker: { description: Issues, source: consumer, execution: sandbox } }
onDemandMcpServers: { remote: { description: Others, display: name, execution: device, contextRetention: { toolResults: { retainLast: 5 } } } }
onDemandMcpServers: { device:, consumer: { description: The page } }
skills: { charts: { description: Draws, display: name, execution: device, contextRetention: { toolResults: { retainLast: 2 } } } }
skills: { charts: { display: title, title: Charts } }
mcpServers: { page: { description: The page, source: consumer, display: title, title: Page } }
resources: { NOTES: { description: What was said, default: "" }, SEEN: { } }
types: { Found: { title: { description: What it is called }, score: { optional: true } } }
tools: { pay: { description: Pays, parameters: { amount: { type: number } }, approval: { ask: { properties: { amount: { exclusiveMinimum: 100 } } }, when: untrusted, title: "Pay {{amount}}", expires: 24h, onExpiry: fail } } }
workers: { research: { description: Researches, approval: deny } }
skills: { charts: { approval: ask } }
mcpServers: { tracker: { description: Issues, source: remote, approval: ask, tools: { "get_*": { approval: allow } } } }
mcpServers: { shell: { description: A shell, source: device, approval: { ask: true } }, files: { description: Files, source: device, tools: { write: { approval: ask } } } }
maxUsd: 0.5
onDemandSkills: { description: Others, display: name, execution: sandbox, contextRetention: { toolResults: { retainLast: 2 } } }
`;

/** Keys of \`agent\` and start-thread, as in the chapter of the specification. */
const threadKeys = `
model: anthropic/claude-sonnet-4-5
model: openai/gpt-5
model: google/gemini-2.5-pro
model: xai/grok-4
model: x-ai/grok-4
model: aggregator/x-ai/grok-4
model: local/qwen3:8b
model: MODEL
backupModel: x-ai/grok-4
backupModel: MODEL
system: system
input: [TEXT]
input: [LABEL: TEXT]
input: { LABEL: TEXT }
tools: [find]
workers: [research]
mcpServers: [tracker, browser, shell, page]
skills: [charts, plain]
references: [returns]
agentic: true
maxSteps: 5
maxSteps: STEPS
temperature: 0.5
temperature: off
temperature: HEAT
thinking: xhigh
thinking: auto
thinking: DEPTH
cache: extended
maxOutputTokens: 1000
maxToolOutputTokens: 1000
loopGuard: true
webSearch: true
imageModel: openai/gpt-image-1
todoList: true
contextManagement: {}
contextManagement: { summarizerWorker: research, thresholdPercent: 0.8, recentPercent: 0.25 }
contextManagement: { thresholdPercent: 80, recentPercent: 25 }
contextManagement: { thresholdPercent: 0.8, recentWindow: 30 }
speed: fast
speed: standard
speed: PACE
maxImageDimension: 1568
sandboxTimeout: 300000
sandboxTimeout: 3600000
speechModel: openai/tts-1
speechModel: elevenlabs/eleven_v3
speechVoice: alloy
transcriptionModel: openai/whisper-1
videoModel: google/veo-3.1-generate-preview
onDemandMcpServers: [remote, device, consumer]
onDemandSkills: true
onDemandSkills: [sandbox]
anthropic: { tools: { web-search: { display: description, title: Search, description: Searching }, code-execution: } }
anthropic: { skills: { pdf: { type: anthropic, version: latest, display: name, title: PDF, description: Reading } } }
anthropic: { skills: { skill_01AbC: { type: custom, version: 20251013 } } }
`;

/** Blocks, each with the keys of its row in the table of blocks. */
const blocks = `
block: add-message, role: user, prompt: say, input: [TEXT], files: [PHOTO, PHOTOS], visible: false, uiContent: TEXT
block: add-message, role: assistant, prompt: say, input: { TEXT: ANY }
block: add-message, role: system, prompt: say, input: [TEXT]
block: next-message, responseType: Answer, independent: true, output: ANSWER
block: next-message, output: TEXT
block: next-message, output: ANY
block: tool-call, tool: find, input: { name: TEXT }, output: ANY
block: tool-call, tool: find, input: [name: TEXT]
block: tool-call, tool: find, input: { name: a literal }
block: start-thread, thread: side, model: demo/echo, system: system, input: [TEXT]
block: serialize-thread, thread: main, format: markdown, output: TEXT
block: serialize-thread, format: json, output: ANY
block: set-resource, resource: STATE, value: TEXT
block: run-worker, worker: research, input: { TOPIC: TEXT, DEEP: true }, output: ANY
block: generate-image, prompt: TEXT, imageModel: openai/gpt-image-1, aspectRatio: "16:9", resolution: 2K, output: MADE
block: generate-image, prompt: TEXT, imageModel: google/imagen-4.0-generate-001, size: 1024x1024, output: TEXT
block: generate-image, prompt: TEXT, imageModel: fal/flux, size: 1792x1024, referenceImages: [PHOTO, PHOTOS, LINK, LINKS]
block: generate-speech, text: TEXT, speechModel: openai/tts-1, voice: alloy, format: mp3, speed: 0.25, output: MADE
block: generate-speech, text: TEXT, speechModel: openai/tts-1, speed: 4, output: TEXT
block: generate-speech, text: TEXT, speechModel: openai/tts-1, instructions: Speak calmly, language: en
block: transcribe-audio, audio: PHOTO, transcriptionModel: openai/whisper-1, language: en, output: TEXT
block: transcribe-audio, audio: LINK, transcriptionModel: openai/whisper-1
block: transcribe-audio, audio: LINK, transcriptionModel: openai/whisper-1, timestamps: true
block: transcribe-audio, audio: LINK, transcriptionModel: openai/whisper-1, timestamps: word
`;

const kinds = Object.keys(protocolGrammar.blocks);

function rows(text: string): string[] {
  return text.split("\n").filter((row) => row !== "");
}

function interactive(agent: string, more: string): string {
  return `${shared}
agent: { ${agent} }
triggers: { go: { description: Goes, input: { MESSAGE: { type: string, optional: true } } } }
handlers:
  go:
${more}    Answer: { block: next-message }
`;
}

function worker(more: string): string {
  return `${shared}
output: TEXT
steps:
${more}    Answer: { block: next-message, thread: work }
`;
}

/** The keys that all blocks have. */
const common = [
  "display: title",
  "title: A title",
  "description: What it does",
  "thread: side",
  "input: []",
  "output: ANY",
];
const prompts = ["system", "say"].map((name) => ({ name, content: "{{TEXT}} {{LABEL}}" }));
const references = [{ name: "returns", description: "How goods are returned", content: "By post." }];

function issuesOf(format: Format, protocol: string) {
  const settings = { slug: "example", name: "Example", format } as const;
  return compileDefinition({ settings, protocol, prompts, references }).issues;
}

function errorsOf(format: Format, protocol: string): string[] {
  return issuesOf(format, protocol)
    .filter(({ severity }) => severity === "error")
    .map(({ path, message }) => `${path}: ${message}`);
}

const model = (key: string) => (key.startsWith("model:") ? "" : "model: anthropic/claude-sonnet-4-5, ");

for (const key of rows(threadKeys)) {
  test(`a definition with \`${key}\` in a thread compiles`, () => {
    const thread = `${model(key)}${key}`;
    assert.deepEqual(errorsOf("interactive", interactive(thread, "")), []);
    const open = `    Open: { block: start-thread, thread: work, ${thread} }\n`;
    assert.deepEqual(errorsOf("interactive", interactive("model: demo/echo", open)), []);
    assert.deepEqual(errorsOf("worker", worker(open)), []);
  });
}

for (const row of rows(sections)) {
  test(`a definition with the section \`${row}\` compiles`, () => {
    const rest = `triggers: { go: }\nhandlers: { go: { Answer: { block: next-message } } }`;
    assert.deepEqual(errorsOf("interactive", `${row}\nagent: { model: demo/echo }\n${rest}`), []);
    const open = "Open: { block: start-thread, thread: work, model: demo/echo }";
    assert.deepEqual(errorsOf("worker", `${row}\nsteps: { ${open} }`), []);
  });
}

for (const row of rows(blocks)) {
  test(`a definition with the block \`${row}\` compiles`, () => {
    const block = `    Block: { ${row} }\n`;
    assert.deepEqual(errorsOf("interactive", interactive("model: demo/echo", block)), []);
  });
}

test("every kind of block that the engine does not run yet is a warning, and no other kind", () => {
  for (const row of rows(blocks)) {
    const block = `    Block: { ${row} }\n`;
    const issues = issuesOf("interactive", interactive("model: demo/echo", block));
    const warned = issues.filter(({ code }) => code === "NOT_AVAILABLE").map(({ path }) => path);
    const [, kind = ""] = /block: ([a-z-]+)/.exec(row) ?? [];
    assert.deepEqual(warned, Object.hasOwn(blocksNotRunYet, kind) ? ["handlers.go.Block.block"] : [], row);
  }
});

test("every key of every kind of block is in one of the rows above", () => {
  for (const [kind, { fields }] of Object.entries(protocolGrammar.blocks)) {
    const own = rows(blocks).filter((row) => row.startsWith(`block: ${kind},`));
    assert.notEqual(own.length, 0, kind);
    const known = [...own, ...rows(threadKeys), ...common].map((row) => ` ${row}`).join(",");
    for (const key of Object.keys(fields)) assert.ok(known.includes(` ${key}: `), `${kind}: ${key}`);
  }
});

for (const kind of kinds) {
  test(`a ${kind} block accepts the keys that all blocks have`, () => {
    const row = rows(blocks).find((each) => each.startsWith(`block: ${kind}`)) ?? "";
    const missing = common.filter((key) => !row.includes(` ${key.split(":")[0]}: `));
    const more = `    Side: { block: start-thread, thread: side }\n    Block: { ${[row, ...missing].join(", ")} }\n`;
    assert.deepEqual(errorsOf("interactive", interactive("model: demo/echo", more)), []);
  });
}
