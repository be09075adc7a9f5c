import { serve, type TestScope } from "@muster/testing";
import { startModelServer } from "./model-server.ts";
import { MovingClock } from "./moving-clock.ts";
import { dayMs } from "./plan-conversations.ts";
import { planWeek } from "./plan-week.ts";
import { Random } from "./random.ts";
import { setUp } from "./set-up.ts";
import { type Platform, startPlatform } from "./start-platform.ts";
import { longTask } from "./stories/tasks.ts";

export interface FillOptions {
  /** Settings of the platform: DATA_DIR, which must be empty, and others. */
  settings: Readonly<Record<string, string>>;
  /** How many conversations there are, beside those that wait. */
  sessions: number;
  seed: number;
  /** The platform keeps running, so one of the agents still works at the end. */
  isServed?: boolean;
}

/**
 * Starts Muster a week ago, and lives through the week: everything is done by requests, at the times that it then shows. The
 * platform, which is up to date at the end, and the models run until the scope ends.
 */
export async function fill(
  scope: TestScope,
  { settings, sessions, seed, isServed = false }: FillOptions,
): Promise<Platform> {
  const endMs = Date.now() - 5 * 60_000;
  const startMs = endMs - 7 * dayMs;
  const clock = new MovingClock(startMs);
  const random = new Random(seed);
  const models = await startModelServer(scope, clock, random);
  const platform = await startPlatform(scope, clock, { ...settings, ...models.settings });
  const receiver = await serve(scope, (request, response) => {
    const day = (clock.now() - startMs) / dayMs;
    const status = request.url === "/old-dashboard" ? 404 : day > 2 && day < 3 ? 503 : 204;
    request.resume().on("end", () => response.writeHead(status).end());
  });
  const installation = await setUp(platform, receiver);
  const week = { ...installation, ...{ models, clock, random, startMs, endMs } };
  for (const { atMs, run } of await planWeek(week, sessions)) {
    clock.moveTo(atMs);
    await run();
    await clock.rest(30);
  }
  clock.catchUp();
  if (isServed) {
    models.add(longTask);
    const { operations, mika } = installation;
    await operations.workforce.dispatch(mika.agentId, { message: longTask.user }).started;
  }
  return platform;
}
