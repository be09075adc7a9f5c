import assert from "node:assert/strict";
import { test } from "vitest";
import type { StoredProvenance } from "../../store/thread-document.ts";
import { provenanceOf } from "./provenance.ts";

const computer = {
  kind: "sandbox",
  os: "linux",
  runtimeVersion: "1",
  imageVersion: "2",
  region: null,
} as const;
/** The agent has moved to a version that the thread does not have. */
const moved = { definition: { agentId: "agt_1", slug: "log-analyst", version: 9 } };

test("the provenance of a thread has each build once, oldest first, its own version of the definition, and the computer of its latest step", () => {
  const builds = [1, 2, 1].map((n) => ({ deploymentId: `dep_${n}`, commitSha: `c${n}` }));
  const [first, second, third] = builds.map((build, index) => ({ build, at: new Date(index) }));
  assert.ok(first && second && third);
  const of = (provenance: StoredProvenance | null) => ({ provenance, definitionVersion: 2 });
  let stored = provenanceOf(of(null), first.build, moved, { ...computer, imageVersion: null }, first.at);
  assert.equal(stored.computer?.imageVersion, undefined);
  stored = provenanceOf(of(stored), second.build, moved, computer, second.at);
  stored = provenanceOf(of(stored), third.build, moved, computer, third.at);
  assert.deepEqual(stored, {
    deployments: [
      { ...first.build, firstSeenAt: first.at },
      { ...second.build, firstSeenAt: second.at },
    ],
    definition: { slug: "log-analyst", version: 2 },
    computer: { kind: "sandbox", os: "linux", runtimeVersion: "1", imageVersion: "2" },
  });
});
