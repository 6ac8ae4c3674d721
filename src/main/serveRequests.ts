/** Starts the HTTP server of a process: the app on its port. */

import type { Service } from '../app/serviceContext.ts'
import type { Config } from '../config.ts'
import { prepare } from '../events/catalogue.ts'
import { buildApp } from '../http/app.ts'
import { type RunningServer, startServer } from '../http/server.ts'
import type { Logger } from '../log.ts'
import { listenRefusal } from './listenRefusal.ts'

interface Door {
  readonly config: Config
  readonly service: Service
  readonly logger: Logger
}

/**
 * Listens after everything is prepared that the first request would otherwise wait for. Rejects with an `Error` that names the setting to
 * change when it cannot listen.
 */
export async function serveRequests({ config, ...door }: Door): Promise<RunningServer> {
  await prepare()
  const { host, port } = config
  const app = buildApp({ ...config, ...door })
  try {
    return await startServer({ app, host, port })
  } catch (error) {
    throw listenRefusal(error, { host, port })
  }
}
