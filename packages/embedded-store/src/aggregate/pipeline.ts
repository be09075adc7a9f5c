import { encodeDoc } from "../bson/encode.ts";
import { Doc } from "../bson/value.ts";
import { openQuery, type Query } from "../query/cursor.ts";
import type { MemoryShare } from "../query/memory.ts";
import { parseFilter } from "../query/parse.ts";
import { type DocumentSource, fromMemory, mapped } from "../query/source.ts";
import { type Collection, checkSize } from "../storage/collection.ts";
import { documentOf, limitOf, skipOf, sortOf } from "./operands.ts";
import type { Stage } from "./stage.ts";
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
  if (name === "$sort") return { sort: sortOf(operand) };
  if (name === "$skip") return { skip: skipOf(operand) };
  return { limit: limitOf(operand) };
}

/** The documents that a pipeline returns, computed as they are read. */
export function runPipeline(
  collection: Collection | undefined,
  { query, stages }: Pipeline,
  memory: MemoryShare,
): DocumentSource {
  if (!collection) return fromMemory([]);
  const source = openQuery(collection, query, memory);
  if (stages.length === 0) return source;
  const context = { memory, pace: collection.database.pace };
  const input = mapped(source, ({ content }) => Doc.fromRaw(content));
  const output = stages.reduce((before, stage) => stage(before, context), input);
  return mapped(output, (doc) => ({ content: checkSize(encodeDoc(doc)), row: 0 }));
}
