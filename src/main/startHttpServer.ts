/** Starts the HTTP server; if it cannot listen, names the setting (HOST, PORT) to change. */

import type { Service } from '../app/serviceContext.ts'
import type { Config } from '../config.ts'
import { prepare } from '../events/catalogue.ts'
import { buildApp } from '../http/app.ts'
import { type RunningServer, startServer } from '../http/server.ts'
import type { Logger } from '../log.ts'

interface Served {
  readonly config: Config
  readonly service: Service
  readonly logger: Logger
}

/**
 * Listens once everything is prepared that the first request would wait for. Rejects with an `Error` that names the setting to change when
 * it cannot listen.
 */
export async function startHttpServer({ config, ...served }: Served): Promise<RunningServer> {
  await prepare()
  const { host, port } = config
  const app = buildApp({ ...config, ...served })
  try {
    return await startServer({ app, host, port })
  } catch (error) {
    throw explainListenError(error, { host, port })
  }
}

interface Address {
  readonly host: string
  readonly port: number
}

const usableHosts =
  'Set HOST to an address of this machine: 127.0.0.1 for this machine alone, 0.0.0.0 for all of its addresses'

/** By the error code of the system. */
const sentences: Readonly<Record<string, (address: Address) => string>> = {
  EADDRINUSE: ({ host, port }) =>
    `PORT ${port} on HOST ${host} is in use by another process. Stop that one, or set PORT to a port that is free.`,
  EACCES: ({ host, port }) =>
    `PORT ${port} on HOST ${host} is not allowed to this user. Set PORT to 1024 or above, or let the process bind such a port (CAP_NET_BIND_SERVICE).`,
  EADDRNOTAVAIL: noAddress,
  EAFNOSUPPORT: noAddress,
  EINVAL: noAddress,
  ENOTFOUND: noName,
  EAI_AGAIN: noName,
}

function noAddress({ host }: Address): string {
  return `HOST ${host} is no address of this machine. ${usableHosts}.`
}

function noName({ host }: Address): string {
  return `HOST ${host} is a name that leads to no address. ${usableHosts}.`
}

/** Maps an error of `listen` to an `Error` with advice; an unknown error is returned as it is. */
export function explainListenError(error: unknown, address: Address): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const sentence = sentences[code]
  return sentence ? new Error(sentence(address), { cause: error }) : error
}
