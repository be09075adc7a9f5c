import { type Readable, type Setting, settings, type World } from "./world.ts";

/** The declarations that the value of a key may name. */
export interface Scope {
  readonly world: World;
  readonly readable: readonly Readable[];
}

/** The types of the variables that a key may name; any for the others. */
const wantedTypes: Readonly<Record<string, readonly string[]>> = {
  files: ["file", "file[]"],
  referenceImages: ["file", "file[]", "string", "string[]"],
  text: ["string"],
  audio: ["file", "string"],
  // A key of generate-image; elsewhere it names a prompt.
  prompt: ["string"],
};

/** The valid names for a key's value. `of` is the kind of name according to the grammar. */
export function declaredNames(key: string, of: string, { world, readable }: Scope): readonly string[] {
  switch (of) {
    case "variable":
      return variables(key, readable);
    case "tool":
      return [...world.tools.keys()];
    case "worker":
      return world.workers;
    case "namespace":
      return world.mcpServers;
    case "skill":
      return world.skills;
    case "reference":
      return world.references;
    case "prompt":
      return world.prompts;
    case "type":
      return world.types.filter(({ shape }) => shape === "object").map(({ name }) => name);
    case "thread":
      return world.format === "interactive" ? ["main", ...world.threads] : world.threads;
    default:
      return [];
  }
}

function variables(key: string, readable: readonly Readable[]): readonly string[] {
  const wanted = wantedTypes[key];
  const visible = visibleOf(readable);
  if (isSetting(key)) return namesOf(visible.filter(({ setting }) => setting === key));
  return namesOf(wanted === undefined ? visible : visible.filter(({ type }) => fits(type, wanted)));
}

function isSetting(key: string): key is Setting {
  return Object.hasOwn(settings, key);
}

/** The variables that blocks may write and whose type accepts a value of one of these types. */
export function outputsFor(types: readonly string[] | "any", { world }: Scope): readonly string[] {
  return namesOf(types === "any" ? world.variables : world.variables.filter(({ type }) => fits(type, types)));
}

/** The names that can be read as a value of a type. */
export function sourcesFor(type: string, { readable }: Scope): readonly string[] {
  return namesOf(visibleOf(readable).filter((it) => fits(it.type, [type])));
}

/** Names with exactly this type, or with a type that fits all. */
function fits(type: string, wanted: readonly string[]): boolean {
  return type === "unknown" || wanted.includes("unknown") || wanted.includes(type);
}

/** A name of a trigger's input may hide one of the session. */
function visibleOf(readable: readonly Readable[]): readonly Readable[] {
  return readable.filter(({ name }, index) => readable.findIndex((it) => it.name === name) === index);
}

function namesOf(readable: readonly Readable[]): readonly string[] {
  return readable.map(({ name }) => name);
}
