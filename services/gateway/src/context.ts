import type { CallOptions, Client } from "@connectrpc/connect";
import type { Catalog } from "@muster/catalog";
import type { AgentsService } from "@muster/proto/agents";
import type { AuditService } from "@muster/proto/audit";
import type { AuthService } from "@muster/proto/auth";
import type { ComputersService } from "@muster/proto/computers";
import type { HooksService } from "@muster/proto/hooks";
import type { RecordingsService } from "@muster/proto/recordings";
import type { SchedulesService } from "@muster/proto/schedules";
import type { SessionsService } from "@muster/proto/sessions";
import type { WebhooksService } from "@muster/proto/webhooks";
import type { WorkforceService } from "@muster/proto/workforce";
import { callOptions } from "@muster/rpc";
import type { NewId, Readiness, StorageWatch } from "@muster/service";
import type { FileRules, Files } from "@muster/storage/files";
import type { Recordings } from "@muster/storage/recordings";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { CheckOrder } from "./auth/failed-attempts.ts";
import { type Caller, callerOf } from "./auth/identity.ts";
import type { OidcClient } from "./auth/oidc-client.ts";
import type { App } from "./edge/http/app.ts";
import { ipOf } from "./edge/http/client-ip.ts";
import type { Changes } from "./streams/changes.ts";
import type { OpenStreams } from "./streams/open-streams.ts";

export interface Services {
  auth: Client<typeof AuthService>;
  agents: Client<typeof AgentsService>;
  sessions: Client<typeof SessionsService>;
  workforce: Client<typeof WorkforceService>;
  recordings: Client<typeof RecordingsService>;
  computers: Client<typeof ComputersService>;
  schedules: Client<typeof SchedulesService>;
  webhooks: Client<typeof WebhooksService>;
  hooks: Client<typeof HooksService>;
  audit: Client<typeof AuditService>;
}

export interface GatewayFiles extends Files {
  /** Where uploads are written. */
  disk: StorageWatch;
}

/** Everything that the routes need. */
export interface GatewayContext extends Services {
  streams: OpenStreams;
  changes: Changes;
  callTimeoutMs: number;
  catalog: Catalog;
  /** Without a final slash. Undefined: URLs in responses begin with the address of the request. */
  publicUrl: string | undefined;
  /** Logs users in with the identity provider of the installation. Undefined: there is none. */
  oidc: OidcClient | undefined;
  /** Limits the requests for models of each address. Each instance counts separately. Throws RATE_LIMITED. */
  limitModels(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** Uploaded files; undefined if nothing says where they lie. */
  files: GatewayFiles | undefined;
  fileRules: FileRules;
  /** Videos of runs, which lie beside the files. */
  recordingFiles: Pick<Recordings, "addresses" | "storage"> | undefined;
  newId: NewId;
  /** Options for a unary call of the platform itself, on behalf of no principal. */
  asPlatform(request: Pick<FastifyRequest, "id" | "ip" | "socket">): CallOptions;
  /**
   * Runs a call that rejects with UNAUTHENTICATED if the signature of the request is wrong. Throws RATE_LIMITED after too many
   * from one address. `order`: how one is checked at such an address; `alone` by default.
   */
  checkSignature<T>(request: FastifyRequest, call: () => Promise<T>, order?: CheckOrder): Promise<T>;
  /** Asks everything that the gateway needs. Never rejects. */
  checkReady(): Promise<Readiness>;
  /** True if no new requests are accepted. */
  isStopping(): boolean;
}

/** Adds one route. */
export type AddRoute = (app: App, context: GatewayContext) => void;

/** Options for a unary call on behalf of the request's caller, or of a given form of it. */
export function callFor(
  context: Pick<GatewayContext, "callTimeoutMs">,
  request: Pick<FastifyRequest, "caller" | "id" | "ip" | "method" | "socket" | "url" | "waitedMs">,
  caller: Caller = callerOf(request),
): CallOptions {
  return callOptions({
    principal: caller.signed,
    requestId: request.id,
    ...(request.method !== "GET" && { actor: ipOf(request) }),
    // One deadline for the whole request: authentication has used a part of it.
    timeoutMs: context.callTimeoutMs - request.waitedMs,
  });
}
