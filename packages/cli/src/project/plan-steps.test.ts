import assert from "node:assert/strict";
import type { JsonObject } from "@muster/language";
import fc from "fast-check";
import { test } from "vitest";
import { kindOf, secretRef } from "./kinds.ts";
import { canonical, nameOfStep, planSteps, type Resource, type Step, type Stored } from "./plan-steps.ts";

const text = fc.constantFrom("a", "b", "c");
const slug = fc.constantFrom("one", "two", "three");

const definition = fc.record({
  kind: fc.constant(kindOf("agents")),
  slug,
  fields: fc.record({ name: text, format: fc.constant("interactive"), protocol: text, description: text }),
});
const hired = fc.record({
  kind: fc.constant(kindOf("workforce")),
  slug,
  fields: fc.record(
    {
      name: text,
      definition: fc.constant("agents/one"),
      limits: fc.record({ monthlyUsd: fc.nat(3) }),
      paused: fc.boolean(),
    },
    { requiredKeys: ["name", "definition"] },
  ),
});
const webhook = fc.record({
  kind: fc.constant(kindOf("webhooks")),
  slug,
  fields: fc.record(
    {
      url: text,
      events: fc.uniqueArray(text, { minLength: 1 }),
      enabled: fc.boolean(),
      description: fc.option(text),
    },
    { requiredKeys: ["url", "events"] },
  ),
});
const resources: fc.Arbitrary<Resource[]> = fc
  .uniqueArray(fc.oneof(definition, hired, webhook), {
    selector: ({ kind, slug }) => `${kind.section}/${slug}`,
  })
  .map((all) =>
    all.map(({ kind, slug, fields }) => ({
      kind,
      name: `${kind.section}/${slug}`,
      fields: fields as JsonObject,
    })),
  );
const stored: fc.Arbitrary<Stored[]> = fc
  .tuple(resources, fc.infiniteStream(fc.boolean()))
  .map(([all, managed]) =>
    all.map((each) => ({ ...each, id: each.name, revision: 1, managed: managed.next().value ?? false })),
  );

/** A server without the network: it makes a step, and refuses one that was planned for another revision. */
function make(server: readonly Stored[], step: Step): Stored[] {
  const name = nameOfStep(step);
  const found = server.find((each) => each.name === name);
  const others = server.filter((each) => each !== found);
  if (step.action === "create") {
    assert.equal(found, undefined);
    return [...others, { ...step.wanted, id: name, revision: 1, managed: true }];
  }
  assert.equal(found?.revision, step.stored.revision);
  if (step.action === "delete") return others;
  const fields = Object.fromEntries(step.changed.map((field) => [field, step.wanted.fields[field] ?? null]));
  return [
    ...others,
    { ...found, fields: { ...found.fields, ...fields }, revision: found.revision + 1, managed: true },
  ];
}

const shown = (server: readonly Stored[]) =>
  server.map((each) => [each.name, each.managed, canonical(each)]).toSorted();

test("nothing is left to change after all steps, and what apply does not manage stays", () => {
  fc.assert(
    fc.property(resources, stored, fc.boolean(), (wanted, server, prune) => {
      const after = planSteps(wanted, server, { prune }).reduce(make, server);
      assert.deepEqual(planSteps(wanted, after, { prune }), []);
      const names = new Set(wanted.map(({ name }) => name));
      const kept = server.filter(({ name, managed }) => !names.has(name) && !(prune && managed));
      assert.deepEqual(shown(after.filter(({ name }) => !names.has(name))), shown(kept));
      const managed = after.filter(({ name }) => names.has(name));
      assert.deepEqual(
        shown(managed),
        shown(wanted.map((each) => ({ ...each, id: "", revision: 1, managed: true }))),
      );
    }),
  );
});

test("whatever steps were made before a failure, planning again leads to the same state", () => {
  fc.assert(
    fc.property(resources, stored, fc.boolean(), fc.nat(), (wanted, server, prune, cut) => {
      const steps = planSteps(wanted, server, { prune });
      const halfway = steps.slice(0, steps.length === 0 ? 0 : cut % steps.length).reduce(make, server);
      const resumed = planSteps(wanted, halfway, { prune }).reduce(make, halfway);
      assert.deepEqual(shown(resumed), shown(steps.reduce(make, server)));
    }),
  );
});

test("a resource is made after what it needs and deleted before it, and follows the change of its definition", () => {
  const agent = (protocol: string): Resource => ({
    ...{ name: "agents/one", kind: kindOf("agents") },
    fields: { name: "One", format: "interactive", protocol },
  });
  const lou: Resource = {
    ...{ name: "workforce/lou", kind: kindOf("workforce") },
    fields: { name: "Lou", definition: "agents/one" },
  };
  const namesOf = (steps: readonly Step[]) => steps.map((step) => `${step.action} ${nameOfStep(step)}`);
  const made = planSteps([lou, agent("a")], []);
  assert.deepEqual(namesOf(made), ["create agents/one", "create workforce/lou"]);
  const server = made.reduce(make, []);
  const followed = planSteps([lou, agent("b")], server);
  assert.deepEqual(namesOf(followed), ["update agents/one", "update workforce/lou"]);
  const gone = planSteps([], server, { prune: true });
  assert.deepEqual(namesOf(gone), ["delete workforce/lou", "delete agents/one"]);
});

test("a secret is sent again with new credentials or another URL, and if all of them rotate", () => {
  const token = { secretRef: "env:TOKEN" };
  const server = (fields: JsonObject): Resource => ({
    name: "mcpServers/one",
    kind: kindOf("mcpServers"),
    fields,
  });
  const before = server({
    url: "https://a.example/",
    auth: { type: "bearer", token: { secretRef: "env:OTHER" } },
  });
  const changes = (fields: JsonObject, rotateSecrets = false) => {
    const present = [{ ...before, id: "mcp_1", revision: 1, managed: true }];
    const [step] = planSteps([server({ ...before.fields, ...fields })], present, { rotateSecrets });
    return step?.action === "update" ? step.changed : [];
  };
  assert.deepEqual(changes({ auth: { type: "bearer", token } }), []);
  assert.deepEqual(changes({ auth: { type: "header", name: "X-Key", value: token } }), ["auth"]);
  assert.deepEqual(changes({ url: "https://b.example/" }), ["url", "auth"]);
  assert.deepEqual(changes({}, true), ["auth"]);
});

test("each null and each empty part of a filter counts", () => {
  const kind = kindOf("hooks");
  const name = "workforce/lou/hooks/merged";
  const fields = { name: "Merged", verify: { type: "github", secret: { secretRef: "env:A" } }, message: "a" };
  const stored = { kind, name, fields, id: "hok_1", revision: 1, managed: true };
  for (const filter of [{ properties: { merged_at: { const: null } } }, { not: {} }, { anyOf: [{}] }]) {
    const wanted = { kind, name, fields: { ...fields, filter } };
    assert.partialDeepStrictEqual(planSteps([wanted], [stored])[0], { changed: ["filter"] });
    assert.deepEqual(canonical(wanted).filter, filter);
    assert.deepEqual(planSteps([wanted], [{ ...stored, fields: { ...fields, filter } }]), []);
  }
});

test("the reference to a secret has the name of a variable, also for a slug that begins with a digit", () => {
  assert.deepEqual(secretRef("3d-bot", "token"), { secretRef: "env:_3D_BOT_TOKEN" });
});
