import { encodeDoc } from "../bson/encode.ts";
import { doc } from "../bson/plain.ts";
import { T } from "../bson/types.ts";
import type { Doc, Value } from "../bson/value.ts";
import { notSupported, StoreError } from "../errors.ts";
import { own } from "../own.ts";
import { sortKey } from "../query/cursor.ts";
import { matches } from "../query/match.ts";
import { parseFilter } from "../query/parse.ts";
import { parseFieldPath } from "../query/path.ts";
import { documentProjection } from "../query/projection.ts";
import { parseKeyPattern } from "../storage/index-spec.ts";
import { MemoryBudget } from "./budget.ts";
import { group } from "./group.ts";
import { documentOf, positiveInteger } from "./operands.ts";
import type { Sink, Stage } from "./stage.ts";

/** Pipeline stages by name. A test compares the names with the README's table. */
export const stages: Readonly<Record<string, (operand: Value) => Stage>> = {
  $match: (operand) => {
    const filter = parseFilter(documentOf("$match", operand));
    return (next) => ({ ...next, take: (each) => !matches(filter, each) || next.take(each) });
  },
  $sort: (operand) => {
    const sort = parseKeyPattern(documentOf("$sort", operand), "BadValue");
    return (next) =>
      collected(next, (docs) => {
        const entries = docs.map((each) => ({ key: sortKey(each, sort), each }));
        return entries.sort((a, b) => Buffer.compare(a.key, b.key)).map(({ each }) => each);
      });
  },
  $limit: (operand) => {
    const limit = positiveInteger("$limit", operand, 1);
    return (next) => {
      let given = 0;
      return { ...next, take: (each) => given < limit && next.take(each) && ++given < limit };
    };
  },
  $skip: (operand) => {
    const skip = positiveInteger("$skip", operand, 0);
    return (next) => {
      let skipped = 0;
      return { ...next, take: (each) => (skipped < skip ? ++skipped > 0 : next.take(each)) };
    };
  },
  $project: (operand) => {
    const source = documentOf("$project", operand);
    if (source.size === 0) throw new StoreError("BadValue", "$project needs at least one field");
    const project = documentProjection(source);
    return (next) => ({ ...next, take: (each) => next.take(project(each)) });
  },
  $group: (operand) => group(documentOf("$group", operand)),
  $count: (operand) => {
    if (operand.type !== T.string || operand.value === "" || operand.value.includes(".")) {
      throw new StoreError("BadValue", "the count field must be a non-empty string without '.'");
    }
    parseFieldPath(operand.value);
    const name = operand.value;
    return (next) => {
      let count = 0;
      return {
        take: () => ++count > 0,
        finish: () => {
          if (count > 0) next.take(doc({ [name]: count }));
          next.finish();
        },
      };
    };
  },
};

/** Parses one stage document. */
export function parseStage(source: Doc): Stage {
  const [name = "", operand] = [...source][0] ?? [];
  if (source.size !== 1 || !operand) {
    throw new StoreError("BadValue", "A pipeline stage specification object must contain exactly one field.");
  }
  const parse = own(stages, name);
  if (!parse) throw notSupported(`The aggregation stage ${name}`);
  return parse(operand);
}

// For stages that need their whole input before they produce output.
function collected(next: Sink, transform: (docs: Doc[]) => Doc[]): Sink {
  const docs: Doc[] = [];
  const budget = new MemoryBudget();
  return {
    take: (each) => {
      budget.take(encodeDoc(each).length);
      return docs.push(each) > 0;
    },
    finish: () => {
      transform(docs).every((each) => next.take(each));
      next.finish();
    },
  };
}
