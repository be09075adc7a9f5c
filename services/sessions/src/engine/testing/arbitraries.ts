import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { Block, Display, InteractiveProgram, JsonValue } from "@muster/protocol";
import fc from "fast-check";
import type { Input, PendingToolCall, ToolOutcome } from "../machine.ts";
import { failed, finish } from "./model-parts.ts";
import { ask, programOf, promptOf, put, say, use } from "./programs.ts";

/**
 * Random programs and what a model, a caller and a network may do to them. Words say where they come from, so
 * that a test can find them where they must not be: `said` in messages, `PRIVATE` in what people never see,
 * `arg-<tool>` and `res-<tool>` in tool calls; each tool is named after its display.
 */
const displays: Display[] = ["hidden", "name", "title", "description", "stream"];
const display = fc.constantFrom(...displays);
const toolNames = displays.map((name) => `tool-${name}`);
const declared = fc.constantFrom(...toolNames);
const called = fc.constantFrom(...toolNames, "dynamic", "unknown", "toString", "bad.name", "");
const providerId = fc.constantFrom("0", "0", "0", "1", "1", "call:2", "");
const variable = fc.constantFrom("TEXT", "OUT", "SIZE", "NOTHING");
const responseType = { name: "Mood", schema: { type: "object", required: ["mood"] } };

const nextMessage: fc.Arbitrary<Block> = fc
  .record({
    display: fc.oneof(
      { weight: 3, arbitrary: fc.constant("stream" as const) },
      { weight: 1, arbitrary: display },
    ),
    independent: fc.boolean(),
    typed: fc.nat(4),
    output: fc.boolean(),
  })
  .map(({ display, independent, typed, output }) =>
    ask({ display, independent, ...(typed === 0 && { responseType }), ...(output && { output: "OUT" }) }),
  );

const otherBlock: fc.Arbitrary<Block> = fc.oneof(
  fc
    .record({
      role: fc.constantFrom("user" as const, "assistant" as const, "system" as const),
      visible: fc.boolean(),
      display,
      shown: fc.boolean(),
    })
    .map(({ role, visible, display, shown }) => {
      const isPrivate = !visible || role === "system" || shown;
      return say("", {
        role,
        visible,
        display,
        prompt: isPrivate ? promptOf("PRIVATE") : promptOf("said ", "TEXT"),
        ...(shown && { uiContent: "TEXT" }),
      });
    }),
  fc.record({ tool: declared, display }).map(({ tool, display }) =>
    use(tool, {
      display,
      output: "OUT",
      input: [
        { name: "text", source: "TEXT" },
        { name: "n", literal: 1 },
      ],
    }),
  ),
  fc.record({ value: variable, display }).map(({ value, display }) => put("CART", value, { display })),
);

const block = fc.oneof(nextMessage, otherBlock);

export const program: fc.Arbitrary<InteractiveProgram> = fc
  .record({
    blocks: fc.array(block, { minLength: 1, maxLength: 6, size: "max" }),
    agentic: fc.boolean(),
    maxSteps: fc.integer({ min: 1, max: 4 }),
    backup: fc.boolean(),
    maxToolOutputTokens: fc.option(fc.integer({ min: 1, max: 5 })),
  })
  .map(({ blocks, agentic, maxSteps, backup, maxToolOutputTokens }) =>
    programOf({
      blocks,
      tools: Object.fromEntries(displays.map((name) => [`tool-${name}`, name])),
      defaults: { SIZE: "large" },
      agent: {
        agentic,
        maxSteps,
        ...(backup && { backupModel: { id: "demo/backup" } }),
        ...(maxToolOutputTokens !== null && { maxToolOutputTokens }),
      },
    }),
  );

const words = fc.constantFrom("a", "bc", "", " ", '{"mood":"glad"}', "😀");

function inputText(tool: string): fc.Arbitrary<string> {
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

/** Parts in any order, also orders that no sane provider would send. */
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
  fc.record({ type: fc.constant("tool-input-delta" as const), id: providerId, delta: fc.constant("{}") }),
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
    finish("tool-calls"),
    finish("length"),
  ),
);

/** What happens next, as far as the turn is in a phase in which it can. */
export type Happening =
  | { type: "part"; part: LanguageModelV4StreamPart }
  | { type: "done" }
  | { type: "failed"; input: Input }
  | { type: "results"; mask: number }
  | { type: "abort" };

const end: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 8, arbitrary: fc.constant<Happening>({ type: "done" }) },
  {
    weight: 2,
    arbitrary: fc.boolean().map((transient): Happening => ({ type: "failed", input: failed({ transient }) })),
  },
  { weight: 1, arbitrary: fc.constant<Happening>({ type: "abort" }) },
);

/** A model call as it may go, and results in case that it ends with calls. */
const episode = fc
  .record({ parts: fc.array(part, { maxLength: 9, size: "max" }), end, mask: fc.nat(80) })
  .map(({ parts, end, mask }): Happening[] => [
    ...parts.map((part): Happening => ({ type: "part", part })),
    end,
    { type: "results", mask },
  ]);

export const happenings: fc.Arbitrary<Happening[]> = fc
  .array(episode, { maxLength: 8, size: "max" })
  .map((episodes) => episodes.flat());

/**
 * A result, an error or nothing for each pending call, by the digits of the mask in base 3. Results of blocks say
 * nothing about their tool: the block's own display decides about them.
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
