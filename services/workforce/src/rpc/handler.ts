import type { AuditService } from "@muster/proto/audit";
import type { ComputersService } from "@muster/proto/computers";
import type { HooksService } from "@muster/proto/hooks";
import type { RecordingsService } from "@muster/proto/recordings";
import type { SchedulesService } from "@muster/proto/schedules";
import type { WebhooksService } from "@muster/proto/webhooks";
import type { WorkforceService } from "@muster/proto/workforce";
import type { RpcHandler } from "@muster/rpc";
import type { WorkforceContext } from "../context.ts";

type Methods = (typeof WorkforceService &
  typeof RecordingsService &
  typeof ComputersService &
  typeof HooksService &
  typeof SchedulesService &
  typeof AuditService &
  typeof WebhooksService)["method"];

/** One RPC: read the caller, parse the request, do the work, respond. Deliberate errors are always `rpcError`. */
export type Handler<Name extends keyof Methods> = RpcHandler<WorkforceContext, Methods[Name]>;
