import type { DefinitionSource } from "@muster/language";

export const sampleSize = { lines: 300, prompts: 20, errors: 50 } as const;

/** A valid definition of 300 lines with 20 prompts, typical of a large support agent. */
export function soundDefinition(): DefinitionSource {
  return {
    settings: { slug: "support", name: "Support", format: "interactive" },
    protocol: soundProtocol(),
    prompts: times(sampleSize.prompts, (index) => [
      { name: `flows/step-${index}`, content: promptText(index) },
    ]),
    references: [
      { name: "terms", description: "The terms of service", content: "No refunds.\n".repeat(100) },
    ],
  };
}

/** Mistakes that authors make, each reported once. */
const mistakes: ReadonlyArray<[from: string, to: string]> = [
  ["type: string", "type: strng"],
  ["tool: get-order", "tool: get-ordr"],
  ["role: user", "role: usr"],
  ["block: next-message", "block: next-mesage"],
  ["prompt: flows/step", "prompt: flow/step"],
  ["output: NOTE_", "output: NOT_"],
  ["optional: true", "optinal: true"],
  ["input: [MESSAGE", "input: [MESAGE"],
];

/** The same definition with 50 mistakes in 50 places, evenly spread over their kinds. */
export function brokenDefinition(): DefinitionSource {
  const sound = soundDefinition();
  const soundLines = sound.protocol.split("\n");
  const lines = [...soundLines];
  let left: number = sampleSize.errors;
  for (let turn = 0; left > 0 && turn < sampleSize.lines * mistakes.length; turn++) {
    const [from, to] = mistakes[turn % mistakes.length] ?? ["", ""];
    const at = lines.findIndex((line, index) => line.includes(from) && line === soundLines[index]);
    if (at < 0) continue;
    lines[at] = lines[at]?.replace(from, to) ?? "";
    left -= 1;
  }
  return { ...sound, protocol: lines.join("\n") };
}

function soundProtocol(): string {
  const text = [...declarations(), "handlers:"];
  const each = Math.floor((sampleSize.lines - text.length) / 4);
  for (let index = 0; index < 4; index++) text.push(...handler(index, each));
  return [...text, ...times(sampleSize.lines - text.length, () => ["# the end"])].join("\n");
}

function declarations(): string[] {
  const order = (i: number) => `
  Order${i}:
    id:
      type: string
      description: Its number
    lines: { type: array, items: { type: string } }
    paid: { type: boolean, optional: true }`;
  const tool = (i: number) => `
  get-order-${i}:
    description: Reads order ${i} of an account
    display: title
    title: Looking up
    parameters:
      orderId:
        type: string
        description: Its number
      deep: { type: boolean, optional: true }`;
  const note = (i: number) => `\n  NOTE_${i}:\n    type: string\n    description: What step ${i} found`;
  const trigger = (i: number) => `\n  event-${i}:\n    input:\n      MESSAGE: { type: string }`;
  const many = (count: number, make: (index: number) => string) => times(count, (i) => [make(i)]).join("");
  return `input:
  COMPANY: { type: string, default: Acme }
  PLAN: { type: string, optional: true, enum: [free, pro, business] }
variables:${many(10, note)}
types:${many(4, order)}
tools:${many(4, tool)}
agent:
  model: anthropic/claude-sonnet-4-5
  backupModel: openai/gpt-5
  system: flows/step-0
  input: [COMPANY, { LEVEL: PLAN }]
  tools: [get-order-0, get-order-1, get-order-2, get-order-3]
  agentic: true
  maxSteps: 20
  temperature: 0.3
  thinking: low
triggers:${many(4, trigger)}`.split("\n");
}

/** Exactly `length` lines or a few fewer. */
function handler(index: number, length: number): string[] {
  const blocks: string[] = [`  event-${index}:`];
  for (let i = 0; blocks.length + 7 <= length; i++) {
    blocks.push(
      `    Say ${i}:`,
      "      block: add-message",
      "      role: user",
      `      prompt: flows/step-${(index * 5 + i) % sampleSize.prompts}`,
      "      input: [MESSAGE, COMPANY, { NAME: MESSAGE }]",
      `    Look up ${i}: { block: tool-call, tool: get-order-${index}, input: { orderId: MESSAGE, deep: true }, output: NOTE_${i} }`,
      `    Answer ${i}: { block: next-message, output: NOTE_${i} }`,
    );
  }
  return blocks;
}

function promptText(index: number): string {
  const next = index % 5 === 0 ? `{{@flows/step-${index + 1}}}\n` : "";
  const paragraph =
    "You help the customers of {{COMPANY}} with their orders. Ask for what is missing, one thing at a time.\n" +
    '{{#if LEVEL == "pro"}}They pay for quick answers.{{else if !NAME}}Ask for their name.{{else}}Say {{NAME}}.{{/if}}\n';
  const quoted = "{{#if MESSAGE}}They wrote: {{MESSAGE}}\n{{/if}}";
  return `# Step ${index}\n\n${quoted}${paragraph.repeat(6)}${next}`;
}

function times<T>(count: number, make: (index: number) => T[]): T[] {
  return Array.from({ length: count }, (_, index) => make(index)).flat();
}
