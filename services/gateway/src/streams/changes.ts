import type { Bus } from "@muster/events";
import type { Logger, NewId } from "@muster/service";

/** The addresses of other interfaces to the same things. */
const sameThings: readonly (readonly [begins: RegExp, address: string])[] = [
  [/^\/(?:api\/ui|api\/ag-ui|v1)\//, "/api/agent-sessions"],
  [/^\/(?:api\/v1\/workforce|api\/a2a|hooks)\//, "/api/admin/workforce"],
  // A tool of it can change anything.
  [/^\/mcp$/, "/api"],
];

/** The address that changes with a route: `/api/admin/keys` for `/api/admin/keys/:id`, `/api/agents` for `/api/agents/:id`. */
export function addressOf(pattern: string): string {
  const other = sameThings.find(([begins]) => begins.test(pattern));
  if (other !== undefined) return other[1];
  return /^(?:\/api)?(?:\/admin)?\/[^/]+/.exec(pattern)?.[0] ?? pattern;
}

type Listener = (address: string) => void;

/** Several changes at once are one for a reader, who only reads again. */
const gatherMs = 300;

interface Dependencies {
  bus: Pick<Bus, "publish" | "subscribe">;
  newId: NewId;
  log: Logger;
}

/** Addresses whose contents have changed, told to the readers of every gateway. A lost one is harmless: readers also read in time. */
export class Changes {
  readonly #dependencies: Dependencies;
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #gathered = new Map<string, NodeJS.Timeout>();

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** Resolves with the cause of its end. */
  async start(): Promise<() => Promise<unknown>> {
    const { bus } = this.#dependencies;
    const everywhere = { broadcast: true } as const;
    const workforce = async ({ projectId }: { projectId: string }) =>
      this.note(projectId, "/api/admin/workforce");
    const subscriptions = await Promise.all([
      bus.subscribe("gateway.changed", everywhere, async ({ projectId, address }) => {
        for (const listener of this.#listeners.get(projectId) ?? []) listener(address);
      }),
      // Runs change without a request.
      bus.subscribe("workforce.agent", everywhere, workforce),
      bus.subscribe("workforce.thread", everywhere, workforce),
      bus.subscribe("workforce.webhook", everywhere, async ({ projectId }) =>
        this.note(projectId, "/api/admin/webhooks"),
      ),
    ]);
    return () => {
      for (const timer of this.#gathered.values()) clearTimeout(timer);
      return Promise.all(subscriptions.map((subscription) => subscription.close()));
    };
  }

  /** Tells of a change, soon. */
  note(projectId: string, address: string): void {
    const key = `${projectId} ${address}`;
    if (this.#gathered.has(key)) return;
    const { bus, newId, log } = this.#dependencies;
    const timer = setTimeout(() => {
      this.#gathered.delete(key);
      bus
        .publish("gateway.changed", { projectId, address }, { id: newId("evt") })
        .catch((error: unknown) => log.debug({ err: error, address }, "could not tell of a change"));
    }, gatherMs);
    this.#gathered.set(key, timer.unref());
  }

  /** The changes of a project from now on, each once until it is taken. */
  async *of(projectId: string, signal: AbortSignal): AsyncGenerator<readonly string[], void, undefined> {
    const changed = new Set<string>();
    let wake = Promise.withResolvers<void>();
    const listener = (address: string) => {
      changed.add(address);
      wake.resolve();
    };
    const listeners = this.#listeners.get(projectId) ?? new Set();
    this.#listeners.set(projectId, listeners.add(listener));
    const end = () => wake.resolve();
    signal.addEventListener("abort", end);
    try {
      while (!signal.aborted) {
        await wake.promise;
        wake = Promise.withResolvers();
        const addresses = [...changed];
        changed.clear();
        yield addresses;
      }
    } finally {
      signal.removeEventListener("abort", end);
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(projectId);
    }
  }
}
