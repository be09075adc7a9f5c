import { encodeDoc } from "../bson/encode.ts";
import { Doc } from "../bson/value.ts";
import { type DocumentSource, openQuery, type Query } from "../query/cursor.ts";
import { parseFilter } from "../query/parse.ts";
import { type Collection, checkSize } from "../storage/collection.ts";
import { parseKeyPattern } from "../storage/index-spec.ts";
import { MemoryBudget } from "./budget.ts";
import { documentOf, positiveInteger } from "./operands.ts";
import type { Sink, Stage } from "./stage.ts";
import { parseStage } from "./stages.ts";

/** A pipeline: its leading stages as one query, which can use indexes, and the remaining stages. */
export interface Pipeline {
  readonly query: Query;
  readonly stages: readonly Stage[];
}

/** The order in which leading stages can be merged into one query. */
const leading = ["$match", "$sort", "$skip", "$limit"];

export function parsePipeline(source: readonly Doc[]): Pipeline {
  const parsed = source.map(parseStage);
  let query: Query = { filter: parseFilter(new Doc()), sort: [], skip: 0, limit: 0 };
  let used = 0;
  let from = 0;
  for (const stage of source) {
    const name = stage.firstName() ?? "";
    const place = leading.indexOf(name, from);
    if (place < 0) break;
    query = { ...query, ...leadingPart(name, stage) };
    from = place + 1;
    used++;
  }
  return { query, stages: parsed.slice(used) };
}

function leadingPart(name: string, stage: Doc): Partial<Query> {
  const operand = stage.get(name);
  if (!operand) return {};
  if (name === "$match") return { filter: parseFilter(documentOf(name, operand)) };
  if (name === "$sort") return { sort: parseKeyPattern(documentOf(name, operand), "BadValue") };
  if (name === "$skip") return { skip: positiveInteger(name, operand, 0) };
  return { limit: positiveInteger(name, operand, 1) };
}

/** The documents that a pipeline returns. If stages follow the query, all results are computed together and kept in memory. */
export function runPipeline(collection: Collection | undefined, pipeline: Pipeline): DocumentSource {
  const source = collection ? openQuery(collection, pipeline.query) : { run: () => true };
  return pipeline.stages.length === 0 ? source : fromMemory(computed(source, pipeline.stages));
}

function computed(source: DocumentSource, stages: readonly Stage[]): Buffer[] {
  const results: Buffer[] = [];
  const budget = new MemoryBudget();
  const last: Sink = {
    take: (doc) => {
      const raw = encodeDoc(doc);
      checkSize(raw);
      budget.take(raw.length);
      return results.push(raw) > 0;
    },
    finish: () => {},
  };
  const first = stages.reduceRight((next, stage) => stage(next), last);
  source.run((content) => first.take(Doc.fromRaw(content)));
  first.finish();
  return results;
}

/** A source of documents that are already in memory. */
export function fromMemory(contents: readonly Buffer[]): DocumentSource {
  let next = 0;
  return {
    run: (visit) => {
      for (let content = contents[next]; content; content = contents[next]) {
        next++;
        if (!visit(content, 0)) break;
      }
      return next >= contents.length;
    },
  };
}
