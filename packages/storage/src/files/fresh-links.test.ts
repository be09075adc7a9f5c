import assert from "node:assert/strict";
import { Secret } from "@muster/service";
import { describe, test } from "vitest";
import { createFileAddresses } from "./file-addresses.ts";
import { pathOfFile, readFileUrl } from "./file-urls.ts";
import { createFreshLinks } from "./fresh-links.ts";

const key = "ab".repeat(32);
const dayMs = 86_400_000;
const file = { projectId: "default", ownerId: "ses_1", id: "file_1" };
const at = (nowMs: number) => createFileAddresses({ keys: [new Secret(key)], clock: { now: () => nowMs } });
const urlOf = (base: string, named = file) =>
  base + pathOfFile({ id: named.id, signature: at(0).signDownload(named) });
const renew = createFreshLinks({
  ...{ keys: [key], nowMs: 10 * dayMs, projectId: "default", ownerIds: ["ses_1"] },
  baseUrl: "https://muster.example/base",
});

describe("the download URL of an own file, once it has expired", () => {
  test("begins with the address of the platform, whatever host its sender wrote", () => {
    for (const base of ["https://muster.example/base", "http://10.0.0.1:8080", "https://evil.example"]) {
      const fresh = renew(urlOf(base));
      assert.ok(fresh.startsWith("https://muster.example/base/api/files/file_1?signature="), fresh);
      const { signature = "" } = readFileUrl(fresh) ?? {};
      assert.deepEqual(at(10 * dayMs).readDownload(signature), file);
    }
  });

  test("is the only URL that changes", () => {
    const genuine = urlOf("https://muster.example");
    for (const url of [
      "https://files.example/a.png",
      urlOf("https://muster.example", { ...file, ownerId: "ses_2" }),
      urlOf("https://muster.example", { ...file, projectId: "other" }),
      genuine.replace("file_1", "file_2"),
      `${genuine}x`,
      urlOf("javascript://evil.example"),
      "not a URL",
    ]) {
      assert.equal(renew(url), url);
    }
    const inTime = createFreshLinks({
      ...{
        keys: [key],
        nowMs: 0,
        projectId: "default",
        ownerIds: ["ses_1"],
        baseUrl: "https://muster.example",
      },
    });
    assert.equal(inTime(genuine), genuine);
  });
});
