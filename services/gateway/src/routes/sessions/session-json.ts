import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import type { Session } from "@muster/proto/sessions";

/** The JSON of a session, in pieces. Its large fields arrive as JSON and are inserted unchanged. */
export function sessionJson(session: Session, isUi: boolean): string[] {
  const agentId = JSON.stringify(session.agentId);
  if (!session.active) {
    const createdAt = JSON.stringify(isoOf(session.createTime));
    return [
      `{"sessionId":${JSON.stringify(session.id)},"agentId":${agentId},"status":"expired","createdAt":${createdAt}}`,
    ];
  }
  const messages = session.messagesJson || "[]";
  if (isUi) {
    return [
      `{"sessionId":${JSON.stringify(session.id)},"agentId":${agentId},"status":"active","messages":`,
      messages,
      "}",
    ];
  }
  return [
    `{"id":${JSON.stringify(session.id)},"agentId":${agentId},"status":"active","input":`,
    session.inputJson || "{}",
    `,"variables":`,
    session.variablesJson || "{}",
    `,"resources":`,
    session.resourcesJson || "{}",
    `,"messages":`,
    messages,
    `,"createdAt":${JSON.stringify(isoOf(session.createTime))},"updatedAt":${JSON.stringify(isoOf(session.updateTime))}}`,
  ];
}

function isoOf(time: Timestamp | undefined): string | null {
  return time === undefined ? null : timestampDate(time).toISOString();
}
