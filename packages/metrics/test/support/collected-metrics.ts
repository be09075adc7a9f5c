import type { MetricName, ProcessName } from "../../src/definitions.ts";
import { MetricsRegistry } from "../../src/registry.ts";
import { type Family, readExposition } from "./exposition.ts";

/** Collects metrics for a test, which reads them as a scraper would. */
export class CollectedMetrics extends MetricsRegistry {
  constructor(process: ProcessName | "local" = "local") {
    super({ process, hasDefaults: false });
  }

  async read(): Promise<Scraped> {
    return new Scraped(readExposition(await this.render()));
  }
}

/** The values of one scrape. */
export class Scraped {
  readonly families: ReadonlyMap<string, Family>;

  constructor(families: ReadonlyMap<string, Family>) {
    this.families = families;
  }

  /** The sum of all series that have these labels, of a histogram the number of its values; 0 if there is none. */
  total(name: MetricName, labels: Readonly<Record<string, string>> = {}): number {
    return this.#sum(name, this.families.get(name)?.type === "histogram" ? `${name}_count` : name, labels);
  }

  /** The sum of a histogram's values. */
  sum(name: MetricName, labels: Readonly<Record<string, string>> = {}): number {
    return this.#sum(name, `${name}_sum`, labels);
  }

  /** The values of a label, sorted. */
  values(name: MetricName, label: string): string[] {
    const samples = this.families.get(name)?.samples ?? [];
    return [...new Set(samples.flatMap(({ labels }) => labels[label] ?? []))].sort();
  }

  #sum(name: MetricName, sample: string, wanted: Readonly<Record<string, string>>): number {
    const samples = this.families.get(name)?.samples ?? [];
    const matching = samples.filter(
      (one) =>
        one.name === sample && Object.entries(wanted).every(([label, value]) => one.labels[label] === value),
    );
    return matching.reduce((sum, { value }) => sum + value, 0);
  }
}

/** Reads the metrics of a process. */
export async function scrape(url: string): Promise<Scraped> {
  const response = await fetch(url);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${url} returned ${response.status}: ${text}`);
  return new Scraped(readExposition(text));
}
