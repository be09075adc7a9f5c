import assert from "node:assert/strict";
import { failureOf } from "@muster/testing";
import { describe, test, vi } from "vitest";
import { Muster, MusterError, systemClock } from "./index.ts";

/** Uploads a file whose first PUT never responds, and whose next one is 403. `status`: of its download URL. */
async function upload(status: number): Promise<{ methods: string[]; outcome: unknown }> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const methods: string[] = [];
  const send: typeof fetch = async (_, { method = "", signal } = {}) => {
    methods.push(method);
    if (method === "HEAD") return new Response(null, { status });
    if (method === "POST")
      return Response.json({ files: [{ id: "f", uploadUrl: "http://m/up", downloadUrl: "http://m/down" }] });
    if (methods.length > 2) return Response.json({ code: "FORBIDDEN", error: "Used." }, { status: 403 });
    return new Promise((_, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason));
      queueMicrotask(() => vi.advanceTimersByTime(61_000));
    });
  };
  const clock = { ...systemClock, sleep: async () => undefined };
  const muster = new Muster({ baseUrl: "http://m", apiKey: "svc_sk_x", fetch: send, clock });
  const file = { filename: "a.txt", mediaType: "text/plain", data: new Blob(["a"]) };
  const uploading = muster.sessions.open("ses_1").upload([file]);
  const outcome = await uploading.then(
    ([stored]) => stored?.id,
    () => failureOf(uploading),
  );
  return { methods, outcome };
}

describe("an upload that stalls", () => {
  test("it is sent again, and is done if its file is stored", async (t) => {
    t.onTestFinished(() => void vi.useRealTimers());
    const { methods, outcome } = await upload(200);
    assert.deepEqual([methods, outcome], [["POST", "PUT", "PUT", "HEAD"], "f"]);
  });

  test("it fails if its URL has expired before the file was stored", async (t) => {
    t.onTestFinished(() => void vi.useRealTimers());
    const { outcome } = await upload(403);
    assert.ok(outcome instanceof MusterError && outcome.code === "FORBIDDEN", String(outcome));
  });
});
