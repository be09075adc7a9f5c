import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "vitest";
import type { Architecture } from "./assemble-filter.ts";
import { deniedGroups } from "./denied-groups.ts";
import { filters } from "./filters.ts";
import { filtersText } from "./write-filters.ts";

const audit = { x86_64: 0xc000003e, aarch64: 0xc00000b7 } as const;
const numbers = {
  x86_64: { clone: 56, socket: 41, ioctl: 16, read: 0, openat: 257 },
  aarch64: { clone: 220, socket: 198, ioctl: 29, read: 63, openat: 56 },
} as const;

/** Runs the program as the kernel does. */
function verdictOf(
  architecture: Architecture,
  call: number,
  args: number[] = [],
  machine: number = audit[architecture],
) {
  const program = Buffer.from(filters[architecture], "base64");
  const data = new Map([
    [0, call],
    [4, machine],
    [16, args[0] ?? 0],
    [24, args[1] ?? 0],
  ]);
  let word = 0;
  for (let at = 0; at < program.length; at += 8) {
    const [code, ifTrue, ifFalse] = [program.readUInt16LE(at), program[at + 2] ?? 0, program[at + 3] ?? 0];
    const value = program.readUInt32LE(at + 4);
    if (code === 0x06) return describeVerdict(value);
    if (code === 0x20) word = data.get(value) ?? assert.fail(`loads ${value}`);
    else {
      const holds = code === 0x15 ? word === value : code === 0x25 ? word > value : (word & value) !== 0;
      at += 8 * (holds ? ifTrue : ifFalse);
    }
  }
  return assert.fail("the program has no end");
}

function describeVerdict(value: number): string {
  if (value === 0x7fff0000) return "allow";
  if (value === 0x80000000) return "kill";
  return { 1: "EPERM", 38: "ENOSYS", 97: "EAFNOSUPPORT" }[value & 0xffff] ?? String(value);
}

test("the committed filters are those that the list of calls generates", () => {
  assert.equal(readFileSync(new URL("filters.ts", import.meta.url), "utf8"), filtersText());
});

describe.each(["x86_64", "aarch64"] as const)("the filter for %s", (architecture) => {
  const { clone, socket, ioctl, read, openat } = numbers[architecture];
  const verdict = (call: number, ...args: number[]) => verdictOf(architecture, call, args);

  test("refuses every call of the list, and allows the usual ones", () => {
    for (const { calls, absent } of deniedGroups)
      for (const call of calls)
        if (call[architecture] !== null)
          assert.equal(verdict(call[architecture] ?? -1), absent ? "ENOSYS" : "EPERM", call.name);
    for (const call of [read, openat, 462]) assert.equal(verdict(call), "allow");
  });

  test("knows no calls that are newer than it, none of another ABI, and ends those of another machine", () => {
    for (const call of [463, 0x40000000 + read, 0xffffffff]) assert.equal(verdict(call), "ENOSYS");
    assert.equal(verdictOf(architecture, read, [], 0x40000003), "kill");
  });

  test("allows threads and processes but no namespaces, sockets of four families, and no typing into terminals", () => {
    assert.equal(verdict(clone, 0x3d0f00), "allow");
    assert.equal(verdict(clone, 17), "allow");
    for (let bit = 0x20000; bit <= 0x40000000; bit *= 2)
      if (bit & 0x7e020000) assert.equal(verdict(clone, 17 + bit), "EPERM");
    for (const family of [1, 2, 10, 16]) assert.equal(verdict(socket, family), "allow");
    for (const family of [0, 3, 17, 38, 40]) assert.equal(verdict(socket, family), "EAFNOSUPPORT");
    assert.equal(verdict(ioctl, 0, 0x5401), "allow");
    for (const request of [0x5412, 0x541c]) assert.equal(verdict(ioctl, 0, request), "EPERM");
  });
});
