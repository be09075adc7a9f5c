import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, test } from "vitest";
import { addEntries, ManifestError, readManifest, writeManifest } from "./manifest.ts";
import { contentOf, Volume } from "./volume.ts";

const blob = `${"a".repeat(64)}.1`;

function volume(limits = { maxBytes: 1_000, maxEntries: 50 }): Volume {
  return new Volume(() => 1_000, limits);
}

function textAt(files: Volume, path: string): string {
  return Buffer.from(contentOf(files.file(path))).toString();
}

const bytes = (text: string) => Buffer.from(text);

describe("a volume", () => {
  test("creates the parents of a file, and appends without losing anything", () => {
    const files = volume();
    const file = files.write("/a/b/f", bytes("one"));
    for (let i = 0; i < 10; i++) files.append("/a/b/f", file, bytes(`-${i}`));
    assert.equal(textAt(files, "/a/b/f"), "one-0-1-2-3-4-5-6-7-8-9");
    assert.deepEqual([files.entries, files.bytes], [3, 23]);
  });

  test("follows links when it writes, and not when it removes", () => {
    const files = volume();
    files.write("/d/f", bytes("x"));
    files.link("d", "/l");
    files.link("/l/f", "/m");
    files.write("/m", bytes("y"));
    assert.equal(textAt(files, "/d/f"), "y");
    assert.equal(files.realPath("/m"), "/d/f");
    files.remove("/m");
    assert.equal(textAt(files, "/l/f"), "y");
    assert.throws(() => files.remove("/l/f/g"), { code: "ENOTDIR" });
  });

  test("a link that climbs ends at the root", () => {
    const files = volume();
    files.write("/f", bytes("root"));
    files.link("../../../../f", "/l");
    assert.equal(textAt(files, "/l"), "root");
    assert.equal(textAt(files, "/../../l"), "root");
  });

  test("refuses links in a circle", () => {
    const files = volume();
    files.link("b", "/a");
    files.link("a", "/b");
    assert.throws(() => files.get("/a"), { code: "ELOOP" });
    assert.throws(() => files.write("/a", bytes("")), { code: "ELOOP" });
  });

  test("a copy and its source change apart, and a hard link changes with its file", () => {
    const files = volume();
    const file = files.write("/f", bytes("x"));
    files.append("/f", file, bytes("y"));
    files.copy("/f", "/copy");
    files.hardLink("/f", "/hard");
    files.append("/f", file, bytes("z"));
    const copy = files.file("/copy");
    files.append("/copy", copy, bytes("!"));
    assert.deepEqual(
      ["/f", "/hard", "/copy"].map((path) => textAt(files, path)),
      ["xyz", "xyz", "xy!"],
    );
    assert.equal(files.bytes, 6);
    files.remove("/f");
    assert.equal(files.bytes, 6);
    files.remove("/hard");
    assert.equal(files.bytes, 3);
  });

  test("refuses an excess, and stays unchanged", () => {
    const files = volume({ maxBytes: 10, maxEntries: 3 });
    const file = files.write("/f", bytes("123456"));
    const noSpace = { code: "ENOSPC" };
    assert.throws(() => files.write("/g", bytes("12345")), noSpace);
    assert.throws(() => files.append("/f", file, bytes("12345")), noSpace);
    assert.throws(() => files.copy("/f", "/g"), noSpace);
    assert.equal(textAt(files, "/f"), "123456");
    files.write("/f", bytes("1234567890"));
    files.makeDirectory("/d/e", { recursive: true });
    assert.throws(() => files.makeDirectory("/h"), noSpace);
    assert.throws(() => files.write("/h", bytes("")), noSpace);
    assert.throws(() => files.link("x", "/h"), noSpace);
    assert.deepEqual([files.bytes, files.entries], [10, 3]);
  });

  test("refuses names and paths that are too long, or no text, also by moving", () => {
    const files = volume({ maxBytes: 0, maxEntries: 5_000 });
    assert.throws(() => files.makeDirectory(`/${"é".repeat(128)}`), { code: "ENAMETOOLONG" });
    const long = "/aaaaaaaaa".repeat(60);
    files.makeDirectory(long, { recursive: true });
    assert.throws(() => files.makeDirectory(`${long}${long}`, { recursive: true }), { code: "ENAMETOOLONG" });
    files.makeDirectory(`/b${"/bbbbbbbbb".repeat(50)}`, { recursive: true });
    assert.throws(() => files.move("/b", `${long}/b`), { code: "ENAMETOOLONG" });
    assert.throws(() => files.write("/\ud800", bytes("")), { code: "EINVAL" });
    assert.throws(() => files.write("/a\0b", bytes("")), { code: "EINVAL" });
  });

  test("does not move or copy a directory into itself", () => {
    const files = volume();
    files.write("/d/f", bytes("x"));
    assert.throws(() => files.move("/d", "/d/e"), { code: "EINVAL" });
    assert.throws(() => files.copy("/d", "/d/e", { recursive: true }), { code: "EINVAL" });
    assert.throws(() => files.remove("/"), { code: "EPERM" });
  });

  test("copies a directory onto its parent without what the copy itself adds to it", () => {
    const files = volume();
    files.write("/b/d/d/x/y", bytes("1"));
    files.write("/b/d/x/z", bytes("2"));
    files.copy("/b/d", "/b", { recursive: true });
    const paths = ["/b/d/d/x/y", "/b/d/x/z", "/b/d/x/y", "/b/x/z"];
    assert.deepEqual(
      [...contents(files)].flatMap(([path, text]) => (text === null ? [] : path)).sort(),
      paths.sort(),
    );
  });
});

/** The same operations on a plain object: path -> content, or null for a directory. */
type Model = Map<string, string | null>;

const name = fc.constantFrom("a", "b", "__proto__", "constructor", "ö");
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => `/${names.join("/")}`);
const operation = fc.oneof(
  fc.record({ kind: fc.constant("write" as const), path, text: fc.string({ maxLength: 5 }) }),
  fc.record({ kind: fc.constant("append" as const), path, text: fc.string({ maxLength: 5 }) }),
  fc.record({ kind: fc.constant("mkdir" as const), path }),
  fc.record({ kind: fc.constant("remove" as const), path }),
  fc.record({ kind: fc.constant("move" as const), path, to: path }),
  fc.record({ kind: fc.constant("copy" as const), path, to: path }),
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

function apply(files: Volume, step: Operation): void {
  switch (step.kind) {
    case "write":
      files.write(step.path, bytes(step.text));
      break;
    case "append": {
      const file = files.find(step.path);
      if (file?.type === "file") files.append(step.path, file, bytes(step.text));
      else files.write(step.path, bytes(step.text));
      break;
    }
    case "mkdir":
      files.makeDirectory(step.path, { recursive: true });
      break;
    case "remove":
      files.remove(step.path, { recursive: true });
      break;
    case "move":
      files.move(step.path, step.to);
      break;
    case "copy":
      files.copy(step.path, step.to, { recursive: true });
      break;
  }
}

/** Returns the changed model, or undefined if the operation is impossible. */
function applyToModel(before: Model, step: Operation): Model | undefined {
  const model = new Map(before);
  const below = (parent: string) => [...model.keys()].filter((key) => key.startsWith(`${parent}/`));
  const addParents = (child: string): boolean => {
    for (let at = child.indexOf("/", 1); at > 0; at = child.indexOf("/", at + 1)) {
      const parent = child.slice(0, at);
      if (typeof model.get(parent) === "string") return false;
      model.set(parent, null);
    }
    return true;
  };
  const parentExists = (child: string) => {
    const parent = child.slice(0, child.lastIndexOf("/"));
    return parent === "" || model.get(parent) === null;
  };
  const text = model.get(step.path);
  switch (step.kind) {
    case "write":
    case "append":
      if (text === null || !addParents(step.path)) return undefined;
      return model.set(step.path, step.kind === "append" ? (text ?? "") + step.text : step.text);
    case "mkdir":
      if (typeof text === "string" || !addParents(step.path)) return undefined;
      return model.set(step.path, null);
    case "remove":
      if (text === undefined) return undefined;
      for (const key of [step.path, ...below(step.path)]) model.delete(key);
      return model;
    case "move": {
      const { to } = step;
      if (text === undefined || !parentExists(to)) return undefined;
      if (to === step.path) return model;
      if (to.startsWith(`${step.path}/`)) return undefined;
      const there = model.get(to);
      if (there !== undefined && (there === null) !== (text === null)) return undefined;
      if (there === null && below(to).length > 0) return undefined;
      const moved = [step.path, ...below(step.path)].map((key) => [key, model.get(key) ?? null] as const);
      for (const [key] of moved) model.delete(key);
      for (const [key, value] of moved) model.set(to + key.slice(step.path.length), value);
      return model;
    }
    case "copy": {
      const { to } = step;
      if (text === undefined || (to !== step.path && text === null && to.startsWith(`${step.path}/`)))
        return undefined;
      if (to === step.path) return model;
      const copied = [step.path, ...below(step.path)].map((key) => [key, model.get(key) ?? null] as const);
      if (!addParents(to)) return undefined;
      for (const [key, value] of copied) {
        const target = to + key.slice(step.path.length);
        const there = model.get(target);
        if (there !== undefined && (there === null) !== (value === null)) return undefined;
        model.set(target, value);
      }
      return model;
    }
  }
}

function contents(files: Volume): Model {
  const found: Model = new Map();
  const visit = (prefix: string, directory: string): void => {
    for (const [child, node] of files.directory(directory).children) {
      const at = `${prefix}/${child}`;
      found.set(at, node.type === "file" ? textAt(files, at) : null);
      if (node.type === "directory") visit(at, at);
    }
  };
  visit("", "/");
  return found;
}

const sorted = (model: Model) => [...model].sort(([a], [b]) => (a < b ? -1 : 1));

test("random operations do what they do to a plain map, and the counts stay right", () => {
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 40 }), (steps) => {
      const files = volume({ maxBytes: 1e6, maxEntries: 1e6 });
      let model: Model = new Map();
      for (const step of steps) {
        const next = applyToModel(model, step);
        try {
          apply(files, step);
        } catch (error) {
          if (!(error instanceof Error && "code" in error)) throw error;
          // A copy of a tree may have begun before it meets an obstacle; such a run ends here.
          if (step.kind === "copy" || next === undefined) {
            assert.equal(next, undefined, `${step.kind} failed: ${error.message}`);
            if (step.kind !== "copy") continue;
            return;
          }
          throw error;
        }
        assert.notEqual(next, undefined, `${JSON.stringify(step)} should have failed`);
        model = next ?? model;
        assert.deepEqual(sorted(contents(files)), sorted(model));
      }
      const texts = [...model.values()].filter((value) => value !== null);
      assert.equal(
        files.bytes,
        texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0),
      );
      assert.equal(files.entries, model.size);
    }),
    { numRuns: 500 },
  );
});

describe("a manifest", () => {
  test("keeps directories, modes, times, links and the names of contents", () => {
    const files = volume();
    files.makeDirectory("/empty");
    files.writeStored("/d/ü\n.txt", { blob, size: 5, mode: 0o755, mtimeMs: 7 });
    files.writeStored("/__proto__", { blob, size: 0, mode: 0o600, mtimeMs: -1.5 });
    files.link("../nowhere", "/d/l");
    const text = Buffer.from([...writeManifest(files)].join(""));
    const again = volume();
    for (const entries of readManifest(text)) addEntries(again, entries);
    assert.equal([...writeManifest(again)].join(""), text.toString());
    assert.equal(again.file("/d/ü\n.txt").mode, 0o755);
    assert.equal(again.bytes, 5);
  });

  const entry = `["f","/f",420,0,1,"${blob}"]`;
  const wrong = {
    "another version": '{"version":2}\n',
    "a cut line": `{"version":1}\n${entry}`,
    "no JSON": '{"version":1}\n["f"\n',
    "a path with ..": '{"version":1}\n["d","/a/../b",493,0]\n',
    "a relative path": '{"version":1}\n["d","a",493,0]\n',
    "the root": '{"version":1}\n["d","/",493,0]\n',
    "a name of a content with a path": '{"version":1}\n["f","/f",420,0,1,"../../etc/passwd"]\n',
    "a negative size": `{"version":1}\n["f","/f",420,0,-1,"${blob}"]\n`,
    "an unknown kind": '{"version":1}\n["x","/f",420,0]\n',
    "an object": '{"version":1}\n{"path":"/f"}\n',
    "a mode beyond its bits": '{"version":1}\n["d","/f",99999,0]\n',
  };
  for (const [title, text] of Object.entries(wrong)) {
    test(`with ${title} is refused`, () => {
      assert.throws(() => [...readManifest(Buffer.from(text))], ManifestError);
    });
  }

  test("of any bytes is read or refused", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          for (const _ of readManifest(Buffer.concat([Buffer.from('{"version":1}\n'), bytes])));
        } catch (error) {
          assert.ok(error instanceof ManifestError, String(error));
        }
      }),
    );
  });
});
