import { isPlainObject } from "@muster/language/json";
import { type CliError, serverFailure } from "./exit.ts";

export function optionalText(record: Record<string, unknown>, key: string): string | undefined {
  const value = record[key];
  return typeof value === "string" ? value : undefined;
}

/** Throws unless the value is an object. */
export function record(value: unknown): Record<string, unknown> {
  if (isPlainObject(value)) return value;
  throw unexpected("it is not a JSON object");
}

export function text(from: Record<string, unknown>, key: string): string {
  const value = from[key];
  if (typeof value === "string") return value;
  throw unexpected(`"${key}" is missing or has the wrong type`);
}

export function integer(from: Record<string, unknown>, key: string): number {
  const value = from[key];
  if (typeof value === "number" && Number.isSafeInteger(value)) return value;
  throw unexpected(`"${key}" is missing or has the wrong type`);
}

/** The objects of a list. */
export function records(from: Record<string, unknown>, key: string): Array<Record<string, unknown>> {
  const value = from[key];
  if (Array.isArray(value)) return value.map(record);
  throw unexpected(`"${key}" is missing or has the wrong type`);
}

export function texts(from: Record<string, unknown>, key: string): string[] {
  const value = from[key];
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
  throw unexpected(`"${key}" is missing or has the wrong type`);
}

/** The texts of an object by their keys. None if it is absent, as in responses of earlier releases. */
export function textsByKey(value: unknown): Record<string, string> {
  const entries = isPlainObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(
    entries.flatMap(([key, item]) => (typeof item === "string" ? [[key, item]] : [])),
  );
}

function unexpected(reason: string): CliError {
  const message = `The server's response is not compatible with this command: ${reason}. Check that both have the same version.`;
  return serverFailure("UNEXPECTED_RESPONSE", message);
}
