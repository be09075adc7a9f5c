import { exitCodes, failure } from "../exit.ts";
import { examples } from "../help.ts";
import type { AddCommand, Handler } from "../invocation.ts";

export const serve: AddCommand = (group, act) => {
  group
    .command("serve [process]")
    .description("Run a process of the server: all, gateway, auth, agents, sessions, workforce or recorder.")
    .addHelpText("after", examples("muster serve all"))
    // The handler says which words it accepts.
    .allowExcessArguments()
    .action(act(handle));
};

const handle: Handler = async ({ args, io: { server } }) => {
  if (server === undefined) {
    throw failure(
      "NO_SERVER",
      "The server is not installed beside this command: run muster serve in the Muster repository or in its container image.",
    );
  }
  const [name, ...more] = args;
  if (name === undefined || more.length > 0 || !server.processNames.includes(name)) {
    const names = server.processNames.join(", ");
    throw failure("UNKNOWN_PROCESS", `muster serve needs the name of one process: ${names}.`);
  }
  return (await server.serve(name)) === 0 ? exitCodes.fine : exitCodes.failure;
};
