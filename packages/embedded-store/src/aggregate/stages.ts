import { encodeDoc } from "../bson/encode.ts";
import { doc } from "../bson/plain.ts";
import { Doc, type Value } from "../bson/value.ts";
import { notSupported, StoreError } from "../errors.ts";
import { own } from "../own.ts";
import { sorted } from "../query/cursor.ts";
import { matches } from "../query/match.ts";
import { parseFilter } from "../query/parse.ts";
import { documentProjection } from "../query/projection.ts";
import { Sorter } from "../query/sorter.ts";
import { fromIterator, mapped, window } from "../query/source.ts";
import { group } from "./group.ts";
import { countFieldOf, documentOf, limitOf, skipOf, sortOf } from "./operands.ts";
import { blocking, type Stage } from "./stage.ts";

/** Pipeline stages by name. A test compares the names with the README's table. */
export const stages: Readonly<Record<string, (operand: Value) => Stage>> = {
  $match: (operand) => {
    const filter = parseFilter(documentOf("$match", operand));
    return (input) => ({ run: (visit) => input.run((each) => !matches(filter, each) || visit(each)) });
  },
  $sort: (operand) => {
    const sort = sortOf(operand);
    return (input, { pace, memory }) => {
      const encoded = mapped(input, (each) => ({ content: encodeDoc(each), row: 0 }));
      const ordered = sorted(encoded, sort, new Sorter(Number.POSITIVE_INFINITY, pace, memory));
      return mapped(ordered, ({ content }) => Doc.fromRaw(content));
    };
  },
  $limit: (operand) => {
    const limit = limitOf(operand);
    return (input) => window(input, 0, limit);
  },
  $skip: (operand) => {
    const skip = skipOf(operand);
    return (input) => window(input, skip, 0);
  },
  $project: (operand) => {
    const source = documentOf("$project", operand);
    if (source.size === 0) throw new StoreError("Location51272", "$project needs at least one field");
    const project = documentProjection(source);
    return (input) => mapped(input, project);
  },
  $group: (operand) => group(documentOf("$group", operand)),
  $count: (operand) => {
    const name = countFieldOf(operand);
    return (input) => {
      let count = 0;
      const results = () => (count > 0 ? [doc({ [name]: count })] : []);
      return blocking(
        input,
        () => count++,
        () => fromIterator(results().values()),
      );
    };
  },
};

/** Parses one stage document. */
export function parseStage(source: Doc): Stage {
  const [name = "", operand] = [...source][0] ?? [];
  if (source.size !== 1 || !operand) {
    throw new StoreError(
      "Location40323",
      "A pipeline stage specification object must contain exactly one field.",
    );
  }
  const parse = own(stages, name);
  if (!parse) throw notSupported(`The aggregation stage ${name}`);
  return parse(operand);
}
