import { listProjects, updateProject as update } from "../../api/projects.ts";
import { usageError } from "../../exit.ts";
import { examples } from "../../help.ts";
import type { Api } from "../../http/api.ts";
import type { AddCommand, Handler } from "../../invocation.ts";
import type { Options } from "../../options.ts";
import {
  addApprovalOption,
  addRunsOption,
  addSpendingOptions,
  approvalsOf,
  limitsOf,
} from "../../workforce/options.ts";
import { approvalsLine, limitsLine } from "../../workforce/show-agent.ts";

export const updateProject: AddCommand = (group, act) => {
  const command = group
    .command("update")
    .description("Change the name, the limits or the rules of approval of a project.")
    .argument("<id>", "Id of the project")
    .option("--name <text>", "New name")
    .option(
      "--requests-per-minute <number>",
      "Requests of all its keys and tokens; none for the server's limit",
    );
  addSpendingOptions(command, "its sessions, workers and workforce agents together");
  addSpendingOptions(command, "its workforce agents alone", "workforce-");
  command.option(
    "--subject-monthly-usd <amount>",
    "US dollars that each subject may use in a month; none for no limit",
  );
  addApprovalOption(addRunsOption(command, "its workforce agents", "workforce-"))
    .addHelpText(
      "after",
      examples(
        "muster projects update prj_1 --requests-per-minute 600",
        "muster projects update prj_1 --requests-per-minute none",
        "muster projects update prj_1 --monthly-usd 100",
        "muster projects update prj_1 --approval 'payments__*=ask'",
      ),
    )
    .action(act(handle));
};

const handle: Handler = async ({ args, out, options, api: connect }) => {
  const name = options.text("name");
  const requests = options.text("requestsPerMinute");
  const { subjectMonthlyUsd } = limitsOf(options, "subjectMonthly");
  const limits = {
    ...(requests !== undefined && { requestsPerMinute: limitOf(requests) }),
    ...limitsOf(options),
    ...limitsOf(options, "workforceMonthly"),
    ...(subjectMonthlyUsd !== undefined && { perSubject: { monthlyUsd: subjectMonthlyUsd } }),
  };
  const changesLimits = Object.keys(limits).length > 0;
  if (name === undefined && !changesLimits && options.texts("approval").length === 0)
    throw usageError("Nothing to change. Add --name, --requests-per-minute, a monthly limit or --approval.");
  const api = connect();
  const [id = ""] = args;
  const approvals = await approvalsFor(api, id, options);
  const project = await update(api, id, {
    ...(name === undefined ? {} : { name }),
    ...(changesLimits && { limits }),
    ...(approvals !== undefined && { approvals }),
  });
  if (out.json) out.document(project);
  else {
    const { requestsPerMinute } = project.limits;
    const limit =
      requestsPerMinute === null ? "the server's limit" : `${requestsPerMinute} requests a minute`;
    const { workforceMonthlyUsd, workforceMonthlyTokens, workforceMonthlyRuns } = project.limits;
    const ofMonth = limitsLine({ ...project.limits, monthlyRuns: null });
    const ofWorkforce = limitsLine({
      monthlyUsd: workforceMonthlyUsd,
      monthlyTokens: workforceMonthlyTokens,
      monthlyRuns: workforceMonthlyRuns,
    });
    out.line(`Project ${project.id} (${project.name}) has ${limit}.`);
    const ofSubject = limitsLine({ ...project.limits.perSubject, monthlyTokens: null, monthlyRuns: null });
    out.line(
      `Monthly limits: ${ofMonth}; of its workforce agents alone: ${ofWorkforce}; of each subject: ${ofSubject}.`,
    );
    out.line(`Approvals: ${approvalsLine(project.approvals)}.`);
  }
};

/** The rules are replaced as a whole, so those that stay go with the others. */
async function approvalsFor(api: Api, projectId: string, options: Options) {
  if (approvalsOf(options) === undefined) return undefined;
  const present = (await listProjects(api)).find(({ id }) => id === projectId);
  return approvalsOf(options, present?.approvals);
}

function limitOf(text: string): number | null {
  if (text === "none") return null;
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text);
  throw usageError("--requests-per-minute must be a whole number from 1, or none.");
}
