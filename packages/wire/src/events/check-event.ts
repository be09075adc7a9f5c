import { Compile, type Validator } from "typebox/schema";
import type { TSchema } from "../schema/index.ts";
import { type EventType, eventSchemas, isEventType } from "./events.ts";

const validators = new Map<EventType, Validator>();

/** Throws unless the value is an event with exactly the fields of its schema. Too slow for the path of every delta. */
export function checkEvent(value: unknown): void {
  const type = typeof value === "object" && value !== null && "type" in value ? value.type : undefined;
  if (!isEventType(type)) throw new Error(`${JSON.stringify(value)} is not an event with a documented type`);
  const validator = validatorOf(type);
  if (validator.Check(value)) return;
  const [, errors] = validator.Errors(value);
  const problems = errors.map(({ instancePath, message }) => `${instancePath} ${message}`);
  throw new Error(`${JSON.stringify(value)} differs from the schema of ${type}: ${problems.join("; ")}`);
}

function validatorOf(type: EventType): Validator {
  const known = validators.get(type);
  if (known !== undefined) return known;
  const made = Compile(closed(eventSchemas[type]));
  validators.set(type, made);
  return made;
}

/** The schema without room for further fields. Clients must accept them, but the server must not send any. */
function closed(schema: TSchema): TSchema {
  const entries = Object.entries(schema).map(([key, value]) => [key, closedAt(key, value)]);
  const copy: TSchema = Object.fromEntries(entries);
  return "properties" in schema ? { ...copy, additionalProperties: false } : copy;
}

function closedAt(key: string, value: unknown): unknown {
  if (key === "properties" && isSchema(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, field]) => [name, isSchema(field) ? closed(field) : field]),
    );
  }
  return key === "items" && isSchema(value) ? closed(value) : value;
}

function isSchema(value: unknown): value is TSchema {
  return typeof value === "object" && value !== null;
}
