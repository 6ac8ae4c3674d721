/** Has a server listen on a free port of this machine. */

import type { AddressInfo, Server } from 'node:net'

export interface Listening {
  readonly port: number
  /** Ends its connections too, of a server of HTTP. */
  readonly close: () => Promise<void>
}

export async function listen(
  server: Server & { readonly closeAllConnections?: () => void },
): Promise<Listening> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections?.()
      }),
  }
}
