import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, test } from "vitest";
import { never, onEachRuntime, owner, type TestComputers } from "../../test/support/open-computers.ts";
import type { Computer } from "../computer.ts";
import type { Step } from "../store/steps.ts";

/** A simulated death of the process: from this step on, nothing happens. */
function createCrash() {
  let stepsLeft = Number.POSITIVE_INFINITY;
  let lastStep: Step | undefined;
  let dead = false;
  const passed: Step[] = [];
  return {
    passed,
    /** Dies before the step after `steps` more. */
    in(steps: number) {
      stepsLeft = steps;
    },
    /** Dies when it reaches this step. */
    at(step: Step) {
      lastStep = step;
    },
    before(step: Step): void {
      if (dead || step === lastStep || stepsLeft-- <= 0) {
        dead = true;
        throw new Error("the process died");
      }
      passed.push(step);
    },
  };
}

type Files = ReadonlyMap<string, string>;

interface Change {
  kind: "write" | "append" | "command" | "put";
  file: string;
  text: string;
  /** How many steps of it happen, if it is cut off. */
  stepsUntilCrash: number | undefined;
}

const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom("write" as const, "append" as const, "append" as const, "put" as const),
  file: fc.constantFrom("a", "b", "d/c", "__proto__", "d/constructor"),
  text: fc.stringMatching(/^[a-z]{0,4}$/).map((text) => `${text}\n`),
  stepsUntilCrash: fc.option(fc.nat({ max: 9 }), { nil: undefined }),
});

function applied(files: Files, { kind, file, text }: Change): Files {
  const before = kind === "append" || kind === "command" ? (files.get(file) ?? "") : "";
  return new Map(files).set(file, before + text);
}

async function apply(
  computer: Computer,
  { kind, file, text }: Change,
  id: string,
  epoch: number,
): Promise<void> {
  if (kind === "put") return await computer.putFile(file, Buffer.from(text), never);
  const call =
    kind === "command"
      ? {
          id,
          name: "shell__run_command",
          args: { command: `mkdir -p d; printf '${text}' >> ${file}` },
          epoch,
        }
      : { id, name: "files__write", args: { path: file, content: text, append: kind === "append" }, epoch };
  const outcome = await computer.execute(call, () => {}, never);
  assert.ok("result" in outcome, JSON.stringify(outcome));
}

async function filesOf(computer: Computer): Promise<Files> {
  const files = new Map<string, string>();
  const visit = async (directory: string): Promise<void> => {
    for (const { path, type } of await computer.listFiles(directory, never)) {
      if (type === "directory") await visit(path);
      else
        files.set(
          path.replace("/home/agent/", ""),
          Buffer.from(await computer.readFile(path, never)).toString(),
        );
    }
  };
  await visit("/home/agent");
  return files;
}

const sorted = (files: Files) => [...files].sort(([a], [b]) => (a < b ? -1 : 1));

/** Makes the changes; after each crash, another process takes over and sends the interrupted call again. */
async function runChanges(
  opened: TestComputers,
  agentId: string,
  changes: readonly Change[],
): Promise<Set<Step>> {
  const who = { ...owner, agentId };
  const steps = new Set<Step>();
  let epoch = 1;
  let files: Files = new Map();
  for (const [at, next] of changes.entries()) {
    const crash = createCrash();
    // Without `start`: these calls need no process.
    const first = await opened.another({ steps: crash }).open(who, epoch);
    if (next.stepsUntilCrash !== undefined) crash.in(next.stepsUntilCrash);
    const died = await apply(first, next, `call_${at}`, epoch).then(
      () => false,
      (error) => {
        assert.match(String(error), /the process died/);
        return true;
      },
    );
    for (const step of crash.passed) steps.add(step);
    const wasPublished = crash.passed.includes("publish");
    assert.ok(died || wasPublished);
    const after = applied(files, next);

    const later = await opened.another().open(who, ++epoch);
    assert.deepEqual(sorted(await filesOf(later)), sorted(wasPublished ? after : files));
    await apply(later, next, `call_${at}`, epoch);
    assert.deepEqual(sorted(await filesOf(later)), sorted(after), "a repeated call changes the files once");
    files = after;
  }
  return steps;
}

onEachRuntime(({ openComputers }) => {
  describe("whenever a process dies, the files are those of the last stored outcome, and a repeated call takes effect once", () => {
    test("with changes by files__write and putFile, cut off at any step", async (t) => {
      const opened = await openComputers(t);
      let agents = 0;
      const steps = new Set<Step>();
      await fc.assert(
        fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
          for (const step of await runChanges(opened, `agt_${++agents}`, changes)) steps.add(step);
        }),
        { numRuns: 25 },
      );
      for (const step of ["write", "sync", "rename", "begin", "publish", "answer"] as const) {
        assert.ok(steps.has(step), `${step} has never happened`);
      }
    });

    test("with commands, cut off at each step", async (t) => {
      const opened = await openComputers(t);
      const steps: Step[] = ["begin", "write", "sync", "rename", "publish", "answer"];
      const changes = steps.map((_, at) => ({
        kind: "command" as const,
        file: at % 2 === 0 ? "a" : "d/c",
        text: `${at}\\n`,
        stepsUntilCrash: undefined,
      }));
      // `printf` makes a line of it.
      const expected = changes.map((next) => ({ ...next, text: next.text.replace("\\n", "\n") }));
      const who = { ...owner, agentId: "agt_commands" };
      let epoch = 1;
      let files: Files = new Map();
      for (const [at, next] of changes.entries()) {
        const crash = createCrash();
        const dying = opened.another({ steps: crash });
        crash.at(steps[at] ?? "begin");
        const first = await dying.open(who, epoch);
        await apply(first, next, `call_${at}`, epoch).catch(() => {});
        await dying.close();
        const computers = opened.another();
        const later = await computers.open(who, ++epoch);
        const after = applied(files, expected[at] ?? next);
        assert.deepEqual(
          sorted(await filesOf(later)),
          sorted(crash.passed.includes("publish") ? after : files),
        );
        await apply(later, next, `call_${at}`, epoch);
        assert.deepEqual(sorted(await filesOf(later)), sorted(after));
        await computers.close();
        files = after;
      }
    });
  });
});
