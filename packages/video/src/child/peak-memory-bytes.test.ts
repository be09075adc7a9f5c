import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

test("a small process that a large one has started counts only its own memory", () => {
  const module = new URL("peak-memory-bytes.ts", import.meta.url).href;
  const child = `import { peakMemoryBytes } from ${JSON.stringify(module)}; process.stdout.write(String(await peakMemoryBytes()));`;
  const parent = `
    const held = Buffer.alloc(400 << 20, 1);
    const { spawnSync } = await import("node:child_process");
    const args = ["--input-type=module", "--eval", ${JSON.stringify(child)}];
    process.stdout.write(String(spawnSync(process.execPath, args).stdout) + " " + held.length);`;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", parent], {
    encoding: "utf8",
  });
  const [peakBytes, heldBytes] = stdout.split(" ").map(Number);
  expect(heldBytes).toBe(400 << 20);
  expect(peakBytes).toBeGreaterThan(10 << 20);
  expect(peakBytes).toBeLessThan(400 << 20);
});
