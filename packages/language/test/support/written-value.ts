import type { FieldShapes, Shape } from "../../src/grammar/shapes.ts";
import { forbiddenKeys, type JsonValue } from "../../src/values/json.ts";
import type { Choices } from "./choices.ts";
import { declaredNames, type Scope } from "./declared-names.ts";
import { anyJson, typeUse, valueFor } from "./own-types.ts";
import { anyText, newName, nonEmptyText } from "./words.ts";
import { type Readable, settings, type World } from "./world.ts";

/**
 * Writes values that the grammar allows, with names that the world declares. Facts that a shape does not contain (such
 * as which of the readable names is a file) are looked up by the name of the key.
 */
export class Writer {
  readonly #choices: Choices;
  /** The percentage of optional keys that are set. */
  readonly #richness: number;

  constructor(choices: Choices, richness: number) {
    this.#choices = choices;
    this.#richness = richness;
  }

  /** Undefined if no valid name is declared. */
  value(shape: Shape, key: string, scope: Scope): JsonValue | undefined {
    const choices = this.#choices;
    switch (shape.kind) {
      case "text":
        if (shape.pattern !== undefined) return choices.pick(patterned[key] ?? ratios);
        return shape.nonEmpty ? nonEmptyText(choices) : anyText(choices);
      case "flag":
        return choices.chance(50);
      case "number":
        return this.#number(shape);
      case "words":
        return choices.pick(shape.words);
      case "name":
        return shape.declared
          ? choices.pick(declaredNames(key, shape.of, scope))
          : newName(shape.of, choices, new Set());
      case "type":
        return typeUse(choices, scope.world.types);
      case "model":
        return choices.pick(["demo/echo", "anthropic/claude-sonnet-4-5", "local/a:b@c", "aggregator/x/y.z"]);
      case "json":
        return anyJson(choices);
      case "null":
        return null;
      case "list":
        return this.#list(shape.items, key, scope);
      case "map":
        return this.#map(shape, key, scope);
      case "object":
        return this.fields(shape.fields, scope);
      case "tagged":
        // Blocks depend on the threads opened before them; `writeBlocks` writes them.
        return undefined;
      case "anyOf":
        return this.#anyOf(shape.shapes, key, scope);
      default:
        return shape satisfies never;
    }
  }

  /** A map with all required keys and some of the others. Undefined if a required one cannot be written. */
  fields(fields: FieldShapes, scope: Scope): Record<string, JsonValue> | undefined {
    const values: Array<[string, JsonValue]> = [];
    for (const [key, field] of this.#choices.shuffled(Object.entries(fields))) {
      const optional = field.absent !== undefined;
      if (optional && !this.#choices.chance(this.#richness)) continue;
      const value = optional && this.#choices.chance(3) ? null : this.field(key, field.shape, scope);
      if (value !== undefined) values.push([key, value]);
      else if (!optional) return undefined;
    }
    return withItsModel(distinct(Object.fromEntries(values)));
  }

  field(key: string, shape: Shape, scope: Scope): JsonValue | undefined {
    if (key === "input" && shape.kind === "anyOf") return this.#mapping(shape, scope);
    if (key === "ask") return this.#choices.pick(asked);
    // Text of other sections may contain names in braces.
    if (shape.kind === "text" && shape.maxLength !== undefined && shape.pattern === undefined)
      return this.#choices.pick(["Pay", "{{ A b }}"]);
    if (key === "contextManagement" && shape.kind === "object")
      return this.#contextManagement(shape.fields, scope);
    return this.value(shape, key, scope);
  }

  /** A description, or none. */
  notes(): { description?: string } {
    return this.#choices.chance(this.#richness) ? { description: anyText(this.#choices) } : {};
  }

  /** The declaration of a variable: the keys next to `type` must fit it. */
  variable({ type, setting }: Readable, world: World, readonly = this.#choices.chance(10)): JsonValue {
    const choices = this.#choices;
    const allowed: JsonValue[] =
      setting === undefined
        ? [valueFor(type, choices, world.types), valueFor(type, choices, world.types)]
        : choices.shuffled<JsonValue>(settings[setting].values);
    const first = allowed[0] ?? null;
    const given = (): boolean => choices.chance(this.#richness);
    return {
      type,
      ...this.notes(),
      ...(given() && { optional: choices.chance(50) }),
      ...(given() && first !== null && { default: first }),
      ...(given() && { enum: allowed }),
      ...((readonly || given()) && { readonly }),
    };
  }

  #number({ integer, min, max }: Extract<Shape, { kind: "number" }>): number {
    const choices = this.#choices;
    if (choices.chance(30)) return choices.pick([min, max]);
    return integer ? choices.between(min, max) : min + ((max - min) * choices.below(1_000)) / 1_000;
  }

  #list(items: Shape, key: string, scope: Scope): JsonValue {
    if (items.kind === "name" && items.declared) {
      return this.#choices.some(declaredNames(key, items.of, scope), 4);
    }
    const values = Array.from({ length: this.#choices.below(3) }, () => this.value(items, key, scope));
    return values.filter((value) => value !== undefined);
  }

  #map({ keys, values }: Extract<Shape, { kind: "map" }>, key: string, scope: Scope): JsonValue {
    const taken = new Set<string>();
    const entries = Array.from({ length: this.#choices.below(3) }, () => {
      const name = keys === undefined ? anyText(this.#choices) : newName(keys, this.#choices, taken);
      return [name, this.value(values, key, scope)] as const;
    });
    const allowed = entries.filter(([name]) => !forbiddenKeys.has(name));
    return Object.fromEntries(
      allowed.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
  }

  #anyOf(shapes: readonly Shape[], key: string, scope: Scope): JsonValue | undefined {
    for (const shape of this.#choices.shuffled(shapes)) {
      const value = this.value(shape, key, scope);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  /** `[A, B]`, `[LABEL: SOURCE]` or `{LABEL: SOURCE}`, without duplicate labels. Arguments may also be values. */
  #mapping(shape: Shape, { readable }: Scope): JsonValue {
    const choices = this.#choices;
    const literals = JSON.stringify(shape).includes('"json"');
    const taken = new Set<string>();
    // A name of a trigger's input may hide one of the session.
    const names = new Set(readable.map(({ name }) => name));
    const sources = choices.some([...names], 4);
    const asNames = choices.some(sources);
    for (const name of asNames) taken.add(name);
    const pairs = sources
      .filter((name) => !asNames.includes(name))
      .map((source) => {
        const value = literals && choices.chance(50) ? anyJson(choices) : source;
        return { [newName(literals ? "parameter" : "variable", choices, taken)]: value };
      });
    if (choices.chance(30)) return Object.assign({}, ...pairs);
    return choices.shuffled([...asNames, ...pairs]);
  }

  /** The kept share must be less than the threshold, even if one of them is left out. */
  #contextManagement(fields: FieldShapes, scope: Scope): JsonValue | undefined {
    const { recentPercent, thresholdPercent, ...rest } = this.fields(fields, scope) ?? {};
    return {
      ...rest,
      ...(recentPercent !== undefined && { recentPercent: this.#choices.between(0, 79) }),
      ...(thresholdPercent !== undefined && { thresholdPercent: this.#choices.between(80, 100) }),
    };
  }
}

/** Values for the patterns in the grammar, by key; ratios for all others. */
const patterned: Readonly<Record<string, readonly [string, ...string[]]>> = {
  expires: ["1m", "90m", "24h", "30d"],
  openFor: ["1m", "90m", "24h", "30d"],
  url: ["https://pay.example", "http://10.0.0.7:8080/a?b=c"],
};
const ratios = ["16:9", "1:1", "99:1"] as const;

/** They name no parameter, because each tool has others. */
const asked: readonly [JsonValue, ...JsonValue[]] = [
  true,
  {},
  { type: ["object", "null"] },
  { anyOf: [{ enum: [null, { a: 1 }] }, { not: { type: "array", minItems: 2, items: { maximum: -0.5 } } }] },
];

/** A thread's tools and workers are called by name, so the two lists must not share one. */
function distinct(values: Record<string, JsonValue>): Record<string, JsonValue> {
  const { tools, workers } = values;
  if (!Array.isArray(tools) || !Array.isArray(workers)) return values;
  return { ...values, workers: workers.filter((name) => !tools.includes(name)) };
}

/** The options of a provider need one of its models. */
function withItsModel(values: Record<string, JsonValue>): Record<string, JsonValue> {
  const { anthropic } = values;
  if (anthropic === undefined || anthropic === null) return values;
  return { ...values, model: "anthropic/claude-sonnet-4-5" };
}
