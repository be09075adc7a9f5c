import { createComputer as create } from "../../api/computers.ts";
import { examples } from "../../help.ts";
import type { AddCommand } from "../../invocation.ts";

export const createComputer: AddCommand = (group, act) => {
  group
    .command("create")
    .description("Create a computer that several agents share. Their runs take turns on it.")
    .argument("<name>", "Name of the computer")
    .option("--kind <kind>", "dedicated or mac", "dedicated")
    .option("--os <os>", "linux, windows or macos (default: linux, and macos for a mac)")
    .addHelpText("after", examples('muster computers create "Build machine"'))
    .action(
      act(async ({ args, out, options, api }) => {
        const kind = options.text("kind") ?? "dedicated";
        const os = options.text("os") ?? (kind === "mac" ? "macos" : "linux");
        const computer = await create(api(), { name: args[0], kind, os });
        if (out.json) {
          out.document(computer.document);
          return;
        }
        out.line(`Created ${computer.name} (${computer.id}).`);
        out.hint({
          purpose: "To create a token with which it connects",
          args: `computers tokens create ${computer.id}`,
        });
        const hire = `workforce hire log-analyst --name "Lou" --computer-id ${computer.id}`;
        out.hint({ purpose: "To hire an agent for it", args: hire });
      }),
    );
};
