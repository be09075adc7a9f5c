import { FairQueue } from "@muster/service";
import type { WorkforceContext } from "./context.ts";

const usualLimits = { running: 64, runningPerOwner: 16 };
const batchSize = 100;
/** The work of one project beyond this waits in the store. */
const maxHeldPerProject = 100;

/** A stored thing that is due. */
interface DueItem {
  _id: string;
  projectId: string;
}

export interface DueWorkOptions<Item extends DueItem, Lane extends string> {
  /** Each has a queue of its own. */
  lanes: readonly Lane[];
  /** Finds the due items of the lane that no instance works on, except these. */
  find(
    lane: Lane,
    now: Date,
    except: { ids: readonly string[]; projectIds: readonly string[] },
    limit: number,
  ): Promise<readonly Item[]>;
  /** Does the work unless another instance does so. Rejects if it has to wait. */
  work(item: Item, signal: AbortSignal): Promise<void>;
  /** How many run at once in each lane, and of one project. Default: 64 and 16. */
  limits?: { running: number; runningPerOwner: number };
  /** Within their project, members take turns. Default: there are none. */
  memberOf?(item: Item): string;
  /** For the log. */
  name: string;
}

export type DueWork = ReturnType<typeof createDueWork>;

/**
 * Does the work on stored things that are due, on this instance: projects take turns, and no lane delays another one. An
 * instance that dies leaves its work to the others.
 */
export function createDueWork<Item extends DueItem, Lane extends string>(
  { clock, log, timings }: Pick<WorkforceContext, "clock" | "log" | "timings">,
  { lanes, find, work, memberOf = () => "", limits = usualLimits, name }: DueWorkOptions<Item, Lane>,
) {
  const queues = new Map(lanes.map((lane) => [lane, new FairQueue(limits)]));
  const working = new Map<string, { projectId: string; lane: Lane; work: Promise<void> }>();
  const ending = new AbortController();
  const { signal } = ending;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let isRung = false;

  const begin = (item: Item, lane: Lane, queue: FairQueue) => {
    const { _id: id, projectId } = item;
    const begun = queue
      .run(projectId, () => work(item, signal), { signal, member: memberOf(item) })
      .then(
        () => {
          working.delete(id);
          // More may be due by now, which nothing has looked for meanwhile.
          wake();
        },
        (error: unknown) => {
          working.delete(id);
          if (!signal.aborted) log.warn({ err: error, id }, `${name} has to wait`);
        },
      );
    working.set(id, { projectId, lane, work: begun });
  };

  /** Begins with everything that is due, within the limit of each project. */
  const look = async (lane: Lane, queue: FairQueue) => {
    for (let found = batchSize; found === batchSize && !signal.aborted; ) {
      const now = new Date(clock.now());
      const begun = [...working.values()].filter((one) => one.lane === lane);
      const full = [...Map.groupBy(begun, ({ projectId }) => projectId)]
        .filter(([, held]) => held.length >= maxHeldPerProject)
        .map(([projectId]) => projectId);
      const due = await find(lane, now, { ids: [...working.keys()], projectIds: full }, batchSize);
      // The look of another lane can have found it before it changed lanes.
      for (const item of due) if (!working.has(item._id)) begin(item, lane, queue);
      found = due.length;
    }
  };

  const wake = () => {
    isRung = true;
    if (signal.aborted) return;
    looking ??= (async () => {
      while (isRung) {
        isRung = false;
        await Promise.all(Array.from(queues, ([lane, queue]) => look(lane, queue))).catch((error: unknown) =>
          log.warn({ err: error }, `${name} has to wait`),
        );
      }
    })().finally(() => {
      looking = undefined;
    });
  };

  return {
    /** Something may be due. Never throws. */
    wake,
    start: () => {
      timer = setInterval(wake, timings.pollEveryMs);
      wake();
    },
    /** Work under way learns of it by its signal, and is left to other instances. */
    stop: async () => {
      clearInterval(timer);
      ending.abort();
      await looking;
      await Promise.all(Array.from(working.values(), ({ work }) => work));
    },
  };
}
