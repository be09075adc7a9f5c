import { readFileSync } from "node:fs";

/** One instruction of a Dockerfile. */
export interface Instruction {
  /** In capitals, such as `COPY`. */
  readonly keyword: string;
  /** `--from=packages` is `from` with `packages`. */
  readonly flags: ReadonlyMap<string, string>;
  /** The text after the flags, with continued lines joined. */
  readonly rest: string;
  /** `rest` as words: those of a JSON list, or separated by spaces. */
  readonly words: readonly string[];
}

export interface Stage {
  /** Undefined for the last one, which is the image. */
  readonly name: string | undefined;
  readonly base: string;
  readonly instructions: readonly Instruction[];
}

/** Reads the parts of the language that this repository uses; others fail. */
export function readDockerfile(path: string): Stage[] {
  const lines = readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => !line.startsWith("#"))
    .join("\n")
    .replace(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line.trim() !== "");
  const stages: Array<Stage & { instructions: Instruction[] }> = [];
  for (const instruction of lines.map(parseInstruction)) {
    if (instruction.keyword === "FROM") stages.push(stageOf(instruction));
    else {
      const stage = stages.at(-1);
      if (stage === undefined) throw new Error(`${instruction.keyword} stands before the first FROM`);
      stage.instructions.push(instruction);
    }
  }
  return stages;
}

function parseInstruction(line: string): Instruction {
  const match = /^(?<keyword>[A-Z]+)\s+(?<flags>(?:--\S+\s+)*)(?<rest>.*)$/.exec(line);
  const { keyword, flags, rest } = match?.groups ?? {};
  if (keyword === undefined || flags === undefined || rest === undefined) {
    throw new Error(`This is not an instruction: ${line}`);
  }
  const pairs = [...flags.matchAll(/--([^=\s]+)=(\S+)/g)].map(
    ([, name = "", value = ""]) => [name, value] as const,
  );
  return { keyword, flags: new Map(pairs), rest, words: wordsOf(rest) };
}

function wordsOf(text: string): string[] {
  if (!text.startsWith("[")) return text.split(/\s+/);
  const list: unknown = JSON.parse(text);
  return Array.isArray(list) ? list.map(String) : [];
}

function stageOf({ words: [base = "", as, name] }: Instruction): Stage & { instructions: Instruction[] } {
  return { base, name: as === "AS" ? name : undefined, instructions: [] };
}

/** `NAME=value` pairs of ENV and LABEL. A value in quotes may contain spaces. */
export function pairsOf({ rest }: Instruction): Array<[name: string, value: string]> {
  return [...rest.matchAll(/([\w.]+)=(?:"([^"]*)"|(\S*))/g)].map(([, name = "", quoted, plain = ""]) => [
    name,
    quoted ?? plain,
  ]);
}

/** How an image starts its containers. */
export interface ImageSettings {
  readonly command: readonly string[];
  readonly defaultArguments: readonly string[];
  readonly healthCommand: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly user: string;
}

/** `env`: that of the base image, and the arguments of the build. */
export function settingsOf({ instructions }: Stage, given: Readonly<Record<string, string>>): ImageSettings {
  const last = (keyword: string) => instructions.findLast((instruction) => instruction.keyword === keyword);
  const values: Record<string, string> = { ...given };
  const env: Record<string, string> = { PATH: given.PATH ?? "" };
  for (const instruction of instructions) {
    if (instruction.keyword === "ARG") {
      for (const [name, value] of pairsOf(instruction)) values[name] ??= value;
    }
    if (instruction.keyword !== "ENV") continue;
    for (const [name, value] of pairsOf(instruction)) {
      env[name] = value.replace(/\$(\w+)/g, (_, variable: string) => env[variable] ?? values[variable] ?? "");
    }
  }
  const health = last("HEALTHCHECK")?.rest ?? "";
  return {
    command: last("ENTRYPOINT")?.words ?? [],
    defaultArguments: last("CMD")?.words ?? [],
    healthCommand: wordsOf(health.replace(/^CMD\s+/, "")),
    env,
    user: last("USER")?.rest ?? "",
  };
}
