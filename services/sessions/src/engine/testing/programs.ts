import type {
  AddMessageBlock,
  Block,
  Display,
  InteractiveProgram,
  JsonValue,
  NextMessageBlock,
  PromptUse,
  SetResourceBlock,
  ThreadConfig,
  ToolCallBlock,
  VariableSpec,
} from "@muster/protocol";

/** Small programs for tests, with one trigger `go` whose input is TEXT. */
export interface ProgramParts {
  blocks: Block[];
  agent?: Partial<ThreadConfig>;
  /** Display of each declared tool. All are offered to the model. */
  tools?: Record<string, Display>;
  titles?: Record<string, string>;
  defaults?: Record<string, JsonValue>;
}

const anyObject = { type: "object" };
const text: VariableSpec = { type: { kind: "string" }, schema: { type: "string" }, optional: false };

export function programOf({
  blocks,
  agent,
  tools = {},
  titles = {},
  defaults = {},
}: ProgramParts): InteractiveProgram {
  const handler = blocks.map((block, index) => ({ ...block, id: `go/${index}` }));
  return {
    format: "interactive",
    input: {},
    variables: Object.fromEntries(
      Object.entries(defaults).map(([name, value]) => [name, { ...text, default: value }]),
    ),
    resources: {},
    tools: Object.fromEntries(
      Object.entries(tools).map(([name, display]) => [name, toolOf(name, display, titles[name])]),
    ),
    agent: {
      model: { id: "demo/main" },
      tools: Object.keys(tools),
      agentic: true,
      maxSteps: 5,
      ...agent,
    },
    triggers: { go: { input: { TEXT: text } } },
    handlers: { go: handler },
  };
}

function toolOf(name: string, display: Display, title: string | undefined) {
  return {
    name,
    description: `About ${name}`,
    display,
    inputSchema: anyObject,
    ...(title !== undefined && { title }),
  };
}

/** A prompt that says `words` and then the value of the variable, if one is named. */
export function promptOf(words: string, variable?: string): PromptUse {
  const said = { kind: "text" as const, text: words };
  if (variable === undefined) return { name: "prompt", template: [said], input: [] };
  const value = { kind: "value" as const, name: "VALUE", raw: "{{VALUE}}" };
  return { name: "prompt", template: [said, value], input: [{ name: "VALUE", source: variable }] };
}

const common = { id: "", thread: "main" };

export function say(words: string, more: Partial<AddMessageBlock> = {}): AddMessageBlock {
  return {
    ...common,
    kind: "add-message",
    name: "Add",
    display: "hidden",
    role: "user",
    visible: true,
    prompt: promptOf(words),
    ...more,
  };
}

export function ask(more: Partial<NextMessageBlock> = {}): NextMessageBlock {
  return { ...common, kind: "next-message", name: "Answer", display: "stream", independent: false, ...more };
}

export function use(tool: string, more: Partial<ToolCallBlock> = {}): ToolCallBlock {
  return { ...common, kind: "tool-call", name: "Use", display: "description", tool, input: [], ...more };
}

export function put(resource: string, value: string, more: Partial<SetResourceBlock> = {}): SetResourceBlock {
  return { ...common, kind: "set-resource", name: "Put", display: "name", resource, value, ...more };
}
