import { deniedGroups } from "./denied-groups.ts";

export type Architecture = "x86_64" | "aarch64";

/** AUDIT_ARCH_* of linux/audit.h, and the numbers of the calls whose arguments are checked. */
const architectures = {
  x86_64: { audit: 0xc000003e, clone: 56, socket: 41, ioctl: 16 },
  aarch64: { audit: 0xc00000b7, clone: 220, socket: 198, ioctl: 29 },
} as const;

/** `mseal`. Later calls are absent until they have been reviewed. */
const newestCall = 462;
/** All CLONE_NEW* flags that clone accepts. */
const namespaceFlags = 0x7e020000;
/** AF_UNIX, AF_INET, AF_INET6, and AF_NETLINK, which lists network interfaces. Not AF_VSOCK: it has no namespaces. */
const socketFamilies = [1, 2, 10, 16];
/** TIOCSTI and TIOCLINUX type into a terminal. */
const terminalRequests = [0x5412, 0x541c];

const offsets = { call: 0, architecture: 4, firstArgument: 16, secondArgument: 24 } as const;
const errors = { EPERM: 1, ENOSYS: 38, EAFNOSUPPORT: 97 } as const;
const verdicts = {
  allow: 0x7fff0000,
  kill: 0x80000000,
  refused: 0x00050000 | errors.EPERM,
  absent: 0x00050000 | errors.ENOSYS,
  noSuchFamily: 0x00050000 | errors.EAFNOSUPPORT,
} as const;

type Verdict = keyof typeof verdicts;

/** `load`: a word of the call's data. The others compare it with `value`, and go to a verdict or to the next instruction. */
type Instruction =
  | { op: "load"; value: number }
  | { op: "equal" | "unequal" | "greater" | "anyBit"; value: number; verdict: Verdict }
  | { op: "skipUnless"; value: number; skip: number }
  | { op: "return"; verdict: Verdict };

/** The program for the kernel, as `struct sock_filter`: 8 bytes for each instruction. */
export function assembleFilter(architecture: Architecture): Buffer {
  const { audit, clone, socket, ioctl } = architectures[architecture];
  const onlyIf = (number: number, block: readonly Instruction[]): Instruction[] => [
    { op: "skipUnless", value: number, skip: block.length },
    ...block,
  ];
  const body: Instruction[] = [
    { op: "load", value: offsets.architecture },
    // Other architectures number their calls differently.
    { op: "unequal", value: audit, verdict: "kill" },
    { op: "load", value: offsets.call },
    // The calls of the x32 ABI, too.
    { op: "greater", value: newestCall, verdict: "absent" },
    ...deniedGroups.flatMap(({ calls, absent }) =>
      calls.flatMap((denied): Instruction[] => {
        const value = denied[architecture];
        return value === null ? [] : [{ op: "equal", value, verdict: absent ? "absent" : "refused" }];
      }),
    ),
    ...onlyIf(clone, [
      { op: "load", value: offsets.firstArgument },
      { op: "anyBit", value: namespaceFlags, verdict: "refused" },
      { op: "return", verdict: "allow" },
    ]),
    ...onlyIf(ioctl, [
      { op: "load", value: offsets.secondArgument },
      ...terminalRequests.map((value): Instruction => ({ op: "equal", value, verdict: "refused" })),
      { op: "return", verdict: "allow" },
    ]),
    ...onlyIf(socket, [
      { op: "load", value: offsets.firstArgument },
      ...socketFamilies.map((value): Instruction => ({ op: "equal", value, verdict: "allow" })),
      { op: "return", verdict: "noSuchFamily" },
    ]),
  ];
  return encode(body);
}

/** The codes of linux/bpf_common.h. */
const codes = { load: 0x20, equal: 0x15, unequal: 0x15, greater: 0x25, anyBit: 0x45, return: 0x06 } as const;

/** The verdicts stand at the end, `allow` first: the program falls through to it. */
function encode(body: readonly Instruction[]): Buffer {
  const names = Object.keys(verdicts) as Verdict[];
  const program = Buffer.alloc((body.length + names.length) * 8);
  const put = (at: number, code: number, ifTrue: number, ifFalse: number, value: number) => {
    program.writeUInt16LE(code, at * 8);
    program.writeUInt8(ifTrue, at * 8 + 2);
    program.writeUInt8(ifFalse, at * 8 + 3);
    program.writeUInt32LE(value >>> 0, at * 8 + 4);
  };
  body.forEach((instruction, at) => {
    if (instruction.op === "load") put(at, codes.load, 0, 0, instruction.value);
    else if (instruction.op === "return") put(at, codes.return, 0, 0, verdicts[instruction.verdict]);
    else if (instruction.op === "skipUnless") put(at, codes.equal, 0, instruction.skip, instruction.value);
    else {
      const distance = body.length + names.indexOf(instruction.verdict) - at - 1;
      const [ifTrue, ifFalse] = instruction.op === "unequal" ? [0, distance] : [distance, 0];
      put(at, codes[instruction.op], ifTrue, ifFalse, instruction.value);
    }
  });
  names.forEach((name, index) => {
    put(body.length + index, codes.return, 0, 0, verdicts[name]);
  });
  return program;
}
