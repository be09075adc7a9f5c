import assert from "node:assert/strict";
import { ManualClock, Secret } from "@muster/service";
import fc from "fast-check";
import { describe, test } from "vitest";
import { createFileAddresses } from "./file-addresses.ts";
import { pathOfFile, readFileUrl } from "./file-urls.ts";
import { fileLimits } from "./limits.ts";

const record = {
  ...{ projectId: "default", ownerId: "ses_1", id: "file_1" },
  ...{ mediaType: "text/plain", size: 3, filename: "Ünïcode – \u202e.txt" },
};
const [first, second] = ["a", "b"].map((text) => new Secret(text.repeat(64)));
assert.ok(first && second);

describe("addresses of files", () => {
  test("an address says exactly what was signed, until it expires", () => {
    const clock = new ManualClock(1_000);
    const addresses = createFileAddresses({ keys: [first], clock });
    const upload = addresses.signUpload(record);
    const download = addresses.signDownload(record);
    assert.deepEqual(addresses.readUpload(upload), record);
    assert.deepEqual(addresses.readDownload(download), {
      projectId: "default",
      ownerId: "ses_1",
      id: "file_1",
    });
    assert.match(upload + download, /^[\w.-]+$/);
    clock.advance(fileLimits.uploadLifetimeMs);
    assert.equal(addresses.readUpload(upload), undefined);
    assert.ok(addresses.readDownload(download));
    clock.advance(fileLimits.downloadLifetimeMs);
    assert.equal(addresses.readDownload(download), undefined);
    assert.equal(addresses.recogniseDownload(download)?.id, "file_1");
    assert.equal(addresses.recogniseDownload(upload), undefined);
  });

  test("the URL of a file is read again behind any host and prefix, and other URLs are not", () => {
    const file = { id: "file_1", signature: "abc.de-f_g" };
    for (const base of ["http://127.0.0.1:8080", "https://muster.example.com/prefix"])
      assert.deepEqual(readFileUrl(base + pathOfFile(file)), file);
    for (const url of [
      "",
      "file_1",
      "https://a.example/api/files/file_1",
      "https://a.example/api/files/a/b?signature=c",
      "javascript://%0aalert(1)/api/files/file_1?signature=c",
      "https://me:secret@a.example/api/files/file_1?signature=c",
    ])
      assert.equal(readFileUrl(url), undefined, url);
  });

  test("an address for downloads does not upload, and the other way round", () => {
    const addresses = createFileAddresses({ keys: [first], clock: new ManualClock(0) });
    assert.equal(addresses.readUpload(addresses.signDownload(record)), undefined);
    assert.equal(addresses.readDownload(addresses.signUpload(record)), undefined);
  });

  test("a retired key is accepted and an unknown one is not", () => {
    const clock = new ManualClock(0);
    const old = createFileAddresses({ keys: [first], clock }).signUpload(record);
    assert.deepEqual(createFileAddresses({ keys: [second, first], clock }).readUpload(old), record);
    assert.equal(createFileAddresses({ keys: [second], clock }).readUpload(old), undefined);
  });

  test("no change of a single character is accepted", () => {
    const addresses = createFileAddresses({ keys: [first], clock: new ManualClock(0) });
    const text = addresses.signUpload(record);
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.constantFrom(..."Aa0_-."), (at, character) => {
        const changed = text.slice(0, at) + character + text.slice(at + 1);
        // The last character of base64url has bits that mean nothing.
        fc.pre(changed !== text && at !== text.length - 1);
        assert.equal(addresses.readUpload(changed), undefined);
      }),
    );
  });

  test("any text is refused without an exception", () => {
    const addresses = createFileAddresses({ keys: [first], clock: new ManualClock(0) });
    fc.assert(
      fc.property(fc.string(), (text) => {
        assert.equal(addresses.readUpload(text), undefined);
        assert.equal(addresses.readDownload(text), undefined);
      }),
    );
  });
});
