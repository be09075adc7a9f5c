import { randomBytes } from "node:crypto";
import { silentLogger } from "@muster/service";
import { connect } from "nats";
import { afterAll } from "vitest";
import { describeBusContract } from "../../test/support/bus-contract.ts";
import { startNatsServer } from "../../test/support/nats-server.ts";
import { connectNatsBus } from "./connect-nats-bus.ts";
import { createNames } from "./names.ts";
import { readNatsUrl } from "./read-nats-url.ts";

const scope = { onTestFinished: afterAll };
const url = process.env.NATS_URL || (await startNatsServer(scope)).url;

describeBusContract("NATS JetStream", async (t, count) => {
  const namespace = `test-${randomBytes(6).toString("hex")}`;
  const onFatal = (error: Error) => {
    throw error;
  };
  const open = async () => {
    const bus = await connectNatsBus({ url, name: "contract", log: silentLogger, onFatal, namespace });
    t.onTestFinished(() => bus.close());
    return bus;
  };
  t.onTestFinished(() => deleteStream(namespace));
  const first = await open();
  return [first, ...(await Promise.all(Array.from({ length: count - 1 }, open)))];
});

async function deleteStream(namespace: string): Promise<void> {
  const connection = await connect(readNatsUrl(url));
  const jsm = await connection.jetstreamManager();
  await jsm.streams.delete(createNames(namespace).stream);
  await connection.close();
}
