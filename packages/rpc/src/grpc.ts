// Apart from the rest, because a process that contains all services needs no network: grpc-js and HTTP/2 take part of a start.
export { createRpcServer, type RpcServer, type RpcServerOptions } from "./rpc-server.ts";
export { createRpcTransport, type RpcTransportOptions } from "./rpc-transport.ts";
