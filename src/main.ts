/** Starts the service; on SIGTERM or SIGINT, waits up to 20 s for requests and stops it. */

import { randomUUID } from 'node:crypto'
import { openService } from './app/openService.ts'
import { type Config, readConfig } from './config.ts'
import { createDemoAccount } from './demo.ts'
import { systemSources } from './domain/systemSources.ts'
import { type Log, openLog } from './log.ts'
import { startHttpServer } from './main/startHttpServer.ts'
import { exitWithError, operatorTokenText, printToStderr, welcome } from './main/startMessages.ts'
import { makeExitHandler, stopOnSignals, stopTimeoutMs } from './main/stopOnSignals.ts'
import { openMetrics } from './metrics/openMetrics.ts'

await main().catch(exitWithError)

async function main(): Promise<void> {
  const config = readConfig()
  const log = openLog({ level: config.logLevel })
  const { logger } = log
  for (const warning of config.warnings) logger.warn(warning)
  const observers = {
    logger,
    metrics: openMetrics({ ofProcess: true }),
    onThreadDied: makeExitHandler(log),
  }
  const opened = await openService({ ...config, ...systemSources, ...observers })
  // first: the token is not stored, and the next steps may fail
  if (opened.newOperatorToken !== undefined)
    printToStderr(operatorTokenText(opened.newOperatorToken))
  try {
    await serve(config, opened, log)
  } catch (error) {
    // an exit aborts the process while a thread of it is in a call of SQLite; what goes wrong in closing only follows from the error
    await opened.service.close().catch(() => undefined)
    throw error
  }
}

/** Listens, and opens the demo account in a new folder. */
async function serve(
  config: Config,
  { service, folder, isNew }: Awaited<ReturnType<typeof openService>>,
  log: Log,
): Promise<void> {
  const { logger } = log
  const { role } = config
  const { port, stop } = await startHttpServer(config, service, logger)
  stopOnSignals(['SIGTERM', 'SIGINT'], {
    log,
    stop: async () => {
      const finished = await stop(stopTimeoutMs)
      await service.close()
      return finished
    },
  })
  logger.info({ port, data: folder, role }, 'Vigil is ready.')
  const opensDemo = isNew && config.demo && role !== 'projector'
  const demo = opensDemo ? await createDemoAccount(service, randomUUID()) : undefined
  printToStderr(welcome({ config, port, folder, demo }))
}
