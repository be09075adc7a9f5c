import { doc, type Plain } from "../bson/plain.ts";
import { T } from "../bson/types.ts";
import { date } from "../bson/value.ts";
import type { Store } from "../open-store.ts";
import { maxDocumentBytes } from "../storage/collection.ts";
import { maxMessageBytes } from "../wire/messages.ts";
import type { Command } from "./command.ts";

const setName = "embedded";

// A replica set of one, which Muster needs. It announces no sessions, so no driver sends retryable writes.
function describe(store: Store): Record<string, Plain> {
  return {
    helloOk: true,
    isWritablePrimary: true,
    ismaster: true,
    secondary: false,
    setName,
    setVersion: 1,
    hosts: [store.address],
    primary: store.address,
    me: store.address,
    electionId: { type: T.objectId, value: Buffer.from("7fffffff0000000000000001", "hex") },
    maxBsonObjectSize: maxDocumentBytes,
    maxMessageSizeBytes: maxMessageBytes,
    maxWriteBatchSize: 100_000,
    localTime: date(store.now()),
    connectionId: 1,
    minWireVersion: 0,
    maxWireVersion: 25,
    readOnly: false,
  };
}

function greeting(name: string): Command {
  return { name, fields: "any", run: (store) => doc(describe(store)) };
}

export const hello = greeting("hello");
/** The driver's first greeting on a connection. */
export const ismaster = greeting("ismaster");

export const ping: Command = { name: "ping", fields: ["ping"], run: () => doc({}) };
