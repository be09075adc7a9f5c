import type { Bus } from "@muster/events";
import type { Logger, NewId } from "@muster/service";

/** The addresses of other interfaces to the same things. */
const sameThings: readonly (readonly [begins: RegExp, address: string])[] = [
  [/^\/(?:api\/ui|api\/ag-ui|v1)\//, "/api/agent-sessions"],
  [/^\/(?:api\/v1\/workforce|api\/a2a|hooks)\//, "/api/admin/workforce"],
];

/** The tools of MCP are requests of their own, and a validation stores nothing. */
const noChange = new Set(["/mcp", "/api/agents/validate"]);

/**
 * The address that changes with a route: `/api/admin/keys` for `/api/admin/keys/:id`, `/api/agents` for `/api/agents/:id`.
 * Undefined: none does.
 */
export function changedBy(method: string, pattern: string): string | undefined {
  if (method === "GET" || method === "HEAD" || noChange.has(pattern)) return undefined;
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
    // Every gateway hears these, so each one tells its own readers. Runs change without a request.
    const workforce = async ({ projectId }: { projectId: string }) =>
      this.#soon(projectId, "/api/admin/workforce", () => this.#tell(projectId, "/api/admin/workforce"));
    const subscriptions = await Promise.all([
      bus.subscribe("gateway.changed", everywhere, async ({ projectId, address }) =>
        this.#tell(projectId, address),
      ),
      bus.subscribe("workforce.agent", everywhere, workforce),
      bus.subscribe("workforce.thread", everywhere, workforce),
      bus.subscribe("workforce.webhook", everywhere, async ({ projectId }) =>
        this.#soon(projectId, "/api/admin/webhooks", () => this.#tell(projectId, "/api/admin/webhooks")),
      ),
    ]);
    return () => {
      for (const timer of this.#gathered.values()) clearTimeout(timer);
      return Promise.all(subscriptions.map((subscription) => subscription.close()));
    };
  }

  /** Tells the readers of all gateways of a change, soon. */
  note(projectId: string, address: string): void {
    const { bus, newId, log } = this.#dependencies;
    this.#soon(`published ${projectId}`, address, () => {
      bus
        .publish("gateway.changed", { projectId, address }, { id: newId("evt") })
        .catch((error: unknown) => log.debug({ err: error, address }, "could not tell of a change"));
    });
  }

  #soon(owner: string, address: string, act: () => void): void {
    const key = `${owner} ${address}`;
    if (this.#gathered.has(key)) return;
    const timer = setTimeout(() => {
      this.#gathered.delete(key);
      act();
    }, gatherMs);
    this.#gathered.set(key, timer.unref());
  }

  #tell(projectId: string, address: string): void {
    for (const listener of this.#listeners.get(projectId) ?? []) listener(address);
  }

  /** The readers of all projects. */
  get readers(): number {
    return [...this.#listeners.values()].reduce((sum, { size }) => sum + size, 0);
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
    // Not once the generator ends: a reader that leaves does not resume it.
    const leave = () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(projectId) === listeners)
        this.#listeners.delete(projectId);
      wake.resolve();
    };
    signal.addEventListener("abort", leave, { once: true });
    while (!signal.aborted) {
      await wake.promise;
      if (signal.aborted) return;
      wake = Promise.withResolvers();
      const addresses = [...changed];
      changed.clear();
      yield addresses;
    }
  }
}
