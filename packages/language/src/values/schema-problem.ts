import { isJsonObject, isPlainObject, type JsonSchema, type JsonValue } from "./json.ts";

const typeNames = ["string", "number", "integer", "boolean", "object", "array", "null"];
const isNumber = (value: JsonValue) => typeof value === "number";
const isSize = (value: JsonValue) => Number.isInteger(value) && Number(value) >= 0;
const isText = (value: JsonValue) => typeof value === "string";
const isType = (value: JsonValue) => typeNames.some((name) => name === value);
const isSchema = (value: JsonValue) => isPlainObject(value);
const isFilled = (value: JsonValue): value is readonly JsonValue[] =>
  Array.isArray(value) && value.length > 0;
const areSchemas = (value: JsonValue) => isFilled(value) && value.every(isSchema);

/** The keywords that `checkValue` knows, with their values, and those that only describe. */
const keywords: Readonly<Record<string, (value: JsonValue) => boolean>> = {
  type: (value) => isType(value) || (isFilled(value) && value.every(isType)),
  enum: isFilled,
  const: () => true,
  ...{ anyOf: areSchemas, oneOf: areSchemas, allOf: areSchemas, not: isSchema },
  ...{ minimum: isNumber, maximum: isNumber, exclusiveMinimum: isNumber, exclusiveMaximum: isNumber },
  ...{ minLength: isSize, maxLength: isSize, minItems: isSize, maxItems: isSize },
  items: isSchema,
  properties: (value) => isPlainObject(value) && Object.values(value).every(isSchema),
  required: (value) => Array.isArray(value) && value.every(isText),
  ...{ $schema: isText, title: isText, description: isText },
};

/**
 * Why a JSON Schema would not be checked as its author means: it has a keyword that `checkValue` ignores, or one with a
 * wrong value. The text completes a sentence about the schema. Undefined: the schema can be used. Its depth must be bounded.
 */
export function schemaProblem(schema: JsonSchema): string | undefined {
  for (const [keyword, value] of Object.entries(schema)) {
    if (!Object.hasOwn(keywords, keyword)) {
      return `has the keyword ${keyword.slice(0, 50)}, which is not supported; use ${Object.keys(keywords).join(", ")}`;
    }
    if (!keywords[keyword]?.(value ?? null)) return `has an invalid value for the keyword ${keyword}`;
    const problem = schemasIn(keyword, value ?? null)
      .map(schemaProblem)
      .find((found) => found !== undefined);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function schemasIn(keyword: string, value: JsonValue): JsonSchema[] {
  if (keyword === "properties") return Object.values(isJsonObject(value) ? value : {}).filter(isJsonObject);
  if (keyword === "items" || keyword === "not") return [value].filter(isJsonObject);
  return /Of$/.test(keyword) && Array.isArray(value) ? value.filter(isJsonObject) : [];
}
