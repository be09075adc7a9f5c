import { updateProject as update } from "../../api/projects.ts";
import { usageError } from "../../exit.ts";
import { examples } from "../../help.ts";
import type { AddCommand, Handler } from "../../invocation.ts";
import { addLimitOptions, limitsOf } from "../../workforce/options.ts";
import { limitsLine } from "../../workforce/show-agent.ts";

export const updateProject: AddCommand = (group, act) => {
  const command = group
    .command("update")
    .description("Change the name or the limits of a project.")
    .argument("<id>", "Id of the project")
    .option("--name <text>", "New name")
    .option(
      "--requests-per-minute <number>",
      "Requests of all its keys and tokens; none for the server's limit",
    );
  addLimitOptions(command, "all its workforce agents")
    .addHelpText(
      "after",
      examples(
        "muster projects update prj_1 --requests-per-minute 600",
        "muster projects update prj_1 --requests-per-minute none",
        "muster projects update prj_1 --monthly-usd 100",
      ),
    )
    .action(act(handle));
};

const handle: Handler = async ({ args, out, options, api }) => {
  const name = options.text("name");
  const requests = options.text("requestsPerMinute");
  const limits = {
    ...(requests !== undefined && { requestsPerMinute: limitOf(requests) }),
    ...limitsOf(options),
  };
  const changesLimits = Object.keys(limits).length > 0;
  if (name === undefined && !changesLimits)
    throw usageError("Nothing to change. Add --name, --requests-per-minute or a monthly limit.");
  const project = await update(api(), args[0] ?? "", {
    ...(name === undefined ? {} : { name }),
    ...(changesLimits && { limits }),
  });
  if (out.json) out.document(project);
  else {
    const { requestsPerMinute } = project.limits;
    const limit =
      requestsPerMinute === null ? "the server's limit" : `${requestsPerMinute} requests a minute`;
    const ofMonth = limitsLine(project.limits);
    out.line(`Project ${project.id} (${project.name}) has ${limit}; monthly limits: ${ofMonth}.`);
  }
};

function limitOf(text: string): number | null {
  if (text === "none") return null;
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text);
  throw usageError("--requests-per-minute must be a whole number from 1, or none.");
}
