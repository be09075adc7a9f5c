import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir, open, readdir, readlink, rm } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { systemClock } from "@muster/service";
import { createFiles, defaultFileRules, fileLimits, pathOfFile } from "@muster/storage/files";
import { until } from "@muster/testing";
import { describe, test, vi } from "vitest";
import { agentId, keys, startEdges, startWithFiles } from "./support/files.ts";
import { exchange, type Json, makeKey } from "./support/start-edge.ts";

const get = (url: string, method = "GET") => fetch(url, { method });
const codeOf = ({ status, json }: { status: number; json: Json }) => [status, json?.code];

async function openFilesIn(directory: string): Promise<string[]> {
  const links = await Promise.all(
    (await readdir("/proc/self/fd")).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => "")),
  );
  return links.filter((path) => path.startsWith(directory));
}

describe("uploading a file", () => {
  test("an uploaded file is downloaded with headers that keep a browser from running it", async (t) => {
    const { edge, issue, put } = await startWithFiles(t);
    const filename = `Zahlen "März" 50%.txt`;
    const { upload, download } = await issue({ filename });
    assert.equal((await get(edge.url + download)).status, 404);
    const stored = await put(upload, "12345");
    assert.deepEqual([stored.status, stored.text], [204, ""]);
    const response = await get(edge.url + download);
    assert.equal(await response.text(), "12345");
    const header = (name: string) => response.headers.get(name);
    assert.equal(header("content-type"), "text/plain");
    assert.equal(header("content-length"), "5");
    assert.equal(header("x-content-type-options"), "nosniff");
    assert.match(header("content-security-policy") ?? "", /^sandbox; default-src 'none'$/);
    assert.equal(
      header("content-disposition"),
      `attachment; filename="Zahlen _M_rz_ 50_.txt"; filename*=UTF-8''Zahlen%20%22M%C3%A4rz%22%2050%25.txt`,
    );
    const head = await get(edge.url + download, "HEAD");
    assert.deepEqual([head.status, head.headers.get("content-length"), await head.text()], [200, "5", ""]);
  });

  test("only a successful upload uses the URL up: another type or size is refused, and can be repeated", async (t) => {
    const { edge, issue, put } = await startWithFiles(t);
    const { upload, download } = await issue();
    assert.deepEqual(codeOf(await put(upload, "12345", "text/html")), [415, "UNSUPPORTED_CONTENT_TYPE"]);
    for (const text of ["1234", "123456", ""])
      assert.deepEqual(codeOf(await put(upload, text)), [413, "PAYLOAD_TOO_LARGE"], text);
    assert.equal((await get(edge.url + download)).status, 404);
    assert.equal((await put(upload, "12345", "Text/Plain; charset=utf-8")).status, 204);
    assert.deepEqual(codeOf(await put(upload, "54321")), [403, "FORBIDDEN"]);
    assert.equal(await (await get(edge.url + download)).text(), "12345");
  });

  test("a body of unknown length is refused as soon as it is too long, and the response arrives", async (t) => {
    const { edge, issue } = await startWithFiles(t);
    const { upload, download } = await issue();
    for (const [text, status] of [
      ["123456", 413],
      ["1234", 413],
      ["12345", 204],
    ] as const) {
      const chunks = [text.slice(0, 3), text.slice(3)]
        .map((each) => `${each.length}\r\n${each}\r\n`)
        .join("");
      const head = `PUT ${upload} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: text/plain\r\n`;
      const answer = await exchange(edge.url, `${head}Transfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`);
      assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `), answer);
    }
    assert.equal(await (await get(edge.url + download)).text(), "12345");
  });

  test("an upload to a full disk is 503 STORAGE_FULL and stores nothing, and its URL works once there is space", async (t) => {
    const { directory, edge, issue, put } = await startWithFiles(t);
    const { upload, download } = await issue();
    const ready = async () => (await edge.call("GET", "/readyz", { key: null })).json;
    const file = await open(join(directory, "any"), "w");
    await file.close();
    const full = Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
    const write = vi.spyOn(Object.getPrototypeOf(file), "writeFile").mockRejectedValue(full);
    // Here, the small file goes by which the gateway finds out that there is space.
    const probe = join(directory, ".space-probe");
    await mkdir(join(probe, "in the way"), { recursive: true });
    const refused = await put(upload, "12345");
    assert.deepEqual(codeOf(refused), [503, "STORAGE_FULL"]);
    assert.match(refused.json.error, /disk for uploaded files is full.*send the file again to the same URL/);
    assert.deepEqual(await readdir(join(directory, ".arriving")), []);
    assert.equal((await get(edge.url + download)).status, 404);
    await until("readiness says so", async () => (await ready()).degraded?.[0] === "storage-full");
    assert.equal((await ready()).status, "ready");
    write.mockRestore();
    await rm(probe, { recursive: true });
    assert.equal((await put(upload, "12345")).status, 204);
    await until("readiness is as before", async () => (await ready()).degraded === undefined);
  });

  test("an upload that is cut stores nothing, leaves nothing open and can be repeated", async (t) => {
    const { directory, edge, issue, put } = await startWithFiles(t);
    for (const length of ["Content-Length: 300000", "Transfer-Encoding: chunked"]) {
      const { upload, download } = await issue({ size: 300_000 });
      const socket = connect(Number(new URL(edge.url).port), "127.0.0.1");
      const head = `PUT ${upload} HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\n${length}\r\n\r\n`;
      const part = "x".repeat(200_000);
      socket.write(head + (length.startsWith("T") ? `${part.length.toString(16)}\r\n${part}` : part));
      const arriving = join(directory, ".arriving");
      await until(async () => (await readdir(arriving).catch(() => [])).length === 1);
      socket.destroy();
      await once(socket, "close");
      await until(async () => (await readdir(arriving)).length === 0);
      assert.deepEqual(await openFilesIn(directory), []);
      assert.equal((await get(edge.url + download)).status, 404);
      assert.equal((await put(upload, "y".repeat(300_000))).status, 204);
    }
  });

  test("of ten uploads to one URL at once, one succeeds and the others are 403", async (t) => {
    const { edge, issue, put } = await startWithFiles(t);
    const { upload, download } = await issue();
    const texts = Array.from({ length: 10 }, (_, index) => `body${index}`);
    const answers = await Promise.all(texts.map((text) => put(upload, text)));
    const statuses = answers.map(({ status }) => status);
    assert.deepEqual(statuses.toSorted(), [204, ...Array(9).fill(403)]);
    assert.equal(await (await get(edge.url + download)).text(), texts[statuses.indexOf(204)]);
  });

  test("a URL that was altered, is for another file or for the other direction is 403", async (t) => {
    const { edge, issue, put } = await startWithFiles(t);
    const [one, two] = [await issue(), await issue()];
    const swapped = one.upload.replace(one.id, two.id);
    const bad = [swapped, one.download, one.upload.replace(/.(.{9})$/, "~$1"), `/api/files/${one.id}`];
    for (const path of [...bad, `${bad[3]}?signature=${"x".repeat(9_000)}`, `${one.upload}&signature=x`])
      assert.deepEqual(codeOf(await put(path, "12345")).join(), "403,FORBIDDEN", path);
    for (const path of [one.upload, one.download.replace(one.id, two.id), `/api/files/${one.id}`]) {
      const answer = await edge.call("GET", path, { key: null });
      assert.deepEqual(codeOf(answer), [403, "FORBIDDEN"], path);
    }
  });

  test("a URL works only for its time", async (t) => {
    const minuteMs = 60_000;
    const { uploadLifetimeMs, downloadLifetimeMs } = fileLimits;
    assert.deepEqual([uploadLifetimeMs, downloadLifetimeMs], [15 * minuteMs, 24 * 60 * minuteMs]);
    const { directory, edge, put } = await startWithFiles(t);
    const record = {
      projectId: "default",
      ownerId: agentId,
      id: "file_1",
      filename: "a",
      mediaType: "text/plain",
      size: 5,
    };
    const past = (agoMs: number) =>
      createFiles({ directory, keys, keepDays: 0 }, { now: () => systemClock.now() - agoMs }).addresses;
    const { id } = record;
    const late = pathOfFile({ id, signature: past(fileLimits.uploadLifetimeMs).signUpload(record) });
    assert.deepEqual(codeOf(await put(late, "12345")), [403, "FORBIDDEN"]);
    const inTime = past(fileLimits.uploadLifetimeMs - 60_000).signUpload(record);
    assert.equal((await put(pathOfFile({ id, signature: inTime }), "12345")).status, 204);
    const old = pathOfFile({ id, signature: past(fileLimits.downloadLifetimeMs).signDownload(record) });
    assert.equal((await edge.call("GET", old, { key: null })).status, 403);
  });

  test("ten million bytes are stored and read unchanged, and a reader that leaves closes the file", async (t) => {
    const { directory, edge, issue, put } = await startWithFiles(t);
    const bytes = randomBytes(defaultFileRules.maxBytes);
    const { upload, download } = await issue({
      size: bytes.length,
      mediaType: "image/png",
      filename: "a.png",
    });
    assert.equal((await put(upload, new Uint8Array(bytes), "image/png")).status, 204);
    const whole = await get(edge.url + download);
    assert.ok(bytes.equals(Buffer.from(await whole.arrayBuffer())));
    const leaving = new AbortController();
    const cut = await fetch(edge.url + download, { signal: leaving.signal });
    assert.equal(cut.status, 200);
    leaving.abort();
    await until(async () => (await openFilesIn(directory)).length === 0);
  });
});

describe("asking for URLs", () => {
  test("twenty files of fifty million bytes together are allowed, and nothing beyond", async (t) => {
    const { announce } = await startWithFiles(t);
    const file = { filename: "a.txt", mediaType: "text/plain", size: 1 };
    const files = (count: number, size: number) => Array(count).fill({ ...file, size });
    assert.deepEqual([defaultFileRules.maxBytes, defaultFileRules.mediaTypes.length], [10_000_000, 8]);
    const answer = await announce(files(20, 2_500_000));
    assert.equal(answer.status, 200);
    assert.equal(new Set(answer.json.files.map(({ id }: Json) => id)).size, 20);
    for (const type of defaultFileRules.mediaTypes)
      assert.equal((await announce([{ ...file, mediaType: type }])).status, 200);
    const rows: Array<[unknown, string]> = [
      [files(21, 1), "INVALID_REQUEST"],
      [[], "INVALID_REQUEST"],
      [undefined, "INVALID_REQUEST"],
      [{}, "INVALID_REQUEST"],
      [files(20, 2_500_001), "FILE_TOO_LARGE"],
      [files(1, defaultFileRules.maxBytes + 1), "FILE_TOO_LARGE"],
      ...["filename", "mediaType", "size"].map((name): [unknown, string] => [
        [{ ...file, [name]: undefined }],
        "INVALID_REQUEST",
      ]),
      [files(1, 0), "INVALID_REQUEST"],
      [files(1, 1.5), "INVALID_REQUEST"],
      [files(1, -1), "INVALID_REQUEST"],
      [files(1, 2 ** 60), "INVALID_REQUEST"],
      [[{ ...file, size: "1" }], "INVALID_REQUEST"],
      [[{ ...file, mediaType: "text/html" }], "UNSUPPORTED_MEDIA_TYPE"],
      [[{ ...file, mediaType: "constructor" }], "UNSUPPORTED_MEDIA_TYPE"],
      [[{ ...file, mediaType: "" }], "INVALID_REQUEST"],
      [[{ ...file, filename: "" }], "INVALID_REQUEST"],
      [[{ ...file, filename: "a/../../b" }], "INVALID_REQUEST"],
      [[{ ...file, filename: "..\\b" }], "INVALID_REQUEST"],
      [[{ ...file, filename: "a\nb" }], "INVALID_REQUEST"],
      [[{ ...file, filename: "\ud800" }], "INVALID_REQUEST"],
      [[{ ...file, filename: "a\u0000" }], "INVALID_REQUEST"],
      [[{ ...file, filename: "x".repeat(256) }], "INVALID_REQUEST"],
    ];
    for (const [body, code] of rows) {
      assert.deepEqual(codeOf(await announce(body)), [400, code], JSON.stringify(body)?.slice(0, 100));
    }
  });

  test("the longest and strangest names are kept", async (t) => {
    const { edge, issue, put } = await startWithFiles(t);
    for (const filename of ["..", "😀".repeat(127), '"'.repeat(255), "__proto__", "\u202etxt.exe"]) {
      const { upload, download } = await issue({ filename });
      assert.equal((await put(upload, "12345")).status, 204, filename);
      const response = await get(edge.url + download);
      const [, name = ""] =
        /filename\*=UTF-8''(\S+)$/.exec(response.headers.get("content-disposition") ?? "") ?? [];
      assert.equal(decodeURIComponent(name), filename.toWellFormed());
    }
  });

  test("URLs for a session need the session, active, and its credential", async (t) => {
    const { edge, key } = await startWithFiles(t);
    const files = [{ filename: "a.txt", mediaType: "text/plain", size: 5 }];
    const ask = (sessionId: string, options = {}) =>
      edge.call("POST", "/api/files/upload-urls", { body: { sessionId, files }, ...options });
    const { status, json } = await ask("ses_active");
    assert.equal(status, 200);
    assert.match(json.files[0].uploadUrl, /^http:\/\/127\.0\.0\.1:\d+\/api\/files\/file_\w+\?signature=/);
    assert.deepEqual(codeOf(await ask("ses_expired")), [409, "SESSION_EXPIRED"]);
    assert.deepEqual(codeOf(await ask("ses_none")), [404, "NOT_FOUND"]);
    assert.deepEqual(codeOf(await ask("ses_active", { key })), [403, "FORBIDDEN"]);
    assert.deepEqual(codeOf(await ask("ses_active", { key: null })), [401, "UNAUTHENTICATED"]);
  });

  test("a gateway that stores no files says what to set, and stores nothing", async (t) => {
    const edge = await startEdges(t, {});
    const { key } = await makeKey(edge, { permissions: ["workforce"], agentId });
    const body = { files: [{ filename: "a.txt", mediaType: "text/plain", size: 5 }] };
    const answers = [
      await edge.call("POST", `/api/v1/workforce/agents/${agentId}/files`, { key, body }),
      await edge.call("PUT", "/api/files/file_1?signature=a", { raw: "12345", key: null }),
      await edge.call("GET", "/api/files/file_1?signature=a", { key: null }),
    ];
    for (const answer of answers) {
      assert.deepEqual(codeOf(answer), [503, "UNAVAILABLE"]);
      assert.match(answer.json.error, /FILES_DIRECTORY and MUSTER_SECRETS_KEY/);
    }
  });
});
