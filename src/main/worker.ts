/** A worker: a process that answers requests over the stores of the process that started it. */

import { Socket } from 'node:net'
import type { Config } from '../config.ts'
import { openProcessLine, type ProcessLine } from '../domain/processLine.ts'
import { ratesOver } from '../http/middleware/rates.ts'
import { openLog } from '../log.ts'
import { openMetrics } from '../metrics/openMetrics.ts'
import { openService } from '../service.ts'
import { watchFirst } from './firstProcess.ts'
import { machine } from './machine.ts'
import { metricsOfAll } from './metricsOfAll.ts'
import { serveRequests } from './serveRequests.ts'
import { stopMs, stopOnSignals } from './stopping.ts'

/** The descriptor under which a worker finds the line to the process that started it. */
export const lineDescriptor = 4

/** How long the process that started it may take to hear why it cannot begin. */
const refusedMs = 5_000

/** Answers requests until the line says stop or ends; when it cannot begin, it says on the line why, and ends. */
export async function runWorker(config: Config, number: number): Promise<void> {
  const line = openProcessLine(new Socket({ fd: lineDescriptor, readable: true, writable: true }))
  // nothing can be written any more, and somebody else may open the folder
  void line.ended.then(() => process.exit(1))
  try {
    await beginWorker(line, config, number)
  } catch (error) {
    // not said here: every other worker would say the same
    line.tell('refused', error instanceof Error ? error.message : String(error))
    line.close()
    setTimeout(() => process.exit(1), refusedMs)
  }
}

async function beginWorker(line: ProcessLine, config: Config, number: number): Promise<void> {
  // Ctrl+C reaches every process of a terminal: the one that started this one says when
  process.on('SIGINT', () => undefined)
  const log = openLog({ level: config.logLevel, worker: number })
  const { logger } = log
  // before it answers anything there is nothing to finish
  let finish = async (): Promise<boolean> => true
  const stop = stopOnSignals(['SIGTERM'], { log, stop: () => finish() })
  line.serve({ answers: { alive: () => true }, hears: { stop } })
  const metrics = openMetrics({ ofProcess: true })
  const lender = watchFirst(line, logger)
  const opened = await openService({ ...config, ...machine, lender, logger, metrics })
  const text = metricsOfAll({ lender, own: metrics, logger })
  const service = { ...opened.service, metrics: { ...opened.service.metrics, text } }
  const server = await serveRequests({ config, service, logger, rates: ratesOver(line) })
  finish = async () => {
    const finished = await server.stop(stopMs)
    await opened.service.close()
    return finished
  }
  line.serve({ answers: { counted: metrics.counted } })
  line.tell('ready', server.port)
}
