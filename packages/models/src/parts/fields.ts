import { InvalidResponseDataError } from "@ai-sdk/provider";
import { isPlainObject } from "@muster/language";

/** An object from a provider. The functions below throw if it is not of the expected form. */
export type Fields = Readonly<Record<string, unknown>>;

export function objectOf(data: unknown): Fields {
  if (isPlainObject(data)) return data;
  throw unexpected(data, "an object");
}

/** None if absent or `null`. */
export function objectsOf(data: unknown): Fields[] {
  if (data === undefined || data === null) return [];
  if (Array.isArray(data)) return data.map(objectOf);
  throw unexpected(data, "an array");
}

/** Undefined if absent or `null`. */
export function textOf(data: unknown): string | undefined {
  if (typeof data === "string") return data;
  if (data === undefined || data === null) return undefined;
  throw unexpected(data, "a string");
}

/** Undefined if absent or `null`. */
export function numberOf(data: unknown): number | undefined {
  if (typeof data === "number") return data;
  if (data === undefined || data === null) return undefined;
  throw unexpected(data, "a number");
}

function unexpected(data: unknown, expected: string): Error {
  return new InvalidResponseDataError({
    data,
    message: `The provider sent something else than ${expected}.`,
  });
}
