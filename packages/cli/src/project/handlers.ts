import { resolve } from "node:path";
import { exitCodes, failure } from "../exit.ts";
import type { Handler, Invocation } from "../invocation.ts";
import { applySteps } from "./apply-steps.ts";
import { impossibleChanges, planSteps } from "./plan-steps.ts";
import { readProject } from "./read-project.ts";
import { readServer } from "./read-server.ts";
import { showDifferences, showStep, stepsDocument } from "./show-steps.ts";
import { writeProject } from "./write-project.ts";

export const applyHandler: Handler = async (invocation) => {
  const { out, options, io } = invocation;
  const { steps, stored } = await plan(invocation);
  const isDryRun = options.flag("dryRun");
  if (isDryRun) for (const step of steps) showDifferences(out, step);
  else {
    const onStep = showStep.bind(undefined, out);
    await applySteps(invocation.api(), steps, { stored, env: io.env, onStep });
  }
  if (out.json) out.document({ dryRun: isDryRun, changes: stepsDocument(steps) });
  else if (steps.length === 0) out.line("Nothing to change.");
  else if (isDryRun) out.line("Dry run: nothing was changed.");
  return exitCodes.fine;
};

export const diffHandler: Handler = async (invocation) => {
  const { out, options } = invocation;
  const { steps } = await plan(invocation);
  for (const step of steps) showDifferences(out, step);
  if (out.json) out.document({ changes: stepsDocument(steps) });
  else if (steps.length === 0) out.line("No differences.");
  return steps.length > 0 && options.flag("exitCode") ? exitCodes.usage : exitCodes.fine;
};

export const exportHandler: Handler = async (invocation) => {
  const { out, options } = invocation;
  const resources = await readServer(invocation.api());
  const written = await writeProject(folderOf(invocation), resources, options.flag("force"));
  for (const path of written) out.line(`wrote ${path}`);
  if (out.json) out.document({ written });
  return exitCodes.fine;
};

/** The steps from the server's project to the one in the files. Throws if one of them is impossible. */
async function plan(invocation: Invocation) {
  const { options } = invocation;
  const [prune, rotateSecrets] = [options.flag("prune"), options.flag("rotateSecrets")];
  const wanted = await readProject(folderOf(invocation), prune);
  const stored = await readServer(invocation.api());
  const steps = planSteps(wanted, stored, { prune, rotateSecrets });
  const issues = impossibleChanges(steps).map((path) => ({
    path,
    message: "This field cannot change once it is set.",
  }));
  if (issues.length === 0) return { steps, stored };
  const message =
    "The server has resources of the same names, which differ in fields that cannot change. Choose other names.";
  throw failure("INVALID_PROJECT", message, { issues });
}

function folderOf({ io, options }: Invocation): string {
  return resolve(io.cwd, options.text("folder") ?? ".");
}
