import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { JsonValue } from "@muster/language";
import fc from "fast-check";
import type { Frame, PendingApproval, PendingToolCall } from "../../src/boundary/frame.ts";
import type { Decision, Input, Machine, ToolOutcome } from "../../src/boundary/machine.ts";
import { toolNames, workerNames } from "./arbitrary-programs.ts";
import { type Answered, answered, remoteNames, remoteOutcome, remotesIn } from "./arbitrary-remotes.ts";
import { failed, finish } from "./model-parts.ts";

/** Random actions of a model, a caller and a network on a program. */
const called = fc.constantFrom(
  ...toolNames,
  ...workerNames,
  ...workerNames,
  ...["dynamic", "unknown", "toString", "bad.name", ""],
  ...[...remoteNames, ...remoteNames],
  ...["platform_mcp_list", "platform_mcp_activate", "platform_mcp_activate"],
  ...["platform_reference_list", "platform_reference_read", "platform_todo_write", "platform_todo_write"],
);
const providerId = fc.constantFrom("0", "0", "0", "1", "1", "call:2", "", "long".repeat(16));

const words = fc.constantFrom(
  "a",
  "bc",
  "",
  " ",
  '{"mood":"glad"}',
  "😀",
  "😀 ha".repeat(130),
  "ab".repeat(20),
);

const todos = fc.array(
  fc.record({
    content: fc.constantFrom("Look", "Leap"),
    status: fc.constantFrom("pending", "in_progress", "completed", "cancelled", "later"),
  }),
  { maxLength: 3 },
);

function inputText(tool: string): fc.Arbitrary<string> {
  if (tool === "platform_reference_read")
    return fc.constantFrom('{"name":"guide"}', '{"name":"giude"}', "{}");
  if (tool === "platform_mcp_activate")
    return fc.constantFrom("late", "late", "spare", "nope").map((server) => JSON.stringify({ server }));
  if (tool === "platform_todo_write") return todos.map((list) => JSON.stringify({ todos: list }));
  if (tool.startsWith("worker-")) {
    const task = JSON.stringify({ TEXT: `arg-${tool}` });
    return fc.constantFrom(task, task, task, task, "{}", '{"q');
  }
  const good = JSON.stringify({ q: `arg-${tool}` });
  return fc.constantFrom(good, good, good, "", "7", '{"q', '{"__proto__":{}}');
}

const toolCall = called.chain((toolName) =>
  fc
    .record({ toolCallId: providerId, input: inputText(toolName), providerExecuted: fc.nat(9) })
    .map(({ toolCallId, input, providerExecuted }) => ({
      type: "tool-call" as const,
      toolCallId,
      toolName,
      input,
      ...(providerExecuted === 0 && { providerExecuted: true }),
    })),
);

/** Parts in any order, including orders that no sane provider sends. */
const part: fc.Arbitrary<LanguageModelV4StreamPart> = fc.oneof(
  fc.record({ type: fc.constantFrom("text-start" as const, "text-end" as const), id: providerId }),
  fc.record({ type: fc.constant("text-delta" as const), id: providerId, delta: words }),
  fc.record({ type: fc.constant("text-delta" as const), id: providerId, delta: words }),
  fc.record({
    type: fc.constantFrom("reasoning-start" as const, "reasoning-end" as const),
    id: providerId,
    providerMetadata: fc.constant({ maker: { signature: "s" } }),
  }),
  fc.record({ type: fc.constant("reasoning-delta" as const), id: providerId, delta: words }),
  called.chain((toolName) =>
    fc.record({
      type: fc.constant("tool-input-start" as const),
      id: providerId,
      toolName: fc.constant(toolName),
    }),
  ),
  fc.record({
    type: fc.constant("tool-input-delta" as const),
    id: providerId,
    delta: fc.constantFrom("{}", "[],".repeat(900)),
  }),
  fc.record({ type: fc.constant("tool-input-end" as const), id: providerId }),
  toolCall,
  toolCall,
  fc.constantFrom<LanguageModelV4StreamPart>(
    { type: "source", sourceType: "url", id: "s", url: "https://example.com" },
    {
      type: "source",
      sourceType: "document",
      id: "s",
      mediaType: "text/plain",
      title: "A",
      filename: "a.txt",
    },
    { type: "ping" },
    { type: "raw", rawValue: undefined },
    { type: "error", error: "x" },
    finish("stop"),
    finish("tool-calls", 90),
    finish("length"),
    finish("stop", 300),
  ),
);

/** The next input, if the turn accepts it in its current phase. */
export type Happening =
  | ({ type: "part"; part: LanguageModelV4StreamPart } & Lane)
  | ({ type: "done" } & Lane)
  | ({ type: "failed"; input: Input } & Lane)
  | { type: "results"; mask: number }
  | Answered
  | { type: "abort" };

/** The one of several answering models that acts next. */
interface Lane {
  lane?: number;
}

/** The provider does not take a prompt of this length. */
function refused(statusCode: number): Happening {
  const provider = { name: "demo", model: "main", statusCode };
  return {
    type: "failed",
    input: failed({ isTooLong: true, transient: false, retryable: false, provider }),
  };
}

const end: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 8, arbitrary: fc.constant<Happening>({ type: "done" }) },
  {
    weight: 2,
    arbitrary: fc.boolean().map((transient): Happening => ({ type: "failed", input: failed({ transient }) })),
  },
  { weight: 1, arbitrary: fc.constantFrom(400, 413).map(refused) },
  { weight: 1, arbitrary: fc.constant<Happening>({ type: "abort" }) },
);

const spoken: LanguageModelV4StreamPart[] = [
  { type: "text-start", id: "0" },
  { type: "text-delta", id: "0", delta: "Well." },
];

function reaching(...names: string[]): LanguageModelV4StreamPart[] {
  return names.map((toolName, index) => {
    const input = JSON.stringify({ q: `arg-${toolName}` });
    return { type: "tool-call", toolCallId: String(index), toolName, input };
  });
}

/** A possible model call, with results in case it ends with calls. */
const episode = fc
  .record({
    answer: fc.constantFrom([], spoken, reaching("early__once"), reaching("early__again", "early__once")),
    parts: fc.array(part, { maxLength: 8, size: "max" }),
    lanes: fc.array(fc.nat(3), { minLength: 10, maxLength: 10 }),
    end,
    mask: fc.nat(80),
    outcomes: fc.array(fc.tuple(fc.nat(8), answered), { maxLength: 4 }),
  })
  .map(({ answer, parts, lanes, end, mask, outcomes }): Happening[] => {
    const episode = [
      ...[...answer, ...parts].map(
        (part, index): Happening => ({ type: "part", part, lane: lanes[index] ?? 0 }),
      ),
      end.type === "done" || end.type === "failed" ? { ...end, lane: lanes[9] ?? 0 } : end,
    ];
    // The first outcomes are for the calls of this episode, the others for earlier calls that run beside it.
    const [own, others] = [outcomes.slice(0, 2), outcomes.slice(2)];
    for (const [index, outcome] of others) episode.splice(index, 0, outcome);
    return [...episode, ...own.map(([, outcome]) => outcome), { type: "results", mask }];
  });

export const happenings: fc.Arbitrary<Happening[]> = fc
  .array(episode, { maxLength: 8, size: "max" })
  .map((episodes) => episodes.flat());

/**
 * A result, an error or nothing for each pending call, by the digits of the mask in base 3. Results of blocks do not
 * name their tool, because the block's own display decides whether they are shown.
 */
export function outcomes(pending: readonly PendingToolCall[], mask: number): Input {
  return {
    type: "tool-results",
    outcomes: pending.flatMap((call, index): ToolOutcome[] => {
      const { toolCallId, source } = call;
      const words = source === "llm" ? `res-${call.toolName}` : "found";
      const digit = Math.floor(mask / 3 ** index) % 3;
      const result: JsonValue = { words, padding: "😀".repeat(9) };
      if (digit === 0) return [{ toolCallId, outcome: { type: "result", result } }];
      if (digit === 1) return [{ toolCallId, outcome: { type: "error", error: words } }];
      return [];
    }),
  };
}

function approvalsIn({ pendingApprovals = [], workers = [] }: Frame): PendingApproval[] {
  return [...pendingApprovals, ...workers.flatMap(({ frame }) => approvalsIn(frame))];
}

/** Approval, denial or none for each, and a result, an error or nothing for each open call, by the digits of the mask in base 3. */
function decisions(pending: readonly PendingApproval[], mask: number): Input {
  const decided = pending.flatMap((call, index): Array<[string, Decision]> => {
    const digit = Math.floor(mask / 3 ** index) % 3;
    const status = (["approved", "denied", undefined] as const)[digit];
    if (status === undefined) return [];
    return [[call.approvalId, call.isOpen ? answerTo(call, digit) : { status }]];
  });
  return { type: "decisions", decisions: new Map(decided) };
}

function answerTo({ source, toolName }: PendingApproval, digit: number): Decision {
  const words = source === "llm" ? `res-${toolName}` : "found";
  return {
    status: "answered",
    outcome: digit === 0 ? { type: "result", result: { words } } : { type: "error", error: words },
  };
}

/** The input that stands for the happening in the machine's current phase; undefined if it is impossible then. */
export function inputFor(machine: Machine, happening: Happening): Input | undefined {
  const { phase, pendingToolCalls } = machine.frame;
  if (phase === "over") return undefined;
  if (happening.type === "abort") return { type: "abort" };
  if (phase === "waiting")
    return happening.type === "results" ? outcomes(pendingToolCalls, happening.mask) : undefined;
  if (phase === "asking")
    return happening.type === "results" ? decisions(approvalsIn(machine.frame), happening.mask) : undefined;
  if (happening.type === "remote") return remoteOutcome(machine, happening);
  if (inFlight(machine).length === 0) return answerOf(machine, happening);
  if (happening.type === "results") return undefined;
  const from = fromLane(machine, happening.lane);
  if (happening.type === "part") return { type: "model-part", ...from, part: happening.part };
  if (happening.type === "done") return { type: "model-done", ...from };
  return { ...happening.input, ...from };
}

/** Only services are at work. */
function answerOf(machine: Machine, happening: Happening): Input | undefined {
  if (happening.type === "part") return undefined;
  const index = happening.type === "results" ? happening.mask : 0;
  return remoteOutcome(machine, { index, kind: happening.type === "failed" ? "error" : "result" });
}

/** The workers whose models are answering, and undefined if that of the turn is. */
export function inFlight({ frame }: Pick<Machine, "frame">): Array<string | undefined> {
  const workers = frame.workers?.filter((worker) => worker.frame.phase === "model") ?? [];
  const ids = workers.map((worker) => worker.frame.workerId);
  return frame.phase === "model" ? [undefined, ...ids] : ids;
}

/** Whether an input can arrive that no user or caller sends. */
export function isRunning(machine: Machine): boolean {
  return inFlight(machine).length > 0 || remotesIn(machine).length > 0;
}

function fromLane(machine: Machine, lane = 0): { workerId?: string } {
  const ids = inFlight(machine);
  const workerId = ids[lane % ids.length];
  return workerId === undefined ? {} : { workerId };
}
