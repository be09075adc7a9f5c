import type {
  AddMessageBlock,
  Block,
  CapabilitySpec,
  Display,
  InteractiveProgram,
  JsonValue,
  McpServerSpec,
  NextMessageBlock,
  PromptUse,
  RunWorkerBlock,
  SerializeThreadBlock,
  SetResourceBlock,
  StartThreadBlock,
  ThreadConfig,
  ToolCallBlock,
  VariableSpec,
  WorkerProgram,
} from "@muster/language";

/** The declarations of small test programs. */
export interface Declared {
  /** Display of each declared tool. All are offered to the model of the main thread. */
  tools?: Record<string, Display>;
  titles?: Record<string, string>;
  /** Display of each declared worker. */
  workers?: Record<string, Display>;
  defaults?: Record<string, JsonValue>;
  /** Content by name. */
  references?: Record<string, string>;
  capabilities?: Record<string, Partial<CapabilitySpec>>;
  /** By namespace; remote by default. */
  mcpServers?: Record<string, Partial<McpServerSpec>>;
  onDemandMcpServers?: InteractiveProgram["onDemandMcpServers"];
}

/** One trigger `go` whose input is TEXT. */
export interface ProgramParts extends Declared {
  blocks: Block[];
  agent?: Partial<ThreadConfig>;
}

export interface WorkerParts extends Declared {
  steps: Block[];
  output?: string;
}

const anyObject = { type: "object" };
const text: VariableSpec = { type: { kind: "string" }, schema: { type: "string" }, optional: false };

export function programOf({ blocks, agent, ...declared }: ProgramParts): InteractiveProgram {
  return {
    ...declarationsOf(declared),
    format: "interactive",
    agent: configOf({ tools: Object.keys(declared.tools ?? {}), ...agent }),
    triggers: { go: { input: { TEXT: text } } },
    handlers: { go: numbered(blocks, "go") },
  };
}

/** A worker whose input is TEXT. */
export function workerOf({ steps, output, ...declared }: WorkerParts): WorkerProgram {
  return {
    ...declarationsOf(declared),
    format: "worker",
    input: { TEXT: text },
    steps: numbered(steps, "steps"),
    ...(output !== undefined && { output }),
  };
}

function numbered(blocks: readonly Block[], prefix: string): Block[] {
  return blocks.map((block, index) => ({ ...block, id: `${prefix}/${index}` }));
}

function declarationsOf({
  tools = {},
  titles = {},
  defaults = {},
  references = {},
  capabilities = {},
  workers = {},
  mcpServers = {},
  onDemandMcpServers = {},
}: Declared) {
  return {
    input: {},
    variables: mapped(defaults, (value) => ({ ...text, default: value })),
    resources: {},
    tools: mapped(tools, (display, name) => toolOf(name, display, titles[name])),
    workers: mapped(workers, (display, slug) => ({ slug, description: `About ${slug}`, display, tools: {} })),
    mcpServers: mapped(mcpServers, (given, namespace) => ({ ...aServer, namespace, ...given })),
    skills: {},
    onDemandMcpServers,
    capabilities: mapped(capabilities, (given, slug) => ({ ...noCapability, slug, ...given })),
    references: mapped(references, (content, name) => ({ name, description: `About ${name}`, content })),
  };
}

const aServer = {
  description: "",
  source: "remote",
  display: "description",
  connection: "lazy",
  execution: "sandbox",
} as const;
const noCapability = { description: "", default: true, tools: [], mcpServers: [], skills: [] };

function mapped<T, U>(values: Record<string, T>, make: (value: T, name: string) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, make(value, name)]));
}

/** For a thread that continues after tool calls, for up to five steps. */
export function configOf(more: Partial<ThreadConfig> = {}): ThreadConfig {
  return {
    model: { id: "demo/main" },
    tools: [],
    workers: [],
    mcpServers: [],
    skills: [],
    onDemandMcpServers: [],
    onDemandSkills: false,
    references: [],
    agentic: true,
    maxSteps: 5,
    loopGuard: false,
    webSearch: false,
    todoList: false,
    ...more,
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
    files: [],
    ...more,
  };
}

export function ask(more: Partial<NextMessageBlock> = {}): NextMessageBlock {
  return { ...common, kind: "next-message", name: "Answer", display: "stream", independent: false, ...more };
}

export function use(tool: string, more: Partial<ToolCallBlock> = {}): ToolCallBlock {
  return { ...common, kind: "tool-call", name: "Use", display: "description", tool, input: [], ...more };
}

export function runs(worker: string, more: Partial<RunWorkerBlock> = {}): RunWorkerBlock {
  const input = [{ name: "TEXT", source: "TEXT" }];
  return { ...common, kind: "run-worker", name: "Run", display: "stream", worker, input, ...more };
}

export function put(resource: string, value: string, more: Partial<SetResourceBlock> = {}): SetResourceBlock {
  return { ...common, kind: "set-resource", name: "Put", display: "name", resource, value, ...more };
}

export function open(
  thread: string,
  config: Partial<ThreadConfig> = {},
  more: Partial<StartThreadBlock> = {},
): StartThreadBlock {
  return {
    ...common,
    kind: "start-thread",
    name: "Open",
    display: "hidden",
    thread,
    config: configOf(config),
    ...more,
  };
}

export function serialize(
  thread: string,
  output: string,
  more: Partial<SerializeThreadBlock> = {},
): SerializeThreadBlock {
  return {
    ...common,
    kind: "serialize-thread",
    name: "Serialize",
    display: "hidden",
    thread,
    format: "markdown",
    output,
    ...more,
  };
}
