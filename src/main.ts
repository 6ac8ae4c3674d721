/** Starts the service, and stops it without losing what is under way. */

import cluster from 'node:cluster'
import { randomUUID } from 'node:crypto'
import type { Config } from './config.ts'
import { readConfig } from './config.ts'
import { openDemo } from './demo.ts'
import { openRates, rateAnswers } from './http/middleware/rates.ts'
import { type Log, openLog } from './log.ts'
import { operatorTokenText, refuseToStart, say, welcome } from './main/announce.ts'
import { machine } from './main/machine.ts'
import { serveRequests } from './main/serveRequests.ts'
import { stopMs, stopOnSignals } from './main/stopping.ts'
import { runWorker } from './main/worker.ts'
import { openWorkerCounts } from './main/workerCounts.ts'
import { startWorkers } from './main/workers.ts'
import { type Metrics, openMetrics } from './metrics/openMetrics.ts'
import { type OpenedService, openService } from './service.ts'

const { worker } = cluster
await (worker ? runWorker(shareOf(readConfig()), worker.id) : main()).catch(refuseToStart)

/** What one worker may have under way of what all may. */
function shareOf(config: Config): Config {
  return { ...config, inFlightMax: Math.ceil(config.inFlightMax / config.workers) }
}

async function main(): Promise<void> {
  const config = readConfig()
  const { workers, logLevel: level } = config
  const log = openLog({ level, worker: workers > 1 ? 0 : undefined })
  const { logger } = log
  for (const warning of config.warnings) logger.warn(warning)
  const metrics = openMetrics({ ofProcess: true })
  const opened = await openService({ ...config, ...machine, logger, metrics })
  // At once: the token is kept nowhere, and what follows may fail.
  if (opened.newOperatorToken !== undefined) say(operatorTokenText(opened.newOperatorToken))
  const running = { config, log, metrics, opened }
  const { port, stop } = await (workers > 1 ? answerByWorkers(running) : answerHere(running))
  stopOnSignals(['SIGTERM', 'SIGINT'], {
    log,
    stop: async () => {
      const finished = await stop()
      await opened.service.close()
      return finished
    },
  })
  const { role } = config
  const many = workers > 1 && { workers }
  logger.info({ port, data: opened.folder, role, ...many }, 'Vigil is ready.')
  const opensDemo = opened.isNew && config.demo && role !== 'projector'
  const demo = opensDemo ? await openDemo(opened.service, randomUUID()) : undefined
  say(welcome({ config, port, folder: opened.folder, demo }))
}

interface Running {
  readonly config: Config
  readonly log: Log
  readonly metrics: Metrics
  readonly opened: OpenedService
}

interface Answering {
  readonly port: number
  /** Takes no more requests; false when some had to be cut. */
  readonly stop: () => Promise<boolean>
}

async function answerHere({ config, log, opened: { service } }: Running): Promise<Answering> {
  const { port, stop } = await serveRequests({ config, service, logger: log.logger })
  return { port, stop: () => stop(stopMs) }
}

function answerByWorkers({ config, log, metrics, opened }: Running): Promise<Answering> {
  const counts = openWorkerCounts()
  const rates = openRates(() => performance.now())
  return startWorkers({
    count: config.workers,
    logger: log.logger,
    onLost: metrics.workers.lost,
    lend: (line) => {
      opened.lend(line)
      counts.add(line)
      line.serve({
        answers: { ...rateAnswers(rates), metrics: () => metrics.textWith(counts.counted) },
      })
    },
  })
}
