/**
 * Auditors beside writers: everything that can be followed is followed, persons are erased and states asked for, and at
 * the end each answer is compared with the log. `npm run test:auditors -- --minutes 30`; where MONGODB_URL is set, on
 * two instances, that server and a fake EventStoreDB.
 */

import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { decode } from '../../src/events/catalogue.ts'
import { openEmbeddedEventStore } from '../../src/stores/embedded/embeddedEventStore.ts'
import { openEventStoreDb } from '../../src/stores/eventstoredb/openEventStoreDb.ts'
import { openCustomer, operatorToken } from '../support/openVigil.ts'
import { type StartedVigil, startVigil } from '../support/startedVigil.ts'
import { findBrokenAnswers, type LogEntry } from './auditedAnswers.ts'
import { workAsAuditors } from './auditFollowers.ts'
import type { AuditWork } from './auditWork.ts'
import { startFakeLogProcess } from './fakeLogProcess.ts'
import { seededChance } from './seededChance.ts'

const problemsShown = 20

interface AuditOptions {
  readonly minutes: number
  readonly seed: number
  readonly mongoUrl: string | undefined
}

const options = readOptions()
const problems = await run(options)
for (const problem of problems.slice(0, problemsShown)) say(`BROKEN: ${problem}`)
say(problems.length === 0 ? 'Everything held.' : `${problems.length} things do not hold.`)
process.exit(problems.length === 0 ? 0 : 1)

function readOptions(): AuditOptions {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '30' },
      seed: { type: 'string', default: '1' },
    },
  })
  const minutes = Number(values.minutes)
  if (!(minutes > 0 && minutes <= 24 * 60)) throw new Error('--minutes must be from 0 to 1440')
  return { minutes, seed: Number(values.seed), mongoUrl: process.env['MONGODB_URL'] || undefined }
}

/** Sentences of what does not hold. */
async function run({ minutes, seed, mongoUrl }: AuditOptions): Promise<readonly string[]> {
  const root = mkdtempSync(join(tmpdir(), 'vigil-auditors-'))
  const fake = mongoUrl === undefined ? undefined : await startFakeLogProcess()
  const instances: StartedVigil[] = []
  try {
    const servers = {
      VIGIL_MASTER_KEY: randomBytes(32).toString('hex'),
      ...(fake && { EVENTSTORE_URL: fake.url, MONGODB_URL: String(mongoUrl) }),
    }
    const first = await startIn(join(root, 'instance-1'), servers)
    instances.push(first)
    if (fake) instances.push(await startIn(join(root, 'instance-2'), servers))
    const customer = await openCustomer(first)
    const opened = { instances, customer, chance: seededChance(seed) }
    const work = await workAsAuditors(opened, minutes)
    for (const instance of instances) await instance.stop('SIGTERM')
    const where = fake ? { url: fake.url } : { folder: join(root, 'instance-1') }
    const log = await readLog(customer.accountId, where)
    for (const line of describeWork(work, log.length)) say(line)
    return [...work.faults, ...findBrokenAnswers(work, log)]
  } finally {
    for (const { process: child } of instances) child.kill('SIGKILL')
    fake?.process.kill('SIGKILL')
    rmSync(root, { recursive: true, force: true })
  }
}

function describeWork(work: AuditWork, events: number): readonly string[] {
  const { instances, certified, states, backwards, counts } = work
  return [
    ...[...counts].toSorted().map(([what, count]) => `${String(count).padStart(9)}  ${what}`),
    `${instances.length} instance(s), ${events} events of the account, ${certified.length} certificates, ${states.length} states, ${backwards.length} looks back.`,
  ]
}

function startIn(folder: string, servers: Readonly<Record<string, string>>): Promise<StartedVigil> {
  mkdirSync(folder)
  return startVigil(folder, {
    ...servers,
    ...{ VIGIL_OPERATOR_TOKEN: operatorToken, VIGIL_DEMO: 'false', LOG_LEVEL: 'info' },
  })
}

/** The events of the account, read in the plainest way. */
async function readLog(
  account: string,
  where: { readonly url: string } | { readonly folder: string },
): Promise<readonly LogEntry[]> {
  const store = 'url' in where ? await openEventStoreDb(where) : await openEmbeddedEventStore(where)
  const entries: LogEntry[] = []
  try {
    for (let after = 0; ; ) {
      const page = await store.readAll({ after, limit: 500 })
      entries.push(
        ...page.map((one) => decode(one)).filter((one) => one.metadata.account === account),
      )
      after = page.at(-1)?.position ?? after
      if (page.length === 0) return entries
    }
  } finally {
    await store.close()
  }
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
