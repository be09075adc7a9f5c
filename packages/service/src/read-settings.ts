import { ConfigError, type Environment } from "./env.ts";

/** Several settings are missing or invalid: one ConfigError for each variable. */
export class ConfigErrors extends Error {
  readonly problems: readonly ConfigError[];

  constructor(problems: readonly ConfigError[]) {
    super(problems.map(({ message }) => message).join("; "));
    this.name = "ConfigErrors";
    this.problems = problems;
  }
}

/**
 * Calls `read`, whose first ConfigError would hide the others: after each one, it reads again without the wrong value, or with a
 * placeholder if the variable is required. Throws the only ConfigError, or ConfigErrors.
 */
export function readSettings<T>(env: Environment, read: (env: Environment) => T): T {
  const corrected = { ...env };
  const problems = new Map<string, ConfigError>();
  for (;;) {
    const result = attempt(() => read(corrected));
    if (!(result instanceof ConfigError)) {
      if (problems.size === 0) return result;
      break;
    }
    const { variable, placeholder } = result;
    const value = corrected[variable];
    const next = value === undefined || problems.has(variable) ? placeholder : undefined;
    if (!problems.has(variable)) problems.set(variable, result);
    // No other value is left to read with.
    if (next === value) break;
    corrected[variable] = next;
  }
  const [first, ...others] = problems.values();
  throw first && others.length === 0 ? first : new ConfigErrors([...problems.values()]);
}

function attempt<T>(read: () => T): T | ConfigError {
  try {
    return read();
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
}
