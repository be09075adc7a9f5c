import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import type { Session } from "@muster/proto/sessions";

/** The JSON of a session around the items of its messages. */
export interface Envelope {
  before: string;
  after: string;
}

/** The large fields of a session arrive as JSON and are inserted unchanged. */
export function envelopeOf(session: Session, isUi: boolean): Envelope {
  const [id, agentId] = [JSON.stringify(session.id), JSON.stringify(session.agentId)];
  const createdAt = JSON.stringify(isoOf(session.createdAt));
  if (!session.active) {
    const before = `{"sessionId":${id},"agentId":${agentId},"status":"expired","createdAt":${createdAt}}`;
    return { before, after: "" };
  }
  if (isUi) {
    return { before: `{"sessionId":${id},"agentId":${agentId},"status":"active","messages":[`, after: "]}" };
  }
  const { inputJson, variablesJson, resourcesJson, metadataJson } = session;
  const values = `"input":${inputJson || "{}"},"variables":${variablesJson || "{}"},"resources":${resourcesJson || "{}"},"metadata":${metadataJson || "{}"}`;
  const usage = session.usageJson === "" ? "" : `,"usage":${session.usageJson}`;
  const updatedAt = JSON.stringify(isoOf(session.updatedAt));
  return {
    before: `{"id":${id},"agentId":${agentId},"status":"active",${values},"messages":[`,
    after: `]${usage},"createdAt":${createdAt},"updatedAt":${updatedAt}}`,
  };
}

function isoOf(time: Timestamp | undefined): string | null {
  return time === undefined ? null : timestampDate(time).toISOString();
}
