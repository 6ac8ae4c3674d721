/** A whole service as a process of its own, with a clock that stands still, until it is killed. Says its port on stdout. */

import { randomBytes } from 'node:crypto'
import pino from 'pino'
import { openService } from '../../src/app/openService.ts'
import { buildApp } from '../../src/http/app.ts'
import { startServer } from '../../src/http/server.ts'
import { openMetrics } from '../../src/metrics/openMetrics.ts'

const [folder = '', nowMs = '', operatorToken = ''] = process.argv.slice(2)
const logger = pino({ level: 'silent' })

const { service } = await openService({
  dataFolder: folder,
  eventStoreUrl: undefined,
  mongoDbUrl: undefined,
  masterKey: undefined,
  operatorToken,
  clock: { nowMs: () => Number(nowMs) },
  random: { bytes: (count) => randomBytes(count) },
  logger,
  metrics: openMetrics(),
  thread: 'caller',
})
const app = buildApp({ service, logger, inFlightMax: 1_000, trustedProxies: 0 })
const { port } = await startServer({ app, host: '127.0.0.1', port: 0 })
process.stdout.write(`${port}\n`)
