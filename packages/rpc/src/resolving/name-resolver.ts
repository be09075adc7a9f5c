import { setTimeout as pause } from "node:timers/promises";
import { type ChannelOptions, experimental, Metadata, status as Status } from "@grpc/grpc-js";
import type { Logger } from "@muster/service";
import { type LookUp, lookUpInTurn } from "./look-up-in-turn.ts";

/** The scheme of targets whose names are looked up again and again: `muster-name:///host:port`. */
export const nameScheme = "muster-name";

/** Below grpc-js's own prefix for options that do not concern connections. */
const optionKey = `${experimental.SUBCHANNEL_ARGS_EXCLUDE_KEY_PREFIX}.muster_names`;

/** However many calls ask for it, a name is looked up at most this often. */
const leastGapMs = 100;

/** How one channel resolves the name of its service. */
export class Naming {
  readonly lookUp: LookUp;
  /** How long after a look-up the next one starts. */
  readonly everyMs: number;
  readonly log: Logger | undefined;
  /** How often the known instances have changed. */
  changes = 0;
  #resolver: NameResolver | undefined;

  constructor({ lookUp = lookUpInTurn, everyMs = 3_000, log }: NamingOptions = {}) {
    this.lookUp = lookUp;
    this.everyMs = everyMs;
    this.log = log;
  }

  /** Called by the resolver of the channel. */
  resolvedBy(resolver: NameResolver): void {
    this.#resolver = resolver;
  }

  /**
   * Looks the name up now instead of at the next time, because an instance has left. Resolves after a look-up that began
   * after this call, whatever its result. A list of addresses has no name: it resolves at once.
   */
  async lookUpAgain(): Promise<void> {
    await this.#resolver?.lookUpAgain();
  }

  /** The options with which a channel resolves names in this way. */
  get channelOptions(): ChannelOptions {
    return { [optionKey]: this };
  }
}

export interface NamingOptions {
  lookUp?: LookUp;
  everyMs?: number;
  /** Receives a line when the instances of a name change, and when it cannot be resolved. */
  log?: Logger | undefined;
}

/**
 * Keeps a channel's list of instances equal to what their name resolves to. grpc-js's own resolver asks again only when a
 * connection breaks, so new instances would get no calls. While the name does not resolve, the last list is kept.
 */
class NameResolver implements experimental.Resolver {
  readonly #host: string;
  readonly #port: number;
  readonly #naming: Naming;
  readonly #listener: experimental.ResolverListener;
  #known: string[] = [];
  #isFailing = false;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  /** The look-up that begins once the running one has ended. */
  #next: Promise<void> | undefined;
  #lastStartMs = Number.NEGATIVE_INFINITY;
  /** Changes when the work that has begun is no longer wanted. */
  #life = Symbol();

  constructor(
    target: experimental.GrpcUri,
    listener: experimental.ResolverListener,
    channelOptions: ChannelOptions,
  ) {
    const separator = target.path.lastIndexOf(":");
    this.#host = target.path.slice(0, separator);
    this.#port = Number(target.path.slice(separator + 1));
    this.#listener = listener;
    const naming: unknown = channelOptions[optionKey];
    this.#naming = naming instanceof Naming ? naming : new Naming();
    this.#naming.resolvedBy(this);
  }

  static getDefaultAuthority(target: experimental.GrpcUri): string {
    return target.path;
  }

  /** grpc-js asks at the start and whenever a connection breaks. After the first answer, the balancer asks `Naming`. */
  updateResolution(): void {
    if (this.#running === undefined && this.#timer === undefined) void this.#resolve();
  }

  /** See {@link Naming.lookUpAgain}. */
  lookUpAgain(): Promise<void> {
    this.#next ??= this.#resolveNext();
    return this.#next;
  }

  destroy(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#life = Symbol();
    this.#running = undefined;
    this.#known = [];
  }

  async #resolveNext(): Promise<void> {
    const life = this.#life;
    // It may have asked before the instance left.
    await this.#running;
    const waitMs = this.#lastStartMs + leastGapMs - performance.now();
    if (waitMs > 0) await pause(waitMs, undefined, { ref: false });
    this.#next = undefined;
    if (this.#life === life) await this.#resolve();
  }

  #resolve(): Promise<void> {
    this.#running ??= this.#lookUp();
    return this.#running;
  }

  async #lookUp(): Promise<void> {
    const life = this.#life;
    clearTimeout(this.#timer);
    this.#lastStartMs = performance.now();
    // A failed look-up keeps the known addresses, which is handled below.
    const found = await this.#naming.lookUp(this.#host).catch(() => undefined);
    if (this.#life !== life) return;
    this.#running = undefined;
    // Not all processes at the same moment.
    const waitMs = this.#naming.everyMs * (0.9 + Math.random() * 0.2);
    this.#timer = setTimeout(() => void this.#resolve(), waitMs).unref();
    if (found === undefined || found.length === 0) this.#fail();
    else this.#use([...new Set(found)].sort());
  }

  #use(found: string[]): void {
    if (this.#isFailing) this.#naming.log?.info({ name: this.#host }, "the name resolves again");
    this.#isFailing = false;
    // grpc-js rebuilds its list of connections with every result.
    if (found.join() === this.#known.join()) return;
    this.#logChange(found);
    this.#known = found;
    this.#naming.changes += 1;
    const endpoints = found.map((host) => ({ addresses: [{ host, port: this.#port }] }));
    this.#listener(experimental.statusOrFromValue(endpoints), {}, null, "");
  }

  #logChange(found: string[]): void {
    const change = {
      name: this.#host,
      added: found.filter((address) => !this.#known.includes(address)),
      gone: this.#known.filter((address) => !found.includes(address)),
    };
    this.#naming.log?.info(change, "the instances of a service have changed");
  }

  #fail(): void {
    const reportsAgain = this.#isFailing;
    this.#isFailing = true;
    if (!reportsAgain) {
      const message = "a name cannot be resolved; its last known instances stay in use";
      this.#naming.log?.warn({ name: this.#host, known: this.#known }, message);
    }
    if (this.#known.length > 0) return;
    const details = "The name of the service cannot be resolved.";
    const error = { code: Status.UNAVAILABLE, details, metadata: new Metadata() };
    this.#listener(experimental.statusOrFromError(error), {}, null, "");
  }
}

experimental.registerResolver(nameScheme, NameResolver);
