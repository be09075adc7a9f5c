import assert from "node:assert/strict";
import { serve } from "@muster/testing";
import { openPage } from "@muster/testing/browser";
import { test } from "vitest";
import { startWithFiles } from "./support/files.ts";

test("in Chromium, a page of any origin uploads and downloads with a signed URL, without cookies", async (t) => {
  const { edge, issue } = await startWithFiles(t);
  const { upload, download } = await issue();
  const origin = await serve(t, (_request, response) => response.end("<!doctype html><title>A page</title>"));
  const page = await openPage(t, origin);
  const fetched = (path: string, options: object) =>
    page.evaluate(
      `fetch(${JSON.stringify(edge.url + path)}, ${JSON.stringify(options)})
        .then(async (response) => [response.status, await response.text()], () => "refused")`,
    );
  const put = { method: "PUT", body: "hello", headers: { "content-type": "text/plain" } };
  assert.deepEqual(await fetched(upload, put), [204, ""]);
  assert.deepEqual(await fetched(download, {}), [200, "hello"]);
  assert.equal(await fetched(download, { credentials: "include" }), "refused");
  assert.equal(await fetched("/api/models", {}), "refused");
});
