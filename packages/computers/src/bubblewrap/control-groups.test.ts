import assert from "node:assert/strict";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryDirectory } from "@muster/testing";
import { describe, test } from "vitest";
import { openersOf } from "../../test/support/open-computers.ts";
import { groupIn, openControlGroups } from "./control-groups.ts";

const mount = (root: string, at: string) =>
  `22 1 0:5 / /proc rw - proc proc rw\n31 24 0:27 ${root} ${at} rw,nosuid shared:4 - cgroup2 cgroup2 rw\n`;

describe("the control group of the service", () => {
  const unified = mount("/", "/sys/fs/cgroup");
  const places: Record<string, [mounts: string, groups: string, folder: string | undefined]> = {
    "of a unit": [unified, "0::/system.slice/m.service\n", "/sys/fs/cgroup/system.slice/m.service"],
    "beside those of v1": [
      mount("/", "/sys/fs/cgroup/unified"),
      "4:memory:/a\n0::/b\n",
      "/sys/fs/cgroup/unified/b",
    ],
    "of a container with a namespace of groups": [unified, "0::/\n", "/sys/fs/cgroup"],
    "of a container without one": [
      mount("/docker/c1", "/sys/fs/cgroup"),
      "0::/docker/c1\n",
      "/sys/fs/cgroup",
    ],
    "that is not mounted": [mount("/docker/c1", "/sys/fs/cgroup"), "0::/docker/c10\n", undefined],
    "above the namespace": [unified, "0::/../other\n", undefined],
    "of v1 only": ["31 24 0:27 / /sys/fs/cgroup rw - cgroup cgroup rw,memory\n", "4:memory:/a\n", undefined],
  };
  for (const [title, [mounts, groups, folder]] of Object.entries(places))
    test(`is found in the mounts: one ${title}`, () => assert.equal(groupIn(mounts, groups), folder));

  test("is left alone, with the reason, if it has not all controllers or cannot be divided", async (t) => {
    const folder = await temporaryDirectory(t);
    const opens = () => openControlGroups(folder, "name", () => true);
    await assert.rejects(opens, { name: "NoControlGroupsError", message: /has no memory, pids, cpu$/ });
    await writeFile(join(folder, "cgroup.controllers"), "cpu io pids\n");
    await assert.rejects(opens, /has no memory$/);
    await writeFile(join(folder, "cgroup.controllers"), "cpu io memory pids\n");
    await mkdir(join(folder, "cgroup.subtree_control"));
    await assert.rejects(opens, { name: "NoControlGroupsError", message: /cannot be divided/ });
    assert.ok(!(await readdir(folder)).includes("name"));
  });

  test.skipIf(process.platform !== "linux")(
    "decides how commands are limited, which the check of the runtime says",
    async (t) => {
      const { computers } = await openersOf("bubblewrap").openComputers(t);
      assert.match(
        await computers.check(),
        /; limits are by (?:control groups|process \(.*control group.*\))$/,
      );
    },
  );
});
