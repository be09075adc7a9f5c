import { protocolGrammar } from "../../src/grammar/protocol-grammar.ts";
import type { BlockKind } from "../../src/program.ts";
import type { JsonValue } from "../../src/values/json.ts";
import type { Choices } from "./choices.ts";
import { outputsFor, type Scope, sourcesFor } from "./declared-names.ts";
import { anyJson, valueFor } from "./own-types.ts";
import { newName } from "./words.ts";
import type { Writer } from "./written-value.ts";

type Values = Record<string, JsonValue>;
/** Makes the keys of a block consistent. Undefined if the world lacks a declaration that it needs. */
type Completion = (values: Values, scope: Scope, choices: Choices) => Values | undefined;

/** Random blocks in a valid order; those of the first owner begin by opening all threads. */
export function writeBlocks(scope: Scope, opensThreads: boolean, writer: Writer, choices: Choices): Values {
  const taken = new Set<string>();
  const blocks: Array<[string, JsonValue]> = [];
  const add = (kind: BlockKind, thread?: string): void => {
    const values = writer.fields(protocolGrammar.blocks[kind]?.fields ?? {}, scope);
    const completed = values && completions[kind](values, scope, choices);
    if (completed === undefined) return;
    const block = { block: kind, ...completed, ...(thread !== undefined && { thread }) };
    blocks.push([newName("block", choices, taken), block]);
  };
  if (opensThreads) for (const thread of scope.world.threads) add("start-thread", thread);
  for (let count = choices.between(1, 6); count > 0; count--) add(choices.pick(kinds) ?? "next-message");
  if (blocks.length === 0) add("next-message");
  return Object.fromEntries(blocks);
}

const completions: Readonly<Record<BlockKind, Completion>> = {
  "add-message": (values) => values,
  "next-message": (values, scope, choices) => {
    const { responseType } = values;
    const type = typeof responseType === "string" ? responseType : "string";
    return withOutput(values, [type], scope, choices);
  },
  "serialize-thread": (values, scope, choices) => {
    const type = values.format === "json" ? "unknown[]" : "string";
    const written = withOutput(values, [type], scope, choices);
    return written.output === undefined ? undefined : written;
  },
  "set-resource": (values, scope, choices) => {
    const resource = choices.pick(scope.world.resources.filter((it) => !it.readonly));
    const value = resource && choices.pick(sourcesFor(resource.type, scope));
    return resource && value !== undefined ? { ...values, resource: resource.name, value } : undefined;
  },
  "start-thread": (values, { world }) => {
    const { model } = values;
    const isComplete = world.format === "interactive" || (model !== undefined && model !== null);
    return isComplete ? values : { ...values, model: "demo/echo" };
  },
  "generate-image": (values, scope, choices) => {
    const complete = { imageModel: "openai/gpt-image-1", ...withoutNull(values) };
    return withOutput(complete, ["file", "string"], scope, choices);
  },
  "generate-speech": (values, scope, choices) => {
    const complete = { speechModel: "openai/tts-1", ...withoutNull(values) };
    return withOutput(complete, ["file", "string"], scope, choices);
  },
  "transcribe-audio": (values, scope, choices) => {
    const complete = { transcriptionModel: "openai/whisper-1", ...withoutNull(values) };
    return withOutput(complete, ["string"], scope, choices);
  },
  "tool-call": (values, scope, choices) => {
    const { input: _, ...rest } = withOutput(values, "any", scope, choices);
    const parameters = scope.world.tools.get(String(values.tool)) ?? [];
    const given = parameters.filter(({ optional }) => !optional || choices.chance(50));
    const pairs = given.map(({ name, type }): [string, JsonValue] => {
      return [name, argument(type, scope, choices)];
    });
    if (pairs.length === 0) return rest;
    const asList = choices.chance(50);
    return {
      ...rest,
      input: asList ? pairs.map((pair) => Object.fromEntries([pair])) : Object.fromEntries(pairs),
    };
  },
  "run-worker": (values, scope, choices) => withOutput(values, "any", scope, choices),
};

const kinds = Object.keys(completions).filter(
  (kind): kind is Exclude<BlockKind, "start-thread"> => kind !== "start-thread",
);

/** Keeps `output` if it is set, and makes it name a variable that accepts the value. */
function withOutput(
  values: Values,
  types: readonly string[] | "any",
  scope: Scope,
  choices: Choices,
): Values {
  const { output, ...rest } = values;
  const name = output === undefined ? undefined : choices.pick(outputsFor(types, scope));
  return name === undefined ? rest : { ...rest, output: name };
}

/** A variable, or a literal value: text in capitals would be read as a variable. */
function argument(type: string, scope: Scope, choices: Choices): JsonValue {
  const source = choices.chance(50) ? choices.pick(sourcesFor(type, scope)) : undefined;
  if (source !== undefined) return source;
  const value = type === "unknown" ? anyJson(choices) : valueFor(type, choices, scope.world.types);
  return typeof value === "string" ? value.toLowerCase() : value;
}

function withoutNull(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}
