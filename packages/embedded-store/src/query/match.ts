import type { Doc, Value } from "../bson/value.ts";
import type { Expression } from "./conjuncts.ts";
import { anyAt } from "./path.ts";

/** Whether a document satisfies a filter. */
export function matches(expression: Expression, doc: Doc): boolean {
  switch (expression.kind) {
    case "and":
      return expression.parts.every((part) => matches(part, doc));
    case "or":
      return expression.parts.some((part) => matches(part, doc));
    case "not":
      return !matches(expression.part, doc);
    case "test":
      return anyAt(doc, expression.path, expression.predicate.whole, expression.predicate.test);
  }
}

/** Whether one value (an array element) satisfies operators without a field name. */
export function matchesValue(expression: Expression, value: Value): boolean {
  switch (expression.kind) {
    case "and":
      return expression.parts.every((part) => matchesValue(part, value));
    case "or":
      return expression.parts.some((part) => matchesValue(part, value));
    case "not":
      return !matchesValue(expression.part, value);
    case "test":
      return expression.predicate.test(value);
  }
}
