import { Secret } from "./secret.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** A setting is missing or invalid. The message names the variable and its accepted values. */
export class ConfigError extends Error {
  readonly variable: string;
  /** A valid value, with which `readSettings` continues to look for other problems. Absent: the variable can be left out. */
  readonly placeholder: string | undefined;

  constructor(variable: string, problem: string, placeholder?: string) {
    super(`${variable} ${problem}`);
    this.name = "ConfigError";
    this.variable = variable;
    this.placeholder = placeholder;
  }
}

/**
 * Typed reads of environment variables. An empty value counts as absent. Each service reads its variables in
 * one file, its `config.ts`, through these.
 */
export function readEnvironment(env: Environment) {
  const text = (name: string): string | undefined => env[name]?.trim() || undefined;
  return {
    string: (name: string): string | undefined => text(name),
    /** `placeholder`: see ConfigError. */
    required: (name: string, placeholder: string): string => {
      const value = text(name);
      if (value === undefined) throw new ConfigError(name, "must be set", placeholder);
      return value;
    },
    integer: (name: string, fallback: number, range: { min: number; max: number }): number => {
      const value = text(name);
      if (value === undefined) return fallback;
      const number = Number(value);
      if (!Number.isInteger(number) || number < range.min || number > range.max) {
        throw new ConfigError(
          name,
          `must be a whole number from ${range.min} to ${range.max}, not ${JSON.stringify(value)}`,
        );
      }
      return number;
    },
    boolean: (name: string, fallback: boolean): boolean => {
      const value = text(name);
      if (value === undefined) return fallback;
      if (value === "true" || value === "1") return true;
      if (value === "false" || value === "0") return false;
      throw new ConfigError(name, `must be true or false, not ${JSON.stringify(value)}`);
    },
    oneOf: <const T extends string>(name: string, allowed: readonly T[], fallback: T): T => {
      const value = text(name);
      if (value === undefined) return fallback;
      const match = allowed.find((candidate) => candidate === value);
      if (match === undefined) {
        throw new ConfigError(name, `must be one of ${allowed.join(", ")}, not ${JSON.stringify(value)}`);
      }
      return match;
    },
    url: (name: string): URL | undefined => {
      const value = text(name);
      if (value === undefined) return undefined;
      if (!URL.canParse(value)) throw new ConfigError(name, "must be a URL");
      return new URL(value);
    },
    secret: (name: string): Secret | undefined => {
      const value = text(name);
      return value === undefined ? undefined : new Secret(value);
    },
  };
}

export type EnvironmentReader = ReturnType<typeof readEnvironment>;
