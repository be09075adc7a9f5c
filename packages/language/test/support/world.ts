import type { Format } from "../../src/program.ts";
import type { Choices } from "./choices.ts";
import { type OwnType, typeUse, writeTypes } from "./own-types.ts";
import { newName } from "./words.ts";

/** A name that blocks may read, with its type. */
export interface Readable {
  readonly name: string;
  readonly type: string;
  /** The key of a thread that reads it; its values are valid for that key. */
  readonly setting?: Setting;
}

export const settings = {
  model: { type: "string", values: ["demo/echo", "local/a:b@c"] },
  backupModel: { type: "string", values: ["anthropic/claude-sonnet-4-5", "aggregator/x/y.z"] },
  thinking: { type: "string", values: ["off", "max"] },
  maxSteps: { type: "integer", values: [1, 1_000] },
  temperature: { type: "number", values: [0, 1.5] },
  speed: { type: "string", values: ["fast", "standard"] },
} as const;

export type Setting = keyof typeof settings;

export interface Parameter extends Readable {
  readonly optional: boolean;
}

/** Everything that a definition declares, chosen before anything that uses it is written. */
export interface World {
  readonly format: Format;
  readonly slug: string;
  readonly types: readonly OwnType[];
  readonly input: readonly Readable[];
  readonly variables: readonly Readable[];
  readonly resources: ReadonlyArray<Readable & { readonly: boolean }>;
  /** Tools with their parameters. */
  readonly tools: ReadonlyMap<string, readonly Parameter[]>;
  readonly workers: readonly string[];
  readonly mcpServers: readonly string[];
  readonly skills: readonly string[];
  readonly capabilities: readonly string[];
  readonly references: readonly string[];
  readonly prompts: readonly string[];
  readonly triggers: ReadonlyMap<string, readonly Readable[]>;
  /** Opened by a block; in a worker this includes `main`. */
  readonly threads: readonly string[];
}

const settingNames: readonly Setting[] = [
  "model",
  "backupModel",
  "thinking",
  "maxSteps",
  "temperature",
  "speed",
];

export function writeWorld(choices: Choices, size: number): World {
  const format = choices.chance(60) ? "interactive" : "worker";
  const slugs = new Set<string>();
  const slug = newName("slug", choices, slugs);
  const types = writeTypes(choices, choices.below(size + 1));
  const taken = new Set<string>();
  const count = () => choices.below(size + 1);
  const names = (kind: Parameters<typeof newName>[0], length: number, used = new Set<string>()) =>
    Array.from({ length }, () => newName(kind, choices, used));
  const readables = (length: number, used: Set<string>) =>
    names("variable", length, used).map((name) => ({ name, type: typeUse(choices, types) }));
  const ofTypes = (types: readonly string[]) =>
    types.map((type) => ({ name: newName("variable", choices, taken), type }));
  const parameters = () =>
    names("parameter", choices.below(4)).map((name) => {
      return { name, type: typeUse(choices, types), optional: choices.chance(40) };
    });
  return {
    format,
    slug,
    types,
    // One for each type that some key requires.
    input: [
      ...ofTypes(choices.some(["file", "file[]", "integer", "number"])),
      ...choices.some(settingNames).map((setting) => {
        return { name: newName("variable", choices, taken), type: settings[setting].type, setting };
      }),
      ...readables(count(), taken),
    ],
    variables: [
      ...ofTypes(choices.some(["string", "unknown", "file", "unknown[]"])),
      ...readables(count(), taken),
    ],
    resources: readables(count(), taken).map((it) => ({ ...it, readonly: choices.chance(30) })),
    tools: new Map(names("tool", count()).map((name) => [name, parameters()])),
    workers: names("worker", count(), slugs),
    mcpServers: names("namespace", count()),
    skills: names("skill", count()),
    capabilities: names("capability", count()),
    references: names("reference", count()),
    prompts: names("prompt", 1 + count()),
    // A name of a trigger's input may hide one of the session.
    triggers: new Map(
      names("trigger", 1 + choices.below(3)).map((name) => [name, readables(choices.below(3), new Set())]),
    ),
    threads: [
      ...(format === "worker" ? ["main"] : []),
      ...names("thread", choices.below(3), new Set(["main"])),
    ],
  };
}
