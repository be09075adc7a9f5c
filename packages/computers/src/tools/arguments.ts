import { isJsonObject, type JsonValue } from "@muster/language/json";

/** The model's arguments are wrong. The message is for the model. */
export class ArgumentError extends Error {
  override readonly name = "ArgumentError";
}

/** Typed reads of a tool's arguments. Null counts as absent: some models send it for fields that they leave out. */
export function readArguments(args: JsonValue) {
  if (!isJsonObject(args)) throw new ArgumentError("The arguments must be an object.");
  const value = (name: string): JsonValue | undefined =>
    Object.hasOwn(args, name) && args[name] !== null ? args[name] : undefined;
  const required = <T>(name: string, found: T | undefined): T => {
    if (found === undefined) throw new ArgumentError(`"${name}" is missing.`);
    return found;
  };
  const text = (name: string, maxLength: number): string | undefined => {
    const found = value(name);
    if (found === undefined) return undefined;
    if (typeof found !== "string") throw new ArgumentError(`"${name}" must be a string.`);
    if (found.length > maxLength)
      throw new ArgumentError(`"${name}" must have at most ${maxLength} characters.`);
    return found;
  };
  return {
    text,
    requiredText: (name: string, maxLength: number): string => required(name, text(name, maxLength)),
    integer(name: string, { min, max }: { min: number; max: number }, fallback: number): number {
      const found = value(name);
      if (found === undefined) return fallback;
      if (typeof found !== "number" || !Number.isInteger(found) || found < min || found > max) {
        throw new ArgumentError(`"${name}" must be a whole number from ${min} to ${max}.`);
      }
      return found;
    },
    flag(name: string): boolean {
      const found = value(name) ?? false;
      if (typeof found !== "boolean") throw new ArgumentError(`"${name}" must be true or false.`);
      return found;
    },
  };
}

export type Arguments = ReturnType<typeof readArguments>;

const maxPathLength = 4_096;

/** A path as the model writes it: `~` is the home directory. */
export function requiredPath(args: Arguments, name: string): string {
  return checkPath(name, args.requiredText(name, maxPathLength));
}

export function optionalPath(args: Arguments, name: string, fallback: string): string {
  return checkPath(name, args.text(name, maxPathLength) ?? fallback);
}

function checkPath(name: string, path: string): string {
  if (path === "" || path.includes("\0")) throw new ArgumentError(`"${name}" must be a path.`);
  return path;
}
