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
  const lines = sound.protocol.split("\n");
  let left: number = sampleSize.errors;
  for (let turn = 0; left > 0 && turn < sampleSize.lines * mistakes.length; turn++) {
    const [from, to] = mistakes[turn % mistakes.length] ?? ["", ""];
    const index = lines.findIndex((line, at) => line.includes(from) && line === soundLine(at));
    if (index < 0) continue;
    lines[index] = soundLine(index).replace(from, to);
    left -= 1;
  }
  return { ...sound, protocol: lines.join("\n") };

  function soundLine(index: number): string {
    return sound.protocol.split("\n")[index] ?? "";
  }
}

function soundProtocol(): string {
  const text = [...declarations(), ...agent(), ...triggers(), "handlers:"];
  const each = Math.floor((sampleSize.lines - text.length) / 4);
  for (let index = 0; index < 4; index++) text.push(...handler(index, each));
  return [...text, ...times(sampleSize.lines - text.length, () => ["# the end"])].join("\n");
}

function declarations(): string[] {
  return [
    "input:",
    "  COMPANY: { type: string, default: Acme }",
    "  PLAN: { type: string, optional: true, enum: [free, pro, business] }",
    "variables:",
    ...times(10, (i) => [`  NOTE_${i}:`, "    type: string", `    description: What step ${i} found`]),
    "types:",
    ...times(4, (i) => [
      `  Order${i}:`,
      "    id:",
      "      type: string",
      "      description: Its number",
      "    lines: { type: array, items: { type: string } }",
      "    paid: { type: boolean, optional: true }",
    ]),
    "tools:",
    ...times(4, (i) => [
      `  get-order-${i}:`,
      `    description: Reads order ${i} of an account`,
      "    display: title",
      "    title: Looking up",
      "    parameters:",
      "      orderId:",
      "        type: string",
      "        description: Its number",
      "      deep: { type: boolean, optional: true }",
    ]),
  ];
}

function agent(): string[] {
  return [
    "agent:",
    "  model: anthropic/claude-sonnet-4-5",
    "  backupModel: openai/gpt-5",
    "  system: flows/step-0",
    "  input: [COMPANY, { LEVEL: PLAN }]",
    `  tools: [${times(4, (i) => [`get-order-${i}`]).join(", ")}]`,
    "  agentic: true",
    "  maxSteps: 20",
    "  temperature: 0.3",
    "  thinking: low",
  ];
}

function triggers(): string[] {
  return [
    "triggers:",
    ...times(4, (i) => [`  event-${i}:`, "    input:", "      MESSAGE: { type: string }"]),
  ];
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
