import { protocolGrammar } from "../../src/grammar/protocol-grammar.ts";
import type { FieldShape, Shape } from "../../src/grammar/shapes.ts";
import type { JsonValue } from "../../src/values/json.ts";
import { writeBlocks } from "./blocks.ts";
import type { Choices } from "./choices.ts";
import { outputsFor, type Scope } from "./declared-names.ts";
import type { World } from "./world.ts";
import type { Writer } from "./written-value.ts";

type Entries = ReadonlyArray<readonly [string, JsonValue]>;

/** The value of a top-level key; undefined to leave it out. */
export function writeSection(
  key: string,
  { shape, absent }: FieldShape,
  world: World,
  writer: Writer,
  choices: Choices,
): JsonValue | undefined {
  const session: Scope = { world, readable: [...world.input, ...world.variables, ...world.resources] };
  if (key === "output") return choices.pick([undefined, ...outputsFor("any", session)]);
  const entries = declarations(key, shape, session, writer, choices);
  if (entries === undefined) return writer.field(key, shape, session);
  if (entries.length === 0 && absent !== undefined) return choices.pick([undefined, null, {}]);
  return Object.fromEntries(entries);
}

function declarations(
  key: string,
  shape: Shape,
  session: Scope,
  writer: Writer,
  choices: Choices,
): Entries | undefined {
  const { world } = session;
  switch (key) {
    case "input":
      return world.input.map((it) => [it.name, writer.variable(it, world)]);
    // Any of them may receive output.
    case "variables":
      return world.variables.map((it) => [it.name, writer.variable(it, world, false)]);
    case "resources":
      return world.resources.map((it) => [it.name, writer.variable(it, world, it.readonly)]);
    case "types":
      return world.types.map(({ name, declaration }) => [name, declaration]);
    case "tools":
      return writeTools(shape, session, writer);
    case "workers":
    case "mcpServers":
    case "skills":
    case "capabilities":
      return named(world[key], shape, session, writer);
    case "triggers":
      return writeTriggers(session, writer, choices);
    case "handlers":
      return [...world.triggers].map(([name, input], index) => {
        const readable = [...input, ...session.readable];
        return [name, writeBlocks({ world, readable }, index === 0, writer, choices)];
      });
    case "steps":
      return Object.entries(writeBlocks(session, true, writer, choices));
    default:
      return undefined;
  }
}

function named(names: readonly string[], shape: Shape, scope: Scope, writer: Writer): Entries {
  if (shape.kind !== "map") return [];
  return names.map((name) => [name, writer.value(shape.values, name, scope) ?? null]);
}

/** The parameters have the names and types that calls of the tool use. */
function writeTools(shape: Shape, scope: Scope, writer: Writer): Entries {
  const { tools } = scope.world;
  return named([...tools.keys()], shape, scope, writer).map(([name, tool]) => {
    const parameters = (tools.get(name) ?? []).map(({ name: key, type, optional }) => {
      return [key, { type, ...writer.notes(), ...(optional && { optional }) }] as const;
    });
    return [name, Object.assign({}, tool, { parameters: Object.fromEntries(parameters) })];
  });
}

function writeTriggers({ world }: Scope, writer: Writer, choices: Choices): Entries {
  return [...world.triggers].map(([name, input]) => {
    if (input.length === 0 && choices.chance(50)) return [name, null];
    const declared = input.map((it) => [it.name, writer.variable(it, world)] as const);
    const description = choices.chance(50) ? { description: `When ${name} happens` } : {};
    return [name, { ...description, ...(declared.length > 0 && { input: Object.fromEntries(declared) }) }];
  });
}

/** The top-level keys of a format. */
export function sectionsOf(world: World): Array<[string, FieldShape]> {
  return Object.entries(protocolGrammar.formats[world.format]);
}
