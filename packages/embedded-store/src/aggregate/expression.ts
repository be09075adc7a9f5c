import { T } from "../bson/types.ts";
import { array, Doc, document, List, nullValue, type Value } from "../bson/value.ts";
import { notSupported, StoreError } from "../errors.ts";
import { type Path, parseExpressionPath, parseFieldPath } from "../query/path.ts";

/** Computes a value from a document; returns undefined if a field is missing. */
export type Evaluate = (doc: Doc) => Value | undefined;

/** Parses `"$a.b"`, literals, and documents and arrays of these. Operators other than $literal are refused. */
export function parseExpression(value: Value): Evaluate {
  if (value.type === T.string && value.value.startsWith("$")) return fieldExpression(value.value);
  if (value.type === T.array) {
    const items = value.value.items.map(parseExpression);
    return (doc) => array(new List(items.map((item) => item(doc) ?? nullValue)));
  }
  return value.type === T.document ? documentExpression(value.value) : () => value;
}

/** The value of an expression that is the same for every document, unless it is a document or an array of such. */
export function constantIn(value: Value): Value | undefined {
  if (value.type === T.document && value.value.firstName() === "$literal") return value.value.get("$literal");
  return value.type === T.string || value.type === T.document || value.type === T.array ? undefined : value;
}

function fieldExpression(text: string): Evaluate {
  if (text.startsWith("$$")) throw notSupported(`The variable ${text} in an expression`);
  if (text === "$") throw new StoreError("Location16872", "'$' by itself is not a valid field path");
  const path = parseExpressionPath(text.slice(1));
  return (doc) => valueAt(document(doc), path, 0);
}

function documentExpression(source: Doc): Evaluate {
  const first = source.firstName();
  if (first?.startsWith("$")) {
    const literal = source.get("$literal");
    if (literal === undefined || source.size > 1) throw notSupported(`The expression operator ${first}`);
    return () => literal;
  }
  const fields = Array.from(source, ([name, value]) => {
    parseFieldPath(name, "Location15998");
    if (name.includes("."))
      throw new StoreError("Location16412", `FieldPath field names may not contain '.': ${name}`);
    return { name, evaluate: parseExpression(value) };
  });
  return (doc) => {
    const result = new Doc();
    for (const { name, evaluate } of fields) {
      const value = evaluate(doc);
      if (value !== undefined) result.set(name, value);
    }
    return document(result);
  };
}

// In expressions, a path through an array evaluates to an array of its documents' values. Arrays in it are skipped.
function valueAt(value: Value | undefined, path: Path, at: number): Value | undefined {
  if (at === path.length || value === undefined) return value;
  if (value.type === T.document) return valueAt(value.value.get(path[at] ?? ""), path, at + 1);
  if (value.type !== T.array) return undefined;
  return array(
    new List(
      value.value.items.flatMap((item) => (item.type === T.document ? (valueAt(item, path, at) ?? []) : [])),
    ),
  );
}
