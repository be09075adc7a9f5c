import type { DefinitionSource } from "../../src/source.ts";
import { isJsonObject, type JsonValue } from "../../src/values/json.ts";
import type { Choices } from "./choices.ts";
import type { Draft } from "./draft.ts";
import { anyText } from "./words.ts";

type Change = (value: JsonValue, choices: Choices, whole: JsonValue) => JsonValue | undefined;

/** A random change to one value of a tree. Undefined removes it. */
const changes: readonly [Change, ...Change[]] = [
  () => undefined,
  () => null,
  (value) => [value],
  (value) => ({ type: value }),
  (value) => (typeof value === "string" ? value.toUpperCase() : JSON.stringify(value)),
  (value) => (typeof value === "string" ? `${value.slice(0, -1)}x` : -1),
  (value) => (typeof value === "string" ? swapped(value) : true),
  (_, choices) => choices.pick(wrongValues),
  (_, choices) => anyText(choices),
  (_, choices, whole) => pickAnywhere(whole, choices),
  (_, choices, whole) => keyAnywhere(whole, choices),
  (_, choices, whole) => keyAnywhere(whole, choices),
  (_, choices) => nested(choices.between(10, 60)),
  (value) => (isJsonObject(value) ? { ...value, ...renamed(value) } : value),
  (value) => (isJsonObject(value) ? Object.fromEntries(Object.entries(value).reverse()) : value),
];

const wrongValues: readonly [JsonValue, ...JsonValue[]] = [
  "strng",
  "mian",
  "plaform_x",
  "platform_web_search",
  "A",
  "NONE",
  "Order",
  "Order[][][][][][][][][]",
  "demo",
  "nobody/model",
  "../secret",
  "__proto__",
  "constructor",
  "\u0000\u001b",
  "half \ud800",
  "x".repeat(300),
  0,
  -1,
  1e308,
  0.5,
  [],
  {},
  [[]],
  [null],
  { block: "next-message" },
  { anyOf: ["A", "A"], discriminator: "kind" },
  { type: "array", items: { type: "Order" } },
];

/** Breaks one part of a draft: in the tree, in a prompt or in a name. */
export function damageDraft(draft: Draft, choices: Choices): Draft {
  if (choices.chance(75)) return { ...draft, protocol: changeSomewhere(draft.protocol, choices) };
  const { settings, prompts, references } = draft;
  const [first, ...rest] = choices.shuffled(prompts);
  switch (choices.below(8)) {
    case 7: {
      const workers = isJsonObject(draft.protocol) ? draft.protocol.workers : undefined;
      const [slug] = choices.pick(entriesOf(workers ?? null)) ?? [];
      return { ...draft, settings: { ...settings, slug: slug ?? "own" } };
    }
    case 0:
      return { ...draft, settings: { ...settings, slug: anyText(choices) } };
    case 1:
      return {
        ...draft,
        settings: { ...settings, format: settings.format === "worker" ? "interactive" : "worker" },
      };
    case 2:
      return { ...draft, prompts: rest };
    case 3:
      return first === undefined ? draft : { ...draft, prompts: [...prompts, first] };
    case 4:
      return first === undefined
        ? draft
        : { ...draft, prompts: [...rest, { ...first, name: wrongName(choices) }] };
    case 5: {
      const content = wrongPrompt(first?.name ?? "", choices);
      return first === undefined ? draft : { ...draft, prompts: [...rest, { ...first, content }] };
    }
    default:
      return { ...draft, references: references.map((it) => ({ ...it, name: wrongName(choices) })) };
  }
}

/** Damages the text as a typo or a bad merge would. */
export function damageText(source: DefinitionSource, choices: Choices): DefinitionSource {
  const { protocol } = source;
  const start = choices.below(protocol.length + 1);
  const length = choices.chance(50) ? 0 : choices.below(40);
  const piece = choices.chance(30)
    ? protocol.slice(choices.below(protocol.length + 1)).slice(0, 60)
    : anyText(choices);
  return { ...source, protocol: protocol.slice(0, start) + piece + protocol.slice(start + length) };
}

function changeSomewhere(value: JsonValue, choices: Choices, whole = value): JsonValue {
  const entries = entriesOf(value);
  const [key] = choices.pick(entries) ?? [];
  if (key === undefined || choices.chance(12)) return choices.pick(changes)(value, choices, whole) ?? null;
  const changed = entries.flatMap(([name, item]): Array<[string, JsonValue]> => {
    if (name !== key) return [[name, item]];
    if (choices.chance(15)) return isJsonObject(value) ? [[wrongKey(name, choices), item]] : [];
    return [[name, changeSomewhere(item, choices, whole)]];
  });
  return Array.isArray(value) ? changed.map(([, item]) => item) : Object.fromEntries(changed);
}

function entriesOf(value: JsonValue): Array<[string, JsonValue]> {
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

function pickAnywhere(value: JsonValue, choices: Choices): JsonValue {
  const [, item] = choices.pick(entriesOf(value)) ?? [];
  return item === undefined || choices.chance(30) ? value : pickAnywhere(item, choices);
}

/** A name, which may be of the wrong kind or form a cycle. */
function keyAnywhere(value: JsonValue, choices: Choices): JsonValue {
  const [key, item] = choices.pick(entriesOf(value)) ?? [];
  if (key === undefined || item === undefined) return "nothing";
  return entriesOf(item).length === 0 || choices.chance(30) ? key : keyAnywhere(item, choices);
}

function renamed(value: { readonly [key: string]: JsonValue }): Record<string, JsonValue> {
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [`${key}x`, item]));
}

function wrongKey(name: string, choices: Choices): string {
  return choices.pick([
    swapped(name),
    `${name}s`,
    name.toUpperCase(),
    anyText(choices),
    "__proto__",
    "platform_web_search",
    "description",
  ]);
}

function wrongName(choices: Choices): string {
  return choices.pick([
    "../etc/passwd",
    "a/../b",
    "",
    "A",
    "a.md",
    "/",
    "__proto__",
    "a".repeat(300),
    anyText(choices),
  ]);
}

function wrongPrompt(own: string, choices: Choices): string {
  const pieces = [
    "{{#if A}}",
    "{{/if}}",
    "{{else}}",
    `{{@${own}}}`,
    "{{@nobody}}",
    "{{#if A = 1}}",
    "{{#if A}}".repeat(50),
  ];
  return choices.some(pieces).join(anyText(choices));
}

function swapped(text: string): string {
  const middle = Math.floor(text.length / 2);
  return `${text.slice(0, middle - 1)}${text[middle] ?? ""}${text[middle - 1] ?? ""}${text.slice(middle + 1)}`;
}

function nested(levels: number): JsonValue {
  let value: JsonValue = "a";
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { items: value };
  return value;
}
