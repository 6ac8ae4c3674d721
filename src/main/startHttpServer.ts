/** Starts the HTTP server; if it cannot listen, names the setting (HOST, PORT) to change. */

import type { Service } from '../app/serviceContext.ts'
import type { Config } from '../config.ts'
import { runInSlices } from '../domain/load/scheduler.ts'
import { prepare } from '../events/catalogue.ts'
import { buildApp } from '../http/app.ts'
import { type RunningServer, startServer } from '../http/server.ts'
import type { Logger } from '../log.ts'

/**
 * Listens once everything is prepared that the first request would wait for. Rejects with an `Error` that names the
 * setting to change when it cannot listen.
 */
export async function startHttpServer(
  config: Config,
  service: Service,
  logger: Logger,
): Promise<RunningServer> {
  await runInSlices(service.context, prepare())
  const { host, port } = config
  const app = buildApp({ ...config, service, logger })
  try {
    return await startServer({ app, host, port })
  } catch (error) {
    throw explainListenError(error, { host, port })
  }
}

type Address = Pick<Config, 'host' | 'port'>

const usableHosts =
  'Set HOST to an address of this machine: 127.0.0.1 for this machine alone, 0.0.0.0 for all of its addresses'
const noAddress = ({ host }: Address) =>
  `HOST ${host} is no address of this machine. ${usableHosts}.`
const noName = ({ host }: Address) =>
  `HOST ${host} is a name that leads to no address. ${usableHosts}.`

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

/** Maps an error of `listen` to an `Error` with advice; an unknown error is returned as it is. */
export function explainListenError(error: unknown, address: Address): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const sentence = sentences[code]
  return sentence ? new Error(sentence(address), { cause: error }) : error
}
