import { deleteRecordings } from "../../api/threads.ts";
import { confirm } from "../../confirm.ts";
import type { AddCommand } from "../../invocation.ts";
import { findWork } from "../../workforce/find-work.ts";

export const deleteRecording: AddCommand = (group, act) => {
  group
    .command("delete-recording")
    .description("Delete the videos of a thread's runs. The thread itself stays.")
    .argument("<agent>", "Name, slug or id of the agent")
    .argument("<thread>", "Id of the thread")
    .option("--yes", "Skip the confirmation prompt")
    .action(
      act(async (invocation) => {
        const { args, io, out, options } = invocation;
        const [name = "", threadId = ""] = args;
        const question = `Delete the recordings of ${threadId}?`;
        if (!options.flag("yes")) await confirm(io, out, question, "--yes");
        const deleted = await deleteRecordings(await findWork(invocation, name), threadId);
        if (out.json) out.document(deleted);
        else out.line(`Deleted the recordings of ${threadId}.`);
      }),
    );
};
