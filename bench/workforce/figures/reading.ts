import { ms, print } from "../../support/figures.ts";
import { callers, costOf, load } from "../load.ts";
import type { Prepared } from "../prepared-site.ts";

/** Reads one thread over and over: whole, and with the `ETag` of the last response. */
export async function reading(
  { site, agent, longThreadId, messages }: Prepared,
  seconds: number,
): Promise<void> {
  const first = await site.callers.read(agent, longThreadId);
  const shown: unknown = Object(JSON.parse(first.text)).messages;
  if (!Array.isArray(shown) || shown.length !== messages)
    throw new Error(`The thread does not show ${messages} messages: ${first.text.slice(0, 300)}`);
  const measure = async (name: string, minPerS: number, expected: number, etag?: string): Promise<void> => {
    const read = async (): Promise<void> => {
      const { status } = await site.callers.read(agent, longThreadId, { etag });
      if (status !== expected) throw new Error(`A read got ${status}`);
    };
    await load(site.server, { count: minPerS }, read);
    const measured = await load(site.server, { count: minPerS * seconds }, read);
    print({
      name: `${name}, ${callers} callers`,
      values: [`${measured.perS.toFixed(0)}/s`],
      note: `at least ${minPerS}/s (${costOf(measured)}; p95 ${ms(measured.p95Ms)})`,
      isReached: measured.perS >= minPerS,
    });
  };
  await measure(`read a thread of ${messages} messages`, 250, 200);
  await measure("  the same, answered 304", 1_500, 304, first.etag);
}
