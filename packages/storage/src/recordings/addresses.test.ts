import assert from "node:assert/strict";
import { ManualClock, Secret } from "@muster/service";
import fc from "fast-check";
import { describe, test } from "vitest";
import { createFileAddresses } from "../files/index.ts";
import { addressLifetimeMs, createRecordingAddresses } from "./addresses.ts";

const [first, second] = ["a", "b"].map((text) => new Secret(text.repeat(64)));
assert.ok(first && second);
const keys = [first];

describe("addresses of private recordings", () => {
  test("an address is valid for its recording until it expires", () => {
    const clock = new ManualClock(1_000);
    const addresses = createRecordingAddresses({ keys, clock });
    const text = addresses.sign("rec_1");
    assert.match(text, /^[\w-]+\.[\w-]+$/);
    clock.advance(addressLifetimeMs - 1);
    assert.equal(addresses.isGenuine("rec_1", text), true);
    assert.equal(addresses.isGenuine("rec_2", text), false);
    clock.advance(1);
    assert.equal(addresses.isGenuine("rec_1", text), false);
  });

  test("a retired key is accepted and an unknown one is not", () => {
    const clock = new ManualClock(0);
    const old = createRecordingAddresses({ keys, clock }).sign("rec_1");
    const rotated = createRecordingAddresses({ keys: [second, first], clock });
    assert.equal(rotated.isGenuine("rec_1", old), true);
    assert.equal(createRecordingAddresses({ keys: [second], clock }).isGenuine("rec_1", old), false);
  });

  test("an address of a file is not an address of a recording, and the other way round", () => {
    const clock = new ManualClock(0);
    const recordings = createRecordingAddresses({ keys, clock });
    const files = createFileAddresses({ keys, clock });
    const download = files.signDownload({ projectId: "rec_1", ownerId: "rec_1", id: "rec_1" });
    assert.equal(recordings.isGenuine("rec_1", download), false);
    assert.equal(files.readDownload(recordings.sign("rec_1")), undefined);
  });

  test("no change of a single character is accepted", () => {
    const addresses = createRecordingAddresses({ keys, clock: new ManualClock(0) });
    const text = addresses.sign("rec_1");
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.constantFrom(..."Aa0_-."), (at, character) => {
        const changed = text.slice(0, at) + character + text.slice(at + 1);
        // The last character of base64url has bits that mean nothing.
        fc.pre(changed !== text && at !== text.length - 1);
        assert.equal(addresses.isGenuine("rec_1", changed), false);
      }),
    );
  });

  test("any text is refused without an exception", () => {
    const addresses = createRecordingAddresses({ keys, clock: new ManualClock(0) });
    fc.assert(
      fc.property(fc.string(), fc.string(), (id, text) => {
        assert.equal(addresses.isGenuine(id, text), false);
      }),
    );
  });
});
