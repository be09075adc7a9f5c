import type { Logger } from "@muster/service";

export interface InstancesOptions {
  /** True if the instance at `host:port` responds. Must settle by itself. */
  probe(address: string): Promise<boolean>;
  /** How often a silent instance is probed again. */
  retryEveryMs: number;
  log?: Logger;
}

/**
 * Which instances of a service have gone silent: their connections are open, but nothing is read or written, as when a
 * process is frozen. A silent instance gets no calls until it responds again.
 */
export class Instances {
  readonly #options: InstancesOptions;
  /** The timer of the next probe of each silent instance. */
  readonly #silent = new Map<string, NodeJS.Timeout>();
  readonly #probes = new Map<string, Promise<boolean>>();
  #isClosed = false;

  constructor(options: InstancesOptions) {
    this.#options = options;
  }

  isSilent(address: string): boolean {
    return this.#silent.has(address);
  }

  /** Probes the instance unless it is known to be silent. Concurrent callers share a probe. */
  async responds(address: string): Promise<boolean> {
    if (this.isSilent(address)) return false;
    const responds = await this.#probe(address);
    if (!responds) this.#exclude(address);
    return responds;
  }

  close(): void {
    this.#isClosed = true;
    for (const timer of this.#silent.values()) clearTimeout(timer);
    this.#silent.clear();
  }

  #probe(address: string): Promise<boolean> {
    const running = this.#probes.get(address);
    if (running !== undefined) return running;
    const probe = this.#options.probe(address).finally(() => this.#probes.delete(address));
    this.#probes.set(address, probe);
    return probe;
  }

  #exclude(address: string): void {
    if (this.#isClosed || this.isSilent(address)) return;
    this.#options.log?.warn({ address }, "an instance does not respond; its calls go to others");
    this.#planProbe(address);
  }

  #planProbe(address: string): void {
    const timer = setTimeout(() => void this.#probeAgain(address), this.#options.retryEveryMs).unref();
    this.#silent.set(address, timer);
  }

  async #probeAgain(address: string): Promise<void> {
    const responds = await this.#probe(address);
    if (this.#isClosed) return;
    if (!responds) return this.#planProbe(address);
    this.#silent.delete(address);
    this.#options.log?.info({ address }, "the instance responds again");
  }
}
