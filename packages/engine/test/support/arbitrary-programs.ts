import type {
  Block,
  BlockOf,
  Display,
  KindRunYet,
  Program,
  ThreadConfig,
  WorkerProgram,
} from "@muster/language";
import fc from "fast-check";
import type { LibraryWorker, WorkerLibrary } from "../../src/boundary/machine.ts";
import { asSummarizer, contextManagement, keeperEntry } from "./arbitrary-contexts.ts";
import { mcpServers, namespaces, overHttp, remoteNames } from "./arbitrary-remotes.ts";
import { ask, open, programOf, promptOf, put, runs, say, serialize, use, workerOf } from "./programs.ts";

/**
 * Random programs of both formats. Texts show their origin, so that a test can find them where they must not appear:
 * `said` in messages, `PRIVATE` in content that users never see, `arg-<tool>` and `res-<tool>` in tool calls; each
 * tool is named after its display. Independent blocks are named `Aside`.
 */
const displays: Display[] = ["hidden", "name", "title", "description", "stream"];
const display = fc.constantFrom(...displays);
export const toolNames = displays.map((name) => `tool-${name}`);
/** Can replace a tool of a worker. */
const replacement = "tool-other";
/** Workers, each named after its display. */
export const workerNames = displays.map((name) => `worker-${name}`);
const variable = fc.constantFrom("TEXT", "OUT", "SIZE", "NOTHING");
const responseType = { name: "Mood", schema: { type: "object", required: ["mood"] } };
export const threadNames = ["main", "side", "other"];
const thread = fc.oneof(
  { weight: 3, arbitrary: fc.constant("main") },
  { weight: 2, arbitrary: fc.constant("side") },
  { weight: 1, arbitrary: fc.constant("other") },
);

const config: fc.Arbitrary<Partial<ThreadConfig>> = fc
  .record({
    agentic: fc.boolean(),
    maxSteps: fc.integer({ min: 1, max: 4 }),
    backup: fc.boolean(),
    maxToolOutputTokens: fc.option(fc.integer({ min: 1, max: 5 })),
    tools: fc.subarray([...toolNames, replacement]),
    workers: fc.subarray(workerNames),
    mcpServers: fc.constantFrom(namespaces, namespaces, []),
    onDemandMcpServers: fc.subarray(["remote" as const]),
    references: fc.subarray(["guide", "rules"]),
    todoList: fc.constantFrom(true, true, false),
    loopGuard: fc.boolean(),
    managed: fc.oneof(
      { weight: 2, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: contextManagement(workerNames) },
    ),
  })
  .map(({ backup, maxToolOutputTokens, managed, ...rest }) => ({
    ...rest,
    ...(managed !== null && { contextManagement: managed }),
    ...(backup && { backupModel: { id: "demo/backup" } }),
    ...(maxToolOutputTokens !== null && { maxToolOutputTokens }),
  }));

const nextMessage: fc.Arbitrary<BlockOf<"next-message">> = fc
  .record({
    display: fc.oneof(
      { weight: 3, arbitrary: fc.constant("stream" as const) },
      { weight: 1, arbitrary: display },
    ),
    thread,
    independent: fc.boolean(),
    typed: fc.nat(4),
    output: fc.boolean(),
  })
  .map(({ typed, output, ...block }) =>
    ask({
      ...block,
      name: block.independent ? "Aside" : "Answer",
      ...(typed === 0 && { responseType }),
      ...(output && { output: "OUT" }),
    }),
  );

const addMessage: fc.Arbitrary<BlockOf<"add-message">> = fc
  .record({
    role: fc.constantFrom("user" as const, "assistant" as const, "system" as const),
    visible: fc.boolean(),
    display,
    thread,
    shown: fc.boolean(),
  })
  .map(({ shown, ...block }) => {
    const isPrivate = !block.visible || block.role === "system" || shown || block.thread !== "main";
    return say("", {
      ...block,
      prompt: isPrivate ? promptOf("PRIVATE") : promptOf("said ", "TEXT"),
      ...(shown && { uiContent: "TEXT" }),
    });
  });

function startOf(name: string): fc.Arbitrary<BlockOf<"start-thread">> {
  return fc.record({ display, config }).map(({ display, config }) => open(name, config, { display }));
}

/** Blocks of every kind that the engine runs. */
const blocksOf: { readonly [Kind in KindRunYet]: fc.Arbitrary<BlockOf<Kind>> } = {
  "add-message": fc.oneof(
    addMessage,
    fc.constant(say("", { visible: false, prompt: promptOf("PRIVATE ", "COPY") })),
  ),
  "next-message": nextMessage,
  "tool-call": fc.record({ tool: fc.constantFrom(...toolNames), display, thread }).map(({ tool, ...block }) =>
    use(tool, {
      ...block,
      output: "OUT",
      input: [
        { name: "text", source: "TEXT" },
        { name: "n", literal: 1 },
      ],
    }),
  ),
  "start-thread": thread.chain(startOf),
  "serialize-thread": fc
    .record({ thread, display, format: fc.constantFrom("markdown" as const, "json" as const) })
    .map(({ thread, ...block }) => serialize(thread, "COPY", block)),
  "set-resource": fc
    .record({ value: variable, display })
    .map(({ value, display }) => put("CART", value, { display })),
  "run-worker": fc
    .record({ worker: fc.constantFrom(...workerNames), display, thread, output: fc.boolean() })
    .map(({ output, ...block }) => runs(block.worker, { ...block, ...(output && { output: "OUT" }) })),
};
const anyBlock: fc.Arbitrary<Block> = fc.oneof(...Object.values(blocksOf));

/** Most threads are started before they are used; the other case is tested too. */
const blocks: fc.Arbitrary<Block[]> = fc
  .record({
    before: fc.oneof(
      { weight: 4, arbitrary: fc.tuple(startOf("side"), startOf("other")) },
      { weight: 1, arbitrary: fc.array(blocksOf["start-thread"], { maxLength: 2 }) },
    ),
    rest: fc.array(fc.oneof(nextMessage, anyBlock), {
      minLength: 1,
      maxLength: 6,
      size: "max",
    }),
  })
  .map(({ before, rest }) => [...before, ...rest]);

/** `tool-title` is available as long as one of its capabilities is on. */
const capabilities = fc.record({ some: fc.boolean(), more: fc.boolean() }).map(({ some, more }) => ({
  some: { default: some, tools: ["tool-name", "tool-title"] },
  more: { default: more, tools: ["tool-title"] },
}));

interface Drawn {
  blocks: Block[];
  config: Partial<ThreadConfig>;
  capabilities: Record<string, { default: boolean; tools: string[] }>;
  /** The tools and workers whose calls need approval. */
  asking: string[];
  /** Whether only after text of others has been read. */
  untrusted: boolean;
  /** Whether the turn, or the worker, fails if no user decides in time. */
  fails: boolean;
  /** The tools that services run; the idempotent ones are among them. */
  http: string[];
  idempotent: string[];
  /** The definition replaces a tool of its workers. */
  replaces: boolean;
}

const asking: fc.Arbitrary<string[]> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<string[]>([]) },
  { weight: 2, arbitrary: fc.subarray([...toolNames, replacement, ...workerNames, ...remoteNames]) },
);

const drawn: fc.Arbitrary<Drawn> = fc.record({
  ...{ blocks, config, capabilities, asking },
  untrusted: fc.boolean(),
  fails: fc.boolean(),
  http: fc.subarray([...toolNames, replacement]),
  idempotent: fc.subarray(toolNames),
  replaces: fc.boolean(),
});

function withRules<P extends Program>(
  program: P,
  { asking, untrusted, fails, http, idempotent, replaces }: Drawn,
): P {
  const when = untrusted ? "untrusted" : "always";
  const approval = { mode: "ask", when, expiresMs: 60_000, onExpiry: fails ? "fail" : "deny" } as const;
  const ruled = (name: string) => asking.includes(name) && { approval };
  const tools = mapped(program.tools, (tool, name) => ({
    ...(http.includes(name) ? overHttp(tool, idempotent.includes(name)) : tool),
    ...ruled(name),
  }));
  const replaced: Record<string, string> = replaces ? { "tool-stream": replacement } : {};
  const workers = mapped(program.workers, (worker, name) => ({ ...worker, tools: replaced, ...ruled(name) }));
  const servers = mapped(program.mcpServers, (server, namespace) => {
    const asked = ["again", "once"].filter((name) => asking.includes(`${namespace}__${name}`));
    return { ...server, tools: Object.fromEntries(asked.map((name) => [name, { approval }])) };
  });
  return { ...program, tools, workers, mcpServers: servers };
}

function mapped<T>(named: Readonly<Record<string, T>>, change: (value: T, name: string) => T) {
  return Object.fromEntries(Object.entries(named).map(([name, value]) => [name, change(value, name)]));
}

function declarationsOf({ capabilities }: Drawn) {
  return {
    tools: {
      ...Object.fromEntries(displays.map((name) => [`tool-${name}`, name])),
      [replacement]: "stream" as const,
    },
    mcpServers,
    workers: Object.fromEntries(displays.map((name) => [`worker-${name}`, name])),
    defaults: { SIZE: "large" },
    references: { guide: "PRIVATE guide", rules: "PRIVATE rules" },
    capabilities,
  };
}

function workerFrom(one: Drawn): WorkerProgram {
  const steps = [open("main", one.config), ...one.blocks];
  return withRules(workerOf({ ...declarationsOf(one), steps, output: "OUT" }), one);
}

const libraries = new WeakMap<Program["workers"], WorkerLibrary>();

/** The workers that a random program can reach. */
export function libraryOf({ workers }: Program): WorkerLibrary {
  return libraries.get(workers) ?? new Map();
}

/** One of the workers does not exist. */
const library: fc.Arbitrary<WorkerLibrary> = fc
  .record({
    bodies: fc.array(drawn, { minLength: 2, maxLength: 2 }),
    missing: fc.nat(9),
    summarizers: fc.nat(2),
  })
  .map(({ bodies, missing, summarizers }): WorkerLibrary => {
    const programs = bodies
      .map(workerFrom)
      .map((program, index) => (index < summarizers ? asSummarizer(program) : program));
    const workers = workerNames.map((name, index): [string, LibraryWorker] => {
      const program = programs[index % programs.length];
      return program === undefined || index === missing
        ? [name, { problem: "It does not exist.", retryable: false }]
        : [name, { agentId: `agt_${index}`, agentVersion: 1, program }];
    });
    return new Map([...workers, keeperEntry]);
  });

export const program: fc.Arbitrary<Program> = fc
  .record({ drawn, library, worker: fc.nat(2) })
  .map(({ drawn: one, library, worker }) => {
    const made =
      worker === 0
        ? workerFrom(one)
        : withRules(programOf({ ...declarationsOf(one), blocks: one.blocks, agent: one.config }), one);
    libraries.set(made.workers, library);
    return made;
  });
