import { Compile } from "typebox/schema";
import { entrySchemas, isEntryType } from "./entries.ts";

/** Throws unless the value is an entry with exactly the fields of its schema. */
export function checkEntry(value: unknown): void {
  const type = typeof value === "object" && value !== null && "type" in value ? value.type : undefined;
  if (!isEntryType(type)) throw new Error(`${JSON.stringify(value)} is not an entry with a documented type`);
  const validator = Compile({ ...entrySchemas[type], additionalProperties: false });
  if (validator.Check(value)) return;
  const [, errors] = validator.Errors(value);
  const problems = errors.map(({ instancePath, message }) => `${instancePath} ${message}`);
  throw new Error(`${JSON.stringify(value)} differs from the schema of ${type}: ${problems.join("; ")}`);
}
