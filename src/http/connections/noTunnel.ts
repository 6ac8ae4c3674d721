/** A client that asks for a tunnel to another host (`CONNECT`), which Node makes no request of. */
export class NoTunnel extends Error {
  readonly code = 'NO_TUNNEL'
}
