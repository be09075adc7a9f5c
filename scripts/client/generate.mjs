// Prints the types of @muster/client from the schemas of events and routes.
//   node scripts/client/generate.mjs [FILE]      Default: the file in the package
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { publicCodes } from "../../packages/wire/src/error-codes/index.ts";
import { eventSchemas, threadEventSchemas } from "../../packages/wire/src/events/index.ts";
import * as agents from "../../services/gateway/src/schemas/agents.ts";
import * as approvals from "../../services/gateway/src/schemas/approvals.ts";
import { errorBody } from "../../services/gateway/src/schemas/common.ts";
import { uploadUrlsReply } from "../../services/gateway/src/schemas/files.ts";
import { modelListReply } from "../../services/gateway/src/schemas/models.ts";
import { sessionListReply } from "../../services/gateway/src/schemas/session-lists.ts";
import * as sessions from "../../services/gateway/src/schemas/sessions.ts";
import { credentialReply } from "../../services/gateway/src/schemas/system.ts";
import * as tokens from "../../services/gateway/src/schemas/tokens.ts";
import * as workforce from "../../services/gateway/src/schemas/workforce.ts";
import { TypePrinter } from "./type-printer.mjs";

const bodies = [
  ...[
    sessions.createSessionBody,
    sessions.startSessionBody,
    sessions.triggerBody,
    sessions.updateSessionBody,
  ],
  ...[sessions.restoreSessionBody, sessions.sessionReply, sessions.sessionIdReply, sessions.updatedReply],
  ...[sessions.restoredReply, sessions.clearedReply, sessions.cancelledReply, sessionListReply],
  ...[
    approvals.approvalListReply,
    approvals.approvalDetailReply,
    approvals.decideApprovalBody,
    uploadUrlsReply,
  ],
  ...[workforce.startThreadBody, workforce.followUpBody, workforce.threadStateReply, workforce.threadReply],
  ...[workforce.threadListReply, workforce.workforceAgentReply, workforce.deletedRecordingsReply],
  ...[agents.createAgentBody, agents.updateAgentBody, agents.validationReply, agents.agentChangeReply],
  ...[agents.agentReply, agents.agentListReply, agents.agentVersionsReply, agents.executeAgentBody],
  ...[tokens.mintTokenBody, tokens.mintTokenReply, tokens.revokeTokenBody, tokens.revokeTokenReply],
  ...[modelListReply, credentialReply, errorBody],
];

const printer = new TypePrinter();
const events = Object.values(eventSchemas);
for (const schema of [...events, ...Object.values(threadEventSchemas), ...bodies]) printer.add(schema);
printer.add({ title: "StreamEvent", description: "An event of a turn; `type` names it.", anyOf: events });
const ofThread = [...events, ...Object.values(threadEventSchemas)];
printer.add({ title: "ThreadEvent", description: "An event of a workforce thread.", anyOf: ofThread });
printer.add({ title: "ErrorCode", description: "The kind of an error.", enum: [...publicCodes] });

const file = join(import.meta.dirname, "../../packages/client/src/wire-types.ts");
const notice = "// Printed from the schemas of the server by `npm run generate`. Change those instead.\n\n";
writeFileSync(process.argv[2] ?? file, `${notice}${printer}`);
