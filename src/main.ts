/** Starts the service, and stops it without losing what is under way. */

import { randomBytes, randomUUID } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Config } from './config.ts'
import { readConfig } from './config.ts'
import { type Demo, openDemo } from './demo.ts'
import { pooledChance } from './domain/pooledChance.ts'
import { preparing } from './events/catalogue.ts'
import { buildApp } from './http/app.ts'
import { type RunningServer, startServer } from './http/server.ts'
import { type Log, openLog } from './log.ts'
import { openMetrics } from './metrics/openMetrics.ts'
import { type OpenedService, openService } from './service.ts'

/** How long requests under way may take to end once the service stops. */
const stopMs = 20_000

const clock = { nowMs: () => Date.now() }
const chance = pooledChance({ bytes: randomBytes })

await main().catch(refuseToStart)

async function main(): Promise<void> {
  const config = readConfig()
  const log = openLog({ level: config.logLevel })
  for (const warning of config.warnings) log.logger.warn(warning)
  const { logger } = log
  const metrics = openMetrics({ ofProcess: true })
  const opened = await openService({ ...config, clock, chance, logger, metrics })
  // At once: the token is kept nowhere, and what follows may fail.
  if (opened.newOperatorToken !== undefined) say(operatorTokenText(opened.newOperatorToken))
  // whoever comes first is not to wait for what would be made at its first use
  for (const _ of preparing()) await nextTurn()
  const app = buildApp({ service: opened.service, logger, ...config })
  const { host, port, trustedProxies } = config
  const server = await startServer({ app, host, port, trustedProxies })
  stopOnSignal({ server, opened, log })
  const { role } = config
  logger.info({ port: server.port, data: opened.folder, role }, 'Vigil is ready.')
  const opensDemo = opened.isNew && config.demo && config.role !== 'projector'
  const demo = opensDemo ? await openDemo(opened.service, randomUUID()) : undefined
  say(welcome({ config, server, opened, demo }))
}

interface Running {
  readonly server: RunningServer
  readonly opened: OpenedService
  readonly log: Log
}

/** The first signal stops in order: no new requests, those under way answered, stores flushed and closed. A second one ends at once. */
function stopOnSignal(running: Running): void {
  let stopping = false
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) process.exit(1)
    stopping = true
    running.log.logger.info({ signal }, 'Stopping.')
    stopInOrder(running).then((finished) => process.exit(finished ? 0 : 1), refuseToStart)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}

async function stopInOrder({ server, opened, log }: Running): Promise<boolean> {
  const finished = await server.stop(stopMs)
  await opened.service.close()
  log.logger.info({ finished }, 'Stopped.')
  await log.close()
  return finished
}

function operatorTokenText(token: string): string {
  return `
The operator token, kept nowhere and shown this once:

  export VIGIL_OPERATOR_TOKEN=${token}

`
}

interface Welcome {
  readonly config: Config
  readonly server: RunningServer
  readonly opened: OpenedService
  readonly demo: Demo | undefined
}

/** What a person reads who has just started it. */
function welcome({ config, server, opened, demo }: Welcome): string {
  const url = `http://${reachableHost(config.host)}:${server.port}`
  const lines = ['', `Vigil listens on ${url}; its data lies in ${realpathSync(opened.folder)}.`]
  if (config.role === 'projector')
    lines.push('It runs the projections, and answers /health and /metrics only.')
  if (demo) lines.push('', ...demoLines(demo, url))
  return `${lines.join('\n')}\n\n`
}

/** Where a client on this machine finds it; one that listens everywhere is found there, too. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

function demoLines(demo: Demo, url: string): readonly string[] {
  return [
    'A demo account is open, with a flow for signups and one for payouts. Its token, shown this once:',
    '',
    // what the command line asks when nothing else is said
    ...(url === 'http://127.0.0.1:8080' ? [] : [`  export VIGIL_URL=${url}`]),
    `  export VIGIL_TOKEN=${demo.token}`,
    `  export VIGIL_SIGNUP_FLOW=${demo.signupFlow}`,
    `  export VIGIL_PAYOUT_FLOW=${demo.payoutFlow}`,
    '',
    'A first verdict, with rules that trigger and some that wait for a signal:',
    '',
    '  npx vigil eval $VIGIL_SIGNUP_FLOW --phone +33612345678 --email ada90210@mailinator.com \\',
    '    --signal ip=192.0.2.7 --ext shop_country=FR',
  ]
}

function say(text: string): void {
  process.stderr.write(text)
}

function refuseToStart(error: unknown): never {
  say(`\nVigil cannot go on:\n${error instanceof Error ? error.message : String(error)}\n\n`)
  process.exit(1)
}
