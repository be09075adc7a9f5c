import { createHash, type Hash, hash } from "node:crypto";

import { isJsonObject, type JsonValue } from "@muster/language";
import { nextTurn, type Pause } from "./pause.ts";

/** Work that is done without a break. Only the keys of one object are sorted as a whole. */
const slice = { steps: 2_000, characters: 64 * 1024 };

/** A list or an object whose members are being read. */
interface Level {
  /** The keys of an object, sorted. */
  keys: string[] | undefined;
  members: readonly JsonValue[];
  index: number;
}

/** Equal for equal values, whatever the order of keys. Large values are read in slices. */
export async function canonicalHash(value: JsonValue, pause: Pause = nextTurn): Promise<string> {
  let slices: Hash | undefined;
  const levels: Level[] = [];
  let text = begin(value, levels);
  for (let step = 1; levels.length > 0; step += 1) {
    text += advance(levels);
    if (step % slice.steps !== 0 && text.length < slice.characters) continue;
    slices ??= createHash("sha256");
    slices.update(text);
    text = "";
    await pause();
  }
  // Most bodies are small, and without a hash object they take half the time.
  return slices?.update(text).digest("base64url") ?? hash("sha256", text, "base64url");
}

/** The text before the members of a list or an object, which become a level; the whole text of any other value. */
function begin(value: JsonValue, levels: Level[]): string {
  if (isJsonObject(value)) {
    const keys = Object.keys(value).sort();
    levels.push({ keys, members: keys.map((key) => value[key] ?? null), index: 0 });
    return "{";
  }
  if (!Array.isArray(value)) return JSON.stringify(value);
  levels.push({ keys: undefined, members: value, index: 0 });
  return "[";
}

/** The text of the next member of the innermost level, or its end. */
function advance(levels: Level[]): string {
  const level = levels.at(-1);
  if (level === undefined) return "";
  const { keys, members, index } = level;
  const member = members[index];
  if (member === undefined) {
    levels.pop();
    return keys === undefined ? "]" : "}";
  }
  level.index += 1;
  const separator = index === 0 ? "" : ",";
  const name = keys === undefined ? "" : `${JSON.stringify(keys[index])}:`;
  return separator + name + begin(member, levels);
}
