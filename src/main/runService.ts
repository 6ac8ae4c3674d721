/** Runs the service until it is told to stop: opens, listens, opens the demo account, closes. */

import { once } from 'node:events'
import { openService } from '../app/openService.ts'
import { type Config, readConfig } from '../config.ts'
import { createDemoAccount } from '../demo.ts'
import { systemSources } from '../domain/systemSources.ts'
import { type Log, openLog } from '../log.ts'
import { openMetrics } from '../metrics/openMetrics.ts'
import { startHttpServer } from './startHttpServer.ts'
import {
  demoText,
  exitWithError,
  operatorTokenText,
  printToStderr,
  printToStdout,
  welcome,
} from './startMessages.ts'
import { stopTimeoutMs } from './stopOnSignals.ts'

/** Ends the process: with 0 once it was told to stop and has answered every request, else with 1. */
export async function runService(stopping: AbortSignal): Promise<never> {
  try {
    process.exit((await run(stopping)) ? 0 : 1)
  } catch (error) {
    return error === stopping.reason ? process.exit(0) : exitWithError(error)
  }
}

/** Answers whether every request was answered. Rejects with the reason of `stopping` when stopped before it is open. */
async function run(stopping: AbortSignal): Promise<boolean> {
  const config = readConfig()
  const log = openLog({ level: config.logLevel })
  for (const warning of config.warnings) log.logger.warn(warning)
  const opened = await open(config, log, stopping)
  const { service } = opened
  try {
    const stop = await serve(config, opened, log)
    if (!stopping.aborted) await once(stopping, 'abort')
    log.logger.info({ signal: (stopping.reason as Error).message }, 'Stopping.')
    const finished = await stop(stopTimeoutMs)
    await service.close()
    log.logger.info({ finished }, 'Stopped.')
    await log.close()
    return finished
  } catch (error) {
    // an exit aborts the process while a thread of it is in a call of SQLite; what goes wrong in closing only follows
    // from the error
    await service.close().catch(() => undefined)
    throw error
  }
}

type Opened = Awaited<ReturnType<typeof openService>>

async function open(config: Config, log: Log, stopping: AbortSignal): Promise<Opened> {
  const { logger } = log
  const opening = openService({
    ...config,
    ...systemSources,
    logger,
    stopping,
    metrics: openMetrics({ ofProcess: true }),
    onThreadDied: () => void log.close().then(() => process.exit(1)),
    showOperatorToken: (token) => printToStdout(operatorTokenText(token)),
  })
  if (config.eventStoreUrl === undefined) return opening
  // servers may be waited for long, and no thread is in a call of SQLite meanwhile
  const stopped = new Promise<never>((_, reject) => {
    stopping.addEventListener('abort', () => reject(stopping.reason))
  })
  return Promise.race([opening, stopped])
}

/** Listens, and opens the demo account in a new folder, or what it lacks. Answers the function that stops to listen. */
async function serve(config: Config, { service, folder, isNew, isBegun }: Opened, { logger }: Log) {
  const { role } = config
  const { port, stop } = await startHttpServer(config, service, logger)
  logger.info({ port, data: folder, role }, 'Vigil is ready.')
  const opensDemo = isNew && config.demo && role !== 'projector'
  const demo = opensDemo ? await createDemoAccount(service, { isBegun }) : undefined
  if (demo) await printToStdout(demoText(demo))
  await printToStderr(welcome({ config, port, folder, demo }))
  return stop
}
