import { percentile } from "../../stream/statistics.ts";
import type { Api, Hired } from "../api.ts";
import { costOf, load } from "../load.ts";
import { ms, type Row } from "../report.ts";
import type { Server } from "../server.ts";

const callers = 32;
const minPerS = { whole: 250, unchanged: 1_500 };

/** Reads one thread over and over: whole, and with the `ETag` of the last response. */
export async function reading(
  server: Server,
  api: Api,
  agent: Hired,
  { threadId, messages }: { threadId: string; messages: number },
  seconds: number,
): Promise<Row[]> {
  const first = await api.read(agent, threadId);
  const shown: unknown = Object(JSON.parse(first.text)).messages;
  if (!Array.isArray(shown) || shown.length !== messages)
    throw new Error(`The thread does not show ${messages} messages: ${first.text.slice(0, 300)}`);
  const read = async (etag?: string): Promise<void> => {
    const { status } = await api.read(agent, threadId, { etag });
    if (status !== (etag === undefined ? 200 : 304)) throw new Error(`A read got ${status}`);
  };
  const rows: Row[] = [];
  for (const [kind, etag] of [
    ["whole", undefined],
    ["unchanged", first.etag],
  ] as const) {
    const act = () => read(etag);
    const least = minPerS[kind];
    await load(server, { callers, count: least }, act);
    const measured = await load(server, { callers, count: least * seconds }, act);
    const name = kind === "whole" ? `read a thread of ${messages} messages` : "  the same, answered 304";
    rows.push({
      name: `${name}, ${callers} callers`,
      value: `${measured.perS.toFixed(0)}/s`,
      note: `at least ${least}/s (${costOf(measured)}; p95 ${ms(percentile(measured.tookMs, 0.95))})`,
      isReached: measured.perS >= least,
    });
  }
  return rows;
}
