import assert from "node:assert/strict";
import { test } from "vitest";
import { provenanceOf } from "./provenance.ts";

const computer = {
  kind: "sandbox",
  os: "linux",
  runtimeVersion: "1",
  imageVersion: "2",
  region: null,
} as const;
const hired = (version: number) => ({ definition: { agentId: "agt_1", slug: "log-analyst", version } });

test("the provenance of a thread has each build once, oldest first, and the definition and computer of its latest step", () => {
  const builds = [1, 2, 1].map((n) => ({ deploymentId: `dep_${n}`, commitSha: `c${n}` }));
  const [first, second, third] = builds.map((build, index) => ({ build, at: new Date(index) }));
  assert.ok(first && second && third);
  let stored = provenanceOf(null, first.build, hired(1), { ...computer, imageVersion: null }, first.at);
  assert.equal(stored.computer?.imageVersion, undefined);
  stored = provenanceOf(stored, second.build, hired(1), computer, second.at);
  stored = provenanceOf(stored, third.build, hired(2), computer, third.at);
  assert.deepEqual(stored, {
    deployments: [
      { ...first.build, firstSeenAt: first.at },
      { ...second.build, firstSeenAt: second.at },
    ],
    definition: { slug: "log-analyst", version: 2 },
    computer: { kind: "sandbox", os: "linux", runtimeVersion: "1", imageVersion: "2" },
  });
});
