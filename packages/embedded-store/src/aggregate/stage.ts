import type { Doc } from "../bson/value.ts";
import type { Pace } from "../pace.ts";
import type { MemoryShare } from "../query/memory.ts";
import type { Source } from "../query/source.ts";

/** The resources of the command that runs a pipeline. */
export interface StageContext {
  readonly memory: MemoryShare;
  readonly pace: Pace;
}

/** A parsed stage: maps its input to its output, which is computed only as it is read. */
export type Stage = (input: Source<Doc>, context: StageContext) => Source<Doc>;

/** A stage that produces nothing before it has read all of its input. */
export function blocking(
  input: Source<Doc>,
  take: (doc: Doc) => void,
  finish: () => Source<Doc>,
): Source<Doc> {
  let output: Source<Doc> | undefined;
  return {
    run: (visit) => {
      if (!output) {
        const progress = input.run((doc) => {
          take(doc);
          return true;
        });
        if (progress === "paused") return progress;
        output = finish();
      }
      return output.run(visit);
    },
  };
}
