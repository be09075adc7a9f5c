/** The variables of a Compose file: those of `.env`. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** A variable that has no default is missing. The message is the one that the file gives. */
export class MissingVariable extends Error {
  readonly variable: string;

  constructor(variable: string, message: string) {
    super(`${variable}: ${message}`);
    this.name = "MissingVariable";
    this.variable = variable;
  }
}

/** `$$`, `${NAME}`, `${NAME:-default}` and `${NAME:?message}`, the forms of the Compose Specification that compose.yaml uses. */
const pattern = /\$(?:(\$)|\{([A-Z][A-Z0-9_]*)(?::([-?])([^}]*))?\}|)/g;

/** The text with its variables replaced. As in Docker Compose, an empty variable counts as missing. */
export function interpolate(text: string, variables: Variables): string {
  return text.replace(pattern, (_, dollar?: string, name?: string, operator?: string, operand = "") => {
    if (dollar) return "$";
    if (name === undefined) throw new Error(`Not a variable that is understood: ${text}`);
    const value = variables[name];
    if (value) return value;
    if (operator === "?") throw new MissingVariable(name, operand);
    return operand;
  });
}

/** The names of all variables in the text. */
export function variablesIn(text: string): string[] {
  const names = [...text.matchAll(pattern)].flatMap(([, , name]) => name ?? []);
  return [...new Set(names)].sort();
}

/** Every string in a parsed document, replaced. Keys are not interpolated. */
export function interpolateAll(value: unknown, variables: Variables): unknown {
  if (typeof value === "string") return interpolate(value, variables);
  if (Array.isArray(value)) return value.map((each) => interpolateAll(each, variables));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, interpolateAll(each, variables)]),
  );
}
