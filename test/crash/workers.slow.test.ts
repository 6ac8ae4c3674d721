import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { evaluationStream } from '../../src/commands/evaluation/evaluationRecord.ts'
import { expectAllThere, keepEvaluating } from '../process/support/keepEvaluating.ts'
import { openForTest } from '../stores/support/embeddedUnderTest.ts'
import { temporaryFolder } from '../stores/support/temporaryFolder.ts'
import { eventually } from '../support/eventually.ts'
import { openCustomer } from '../support/openVigil.ts'
import { isRunning, type StartedWorkers, startWorkers } from '../support/startedWorkers.ts'

/** More rounds for a longer search: CRASH_ROUNDS=100. */
const rounds = Number(process.env['CRASH_ROUNDS'] ?? 10)
/** Kills come at any moment of so long a time. */
const anyMs = 300

test(`given a worker killed at any moment, and then the first process, ${rounds} times over, then all that was answered is there once, and nobody is left`, {
  timeout: rounds * 60_000,
}, async () => {
  const folder = temporaryFolder()
  let all = await open(folder)
  const shop = await openCustomer({ door: { request: (...sent) => all.ask(...sent) } })
  const flow = await shop.flowOf('1 == 1')

  for (let round = 0; round < rounds; round += 1) {
    if (round > 0) all = await open(folder)
    const load = keepEvaluating(shop, flow)
    await eventually(() => load.answered.size >= 10)
    const workers = all.pids()
    const killed = workers[round % workers.length] ?? 0

    await sleep(Math.random() * anyMs)
    process.kill(killed, 'SIGKILL')
    await eventually(() => !isRunning(killed))
    const whenKilled = load.answered.size
    await eventually(() => load.answered.size >= whenKilled + 10)
    await expectAllThere(shop, new Map(load.answered))
    const pids = all.pids()
    await sleep(Math.random() * anyMs)
    // resolves once nobody holds its output any more, its workers neither
    await all.vigil.stop('SIGKILL')
    await load.stop()

    await eventually(() => !pids.some(isRunning))
    await expectInLog(folder, [...load.answered.keys()])
  }
})

async function open(folder: string): Promise<StartedWorkers> {
  const all = await startWorkers(folder)
  onTestFinished(() => void all.vigil.process.kill('SIGKILL'))
  return all
}

/** The log has no gap, and every one of these evaluations once. */
async function expectInLog(folder: string, ids: readonly string[]): Promise<void> {
  const store = await openForTest({ folder })
  const head = await store.head()
  expect(head).toBeGreaterThan(0)
  for (let after = 0; after < head; ) {
    const events = await store.readAll({ after, limit: 1_000 })
    expect(events.map(({ position }) => position)).toEqual(
      events.map((_, index) => after + index + 1),
    )
    after += events.length
  }
  for (const id of ids) {
    const page = { from: 0, limit: 10 }
    expect(await store.readStream(evaluationStream(id), page)).toHaveLength(1)
  }
  await store.close()
}
