import { Argument } from "commander";
import { commandWordsOf } from "../completion/command-words.ts";
import { type Shell, scripts } from "../completion/scripts.ts";
import { examples } from "../help.ts";
import type { AddCommand } from "../invocation.ts";

export const completion: AddCommand = (program, act) => {
  program
    .command("completion")
    .description("Print a script that completes muster commands in a shell.")
    .addArgument(new Argument("<shell>", "Shell to complete in").choices(Object.keys(scripts)))
    .addHelpText("after", examples("muster completion bash > ~/.muster-completion"))
    .action(
      act(async ({ args, out }) => {
        const script = scripts[shellOf(args[0])](commandWordsOf(program));
        if (out.json) out.document({ shell: args[0], script });
        else out.piece(script);
      }),
    );
};

/** Commander has refused other names. */
function shellOf(name: string | undefined): Shell {
  return name === "zsh" || name === "fish" ? name : "bash";
}
