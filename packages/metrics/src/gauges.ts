import type { GaugeName } from "./definitions.ts";
import type { ReadGauge } from "./metrics.ts";

/** How long a scrape waits for the values that take time: longer than a check of readiness, shorter than scrapers wait. */
const waitMs = 2_000;

/** One part of the process that reports a series of a gauge. */
class Source {
  readonly labels: Readonly<Record<string, string>>;
  readonly #read: ReadGauge;
  #pending: Promise<number | undefined> | undefined;

  constructor(labels: Readonly<Record<string, string>>, read: ReadGauge) {
    this.labels = labels;
    this.#read = read;
  }

  /** Undefined if there is no value in time. A read that hangs is not repeated until it has ended. */
  async value(late: Promise<undefined>): Promise<number | undefined> {
    this.#pending ??= this.#start();
    return await Promise.race([this.#pending, late]);
  }

  async #start(): Promise<number | undefined> {
    try {
      return await this.#read();
    } catch {
      return undefined;
    } finally {
      this.#pending = undefined;
    }
  }
}

export interface Reading {
  readonly name: GaugeName;
  readonly labels: Readonly<Record<string, string>>;
  /** Undefined if it failed or did not arrive in time. */
  readonly value: number | undefined;
}

/** The gauges that are read at each scrape. */
export class Gauges {
  readonly #sources = new Map<GaugeName, Set<Source>>();

  add(name: GaugeName, labels: Readonly<Record<string, string>>, read: ReadGauge): () => void {
    const source = new Source(labels, read);
    const ofName = this.#sources.get(name) ?? new Set();
    this.#sources.set(name, ofName.add(source));
    return () => void ofName.delete(source);
  }

  /** All values, as far as they arrive in time. Never rejects. */
  async read(): Promise<Reading[]> {
    const { promise: late, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(resolve, waitMs, undefined);
    const all = [...this.#sources].flatMap(([name, sources]) =>
      [...sources].map((source) => ({ name, source })),
    );
    const values = await Promise.all(all.map(({ source }) => source.value(late)));
    clearTimeout(timer);
    return all.map(({ name, source: { labels } }, index) => ({ name, labels, value: values[index] }));
  }
}
