import { type AddRoute, callFor } from "../../context.ts";
import { deletedRecordingsReply, threadParams } from "../../schemas/workforce.ts";

export const deleteRecordings: AddRoute = (app, context) =>
  app.route({
    method: "DELETE",
    url: "/workforce/agents/:agentId/threads/:threadId/recording",
    schema: {
      operationId: "deleteRecordings",
      tags: ["Recordings"],
      summary: "Delete the videos of a thread's runs, and their source data",
      description:
        "The thread itself stays, and so does the recording of a run that has not ended. From then on, the URLs of the videos are 410. Deleting them twice succeeds, and so does deleting them for a thread that has none.",
      params: threadParams,
      response: { 200: deletedRecordingsReply },
    },
    handler: async (request) => {
      const { agentId, threadId } = request.params;
      await context.recordings.deleteRecordings({ agentId, threadId }, callFor(context, request));
      return { threadId, deleted: true };
    },
  });
