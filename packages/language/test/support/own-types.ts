import type { JsonValue } from "../../src/values/json.ts";
import type { Choices } from "./choices.ts";
import { anyText, newName } from "./words.ts";

/** A custom type as declared, with a function that writes values of it. */
export interface OwnType {
  readonly name: string;
  readonly shape: "object" | "array" | "union";
  readonly declaration: JsonValue;
  readonly valueOf: (choices: Choices) => JsonValue;
}

const scalars = ["string", "number", "integer", "boolean", "unknown", "file"] as const;

/** Types that refer only to earlier ones, so that none contains itself. */
export function writeTypes(choices: Choices, count: number): OwnType[] {
  const taken = new Set<string>();
  const types: OwnType[] = [];
  for (let index = 0; index < count; index++) {
    const name = newName("type", choices, taken);
    const kind = choices.below(4);
    if (kind === 0) types.push(arrayType(name, choices, types));
    else if (kind === 1 && index > 0) types.push(...unionType(name, choices, taken));
    else types.push(objectType(name, choices, types));
  }
  return types;
}

/** A use of a type: `string`, `Order`, `Order[]`. */
export function typeUse(choices: Choices, types: readonly OwnType[]): string {
  const own = choices.chance(40) ? choices.pick(types)?.name : undefined;
  return `${own ?? choices.pick(scalars)}${"[]".repeat(choices.chance(20) ? choices.between(1, 3) : 0)}`;
}

/** A value that fits a use of a type. */
export function valueFor(use: string, choices: Choices, types: readonly OwnType[]): JsonValue {
  if (use.endsWith("[]")) {
    return Array.from({ length: choices.below(3) }, () => valueFor(use.slice(0, -2), choices, types));
  }
  switch (use) {
    case "string":
      return anyText(choices);
    case "number":
      return choices.pick([0, -0, 1.5, -2e-7, 1e21, choices.below(1e6) / 7]);
    case "integer":
      return choices.pick([0, -1, 2 ** 53, choices.below(1e9)]);
    case "boolean":
      return choices.chance(50);
    case "unknown":
      return anyJson(choices);
    case "file":
      return { id: "file_1", mediaType: "text/plain", url: "https://example.com/a", size: 3 };
    default:
      return types.find(({ name }) => name === use)?.valueOf(choices) ?? null;
  }
}

/** JSON without the keys that no definition may have. */
export function anyJson(choices: Choices, depth = 0): JsonValue {
  const kind = choices.below(depth > 2 ? 4 : 6);
  if (kind === 0) return choices.chance(50);
  if (kind === 1) return choices.between(-1_000, 1_000) / 8;
  if (kind < 4) return anyText(choices).toLowerCase();
  const items = Array.from({ length: choices.below(4) }, () => anyJson(choices, depth + 1));
  if (kind === 4) return items;
  return Object.fromEntries(items.map((item, index) => [`${anyText(choices).toLowerCase()}${index}`, item]));
}

interface Property {
  readonly name: string;
  readonly declaration: JsonValue;
  readonly optional: boolean;
  readonly valueOf: (choices: Choices) => JsonValue;
}

function objectType(name: string, choices: Choices, types: readonly OwnType[], tag?: Property): OwnType {
  const taken = new Set(tag === undefined ? [] : [tag.name]);
  const own = Array.from({ length: choices.below(4) }, () => property(choices, types, taken));
  const properties = tag === undefined ? own : choices.shuffled([tag, ...own]);
  return {
    name,
    shape: "object",
    declaration: Object.fromEntries(properties.map((it) => [it.name, it.declaration])),
    valueOf: (by) => {
      const given = properties.filter(({ optional }) => !optional || by.chance(50));
      return Object.fromEntries(given.map((it) => [it.name, it.valueOf(by)]));
    },
  };
}

function property(choices: Choices, types: readonly OwnType[], taken: Set<string>): Property {
  const name = newName("property", choices, taken);
  const optional = choices.chance(40);
  const notes = { ...described(choices), ...(optional && { optional }) };
  const use = typeUse(choices, types);
  if (choices.chance(20)) {
    const declaration = { type: "array", items: { type: use, ...described(choices) }, ...notes };
    return { name, optional, declaration, valueOf: (by) => valueFor(`${use}[]`, by, types) };
  }
  if (!choices.chance(30)) {
    return {
      name,
      optional,
      declaration: { type: use, ...notes },
      valueOf: (by) => valueFor(use, by, types),
    };
  }
  const only = valueFor(use, choices, types) ?? "";
  const narrowed = choices.chance(50) ? { enum: [only, valueFor(use, choices, types)] } : { const: only };
  return { name, optional, declaration: { type: use, ...narrowed, ...notes }, valueOf: () => only };
}

function arrayType(name: string, choices: Choices, types: readonly OwnType[]): OwnType {
  const use = typeUse(choices, types);
  return {
    name,
    shape: "array",
    declaration: { type: "array", items: { type: use, ...described(choices) }, ...described(choices) },
    valueOf: (by) => valueFor(`${use}[]`, by, types),
  };
}

/** The variants, each with its own `const`, and the union of them. */
function unionType(name: string, choices: Choices, taken: Set<string>): OwnType[] {
  const discriminator = choices.pick(["kind", "type", "null"]);
  const variants = Array.from({ length: choices.between(2, 3) }, (_, index) => {
    const only = choices.pick([`${index}`, index, `v-${index}`]);
    const type = typeof only === "string" ? "string" : "integer";
    const tag = {
      name: discriminator,
      declaration: { type, const: only },
      optional: false,
      valueOf: () => only,
    };
    return objectType(newName("type", choices, taken), choices, [], tag);
  });
  const anyOf = variants.map((variant) => variant.name);
  const union: OwnType = {
    name,
    shape: "union",
    declaration: { anyOf, discriminator, ...described(choices) },
    valueOf: (by) => by.pick(variants)?.valueOf(by) ?? null,
  };
  return [...variants, union];
}

function described(choices: Choices): { description?: string } {
  return choices.chance(30) ? { description: anyText(choices) } : {};
}
