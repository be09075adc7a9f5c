import { isPlainObject } from "@muster/language";
import { z } from "zod";

/** The problems of a request's body: those of its shape or, if it has the expected one, those that `find` finds. */
export function readBody<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
  find: (body: z.infer<Schema>) => string[],
): string[] {
  const read = schema.safeParse(body);
  if (read.success) return find(read.data);
  return read.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
}

/** Every call has exactly one result, and every result a call. */
export function mismatch(at: string, calls: readonly string[], results: readonly string[]): string[] {
  return [
    ...calls.filter((id) => !results.includes(id)).map((id) => `${at}: the call ${id} has no result here`),
    ...results
      .filter((id) => !calls.includes(id))
      .map((id) => `${at}: the result ${id} answers no call before it`),
    ...duplicatesIn(results, `${at}: result`),
  ];
}

export function duplicatesIn(ids: readonly string[], what: string): string[] {
  const seen = new Set<string>();
  return ids.filter((id) => seen.size === seen.add(id).size).map((id) => `${what} ${id} is used twice`);
}

/** Arguments that providers accept back: the JSON of an object. */
export const jsonObjectText = z.string().refine((text) => {
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value);
  } catch {
    return false;
  }
}, "The arguments are not the JSON of an object");
