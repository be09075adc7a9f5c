import { connectComputer, readConnectOptions } from "@muster/platform-computer";

/** A computer that dials in, in a process of its own, so that it can be killed. It notices silence early. */
const { URL: url, DIR: dir, STATE: state, TOKEN: token, HOME, PATH } = process.env;
const options = await readConnectOptions({ url, dir, state, token }, { HOME, PATH }, String(HOME));
const line = (text: string) => void (process.env.TEST_LOG && console.log(text));
const terminal = { line, ask: undefined, close: () => undefined };
const timing = { pingMs: 300, silentMs: 3_000, backoffMs: [50, 500], approveMs: 600_000 } as const;
// A child never outlives its test, however that ends.
process.once("disconnect", () => process.exit(1));
process.send?.("computer");
await connectComputer(options, terminal, new AbortController().signal, timing);
