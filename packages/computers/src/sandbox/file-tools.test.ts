import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { never, onEachRuntime } from "../../test/support/open-computers.ts";
import { ComputerFileError } from "../errors.ts";
import { readLines } from "../files/read-lines.ts";

const home = "/home/agent";

onEachRuntime(({ openComputer }) => {
  describe("files__write", () => {
    test("creates files with their directories, replaces and appends", async (t) => {
      const { call, computer } = await openComputer(t);
      assert.deepEqual(await call("files__write", { path: "d/f.txt", content: "one\n" }), {
        result: { path: `${home}/d/f.txt`, size: 4 },
      });
      await call("files__write", { path: "~/d/f.txt", content: "two\n", append: true });
      await call("files__write", { path: `${home}/d/new`, content: "ö", append: true });
      assert.equal(Buffer.from(await computer.readFile("d/f.txt", never)).toString(), "one\ntwo\n");
      assert.equal(Buffer.from(await computer.readFile("d/new", never)).toString(), "ö");
      await call("files__write", { path: "d/f.txt", content: "" });
      assert.equal((await computer.readFile("d/f.txt", never)).length, 0);
    });

    test("refuses a directory, a full computer and paths that are none, and changes nothing", async (t) => {
      const { call, computer } = await openComputer(t, { limits: { maxBytes: 10, maxEntries: 6 } });
      await call("files__write", { path: "f", content: "12345" });
      const refused = {
        EISDIR: { path: "files", content: "x" },
        ENOTDIR: { path: "f/g", content: "x" },
        ENOSPC: { path: "g", content: "123456" },
        ENAMETOOLONG: { path: "x".repeat(300), content: "" },
        '"path" must be a path': { path: "a\0b", content: "" },
        '"content" is missing': { path: "a" },
      };
      for (const [problem, args] of Object.entries(refused)) {
        const outcome = await call("files__write", args);
        assert.ok("error" in outcome && outcome.error.includes(problem), JSON.stringify(outcome));
      }
      assert.deepEqual(await call("files__write", { path: "f", content: "67890", append: true }), {
        result: { path: `${home}/f`, size: 10 },
      });
      await call("files__write", { path: "h", content: "" });
      const tooMany = await call("files__write", { path: "i", content: "" });
      assert.ok("error" in tooMany && tooMany.error.includes("ENOSPC"));
      const names = (await computer.listFiles(".", never)).map(({ path }) => path.slice(home.length + 1));
      assert.deepEqual(names, ["f", "files", "h"]);
    });

    test("writes through a link, and keeps the mode of a file", async (t) => {
      const { call, run } = await openComputer(t);
      await run("echo x > f; chmod 755 f; ln -s f l");
      await call("files__write", { path: "l", content: "new" });
      assert.equal((await run("cat f; stat -c %a f; readlink l")).stdout, "new755\nf\n");
    });
  });

  describe("files__read", () => {
    test("returns lines, and reports where the next ones start", async (t) => {
      const { call, run } = await openComputer(t);
      await run("seq 1 2500 > f");
      const first = await call("files__read", { path: "f" });
      assert.ok("result" in first);
      const { content, ...rest } = Object(first.result);
      assert.equal(content.split("\n").length, 1_001);
      assert.deepEqual(rest, {
        path: `${home}/f`,
        firstLine: 1,
        lastLine: 1_000,
        totalLines: 2_500,
        note: "There are more lines: continue with offset 1001.",
      });
      assert.deepEqual(await call("files__read", { path: "f", offset: 2_499, limit: 5 }), {
        result: {
          path: `${home}/f`,
          content: "2499\n2500\n",
          firstLine: 2_499,
          lastLine: 2_500,
          totalLines: 2_500,
        },
      });
      assert.deepEqual(await call("files__read", { path: "f", offset: 2_501 }), {
        error: `${home}/f has only 2500 lines.`,
      });
    });

    test("returns a text that fits, cuts an endless line, and refuses a file that is no text", async (t) => {
      const { call, run } = await openComputer(t, { limits: { maxResultBytes: 100 } });
      await run("seq 1 100 > f; printf 'é%.0s' $(seq 1 200) > long; gzip -c f > f.gz; : > empty");
      const lines = await call("files__read", { path: "f" });
      assert.ok("result" in lines);
      assert.ok(Object(lines.result).content.length <= 100);
      assert.match(Object(lines.result).note, /continue with offset 3\d/);
      const long = await call("files__read", { path: "long" });
      assert.ok("result" in long);
      assert.equal(Object(long.result).content, "é".repeat(50));
      assert.match(Object(long.result).note, /longer than what is shown/);
      const binary = await call("files__read", { path: "f.gz" });
      assert.ok("error" in binary && binary.error.includes("not a UTF-8 text file"));
      const empty = await call("files__read", { path: "empty" });
      assert.ok("result" in empty && Object(empty.result).totalLines === 0);
    });

    test("finds the same lines however the content is cut into chunks", async () => {
      const text = Buffer.from("a\nbé\n\nccc\nd");
      for (let size = 1; size <= text.length; size++) {
        const chunks = async function* () {
          for (let at = 0; at < text.length; at += size) yield text.subarray(at, at + size);
        };
        const found = await readLines(chunks(), { firstLine: 2, lines: 3, maxBytes: 100 });
        assert.deepEqual(found, {
          content: "bé\n\nccc\n",
          firstLine: 2,
          lastLine: 4,
          totalLines: 5,
          isCut: false,
        });
      }
    });
  });

  describe("files__list", () => {
    test("lists a directory, and everything below if wanted", async (t) => {
      const { call, run } = await openComputer(t);
      await run("mkdir -p d/e; echo x > d/f; ln -s f d/l; touch -d 2020-01-01T00:00:00Z d/f d/e");
      const flat = await call("files__list", {});
      assert.ok("result" in flat);
      assert.deepEqual(
        Object(flat.result).entries.map(({ path }: { path: string }) => path),
        [`${home}/d`, `${home}/files`],
      );
      const deep = await call("files__list", { path: "d", recursive: true });
      assert.ok("result" in deep);
      const [directory, file, link] = Object(deep.result).entries;
      assert.equal(directory.type, "directory");
      assert.deepEqual(file, {
        path: `${home}/d/f`,
        type: "file",
        size: 2,
        modified: "2020-01-01T00:00:00.000Z",
      });
      assert.equal(link.target, "f");
      assert.deepEqual(await call("files__list", { path: "d/f" }), {
        error: "ENOTDIR: not a directory, '/home/agent/d/f'",
      });
    });

    test("is bounded", async (t) => {
      const { call, run } = await openComputer(t, { limits: { maxListed: 3 } });
      await run("touch a b c d e");
      const outcome = await call("files__list", {});
      assert.ok("result" in outcome);
      assert.equal(Object(outcome.result).entries.length, 3);
      assert.match(Object(outcome.result).note, /first 3 entries/);
    });
  });

  describe("files", () => {
    test("of a message arrive by putFile, also as a stream, and are there for commands", async (t) => {
      const { computer, run } = await openComputer(t);
      const chunks = async function* () {
        for (let at = 0; at < 3; at++) yield Buffer.alloc(100_000, at);
      };
      await computer.putFile("files/data.bin", chunks(), never);
      await computer.putFile("~/files/a b.txt", Buffer.from("text"), never);
      assert.equal((await run("wc -c < files/data.bin; cat 'files/a b.txt'")).stdout, "300000\ntext");
      await assert.rejects(computer.putFile("files", Buffer.from(""), never), ComputerFileError);
      await assert.rejects(computer.readFile("missing", never), ComputerFileError);
      await assert.rejects(computer.listFiles("missing", never), {
        name: "ComputerFileError",
        isMissing: true,
      });
      await assert.rejects(computer.listFiles("files/data.bin", never), { isMissing: false });
    });

    test("come back unchanged with a snapshot", async (t) => {
      const { computer, run } = await openComputer(t);
      await run("mkdir -p empty; printf '\\x00\\x01' > f; chmod 600 f; ln -s f l");
      const before = (await run("stat -c '%a %s' empty f; readlink l; ls -a; od -c f")).stdout;
      const snapshot = await computer.snapshot();
      assert.equal(await computer.snapshot(), snapshot);
      await run("rm -r empty; echo changed > f; rm l; echo new > g");
      await computer.restore(snapshot);
      assert.equal((await run("stat -c '%a %s' empty f; readlink l; ls -a; od -c f")).stdout, before);
      await assert.rejects(computer.restore("nothing"), ComputerFileError);
    });
  });
});
