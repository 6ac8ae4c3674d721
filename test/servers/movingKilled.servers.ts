/** `vigil migrate` in a process of its own, from a folder to a fake EventStoreDB and the MongoDB in MONGODB_URL. */

import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type FakeEventStoreDb, startFakeEventStoreDb } from '../support/eventStoreDb/fakeServer.ts'
import { eventually } from '../support/eventually.ts'
import { operatorToken } from '../support/openVigil.ts'
import { evaluate, openRunningShop, send } from '../support/runningShop.ts'
import { startVigil } from '../support/startedVigil.ts'
import { mongoUrl, newDatabase } from './newDatabase.ts'

const env = { VIGIL_OPERATOR_TOKEN: operatorToken, VIGIL_DEMO: 'false' }
const cli = 'dist/cli/main.js'

describe.skipIf(mongoUrl === '')('MONGODB_URL', () => {
  test('given a move that is killed again and again, when it has come to its end, then every event is there once, in order, and the built service goes on', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'vigil-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const fake = await startFakeEventStoreDb()
    onTestFinished(fake.stop)
    const vigil = await startVigil(folder, env)
    const shop = await openRunningShop(vigil)
    const verdicts: string[] = []
    for (let number = 0; number < 60; number += 1) {
      verdicts.push((await evaluate(vigil, shop, number)).path)
    }
    expect(await vigil.stop('SIGTERM')).toBe(0)

    const servers = { EVENTSTORE_URL: fake.url, MONGODB_URL: newDatabase().url }
    const environment = { PATH: process.env['PATH'], ...servers, VIGIL_DATA: folder }
    for (const events of [1, 12, 40]) await killOnceCopied(environment, fake, events)
    const { stdout } = await promisify(execFile)(process.execPath, [cli, 'migrate', '--json'], {
      env: environment,
    })

    const migrated = JSON.parse(stdout) as { readonly events: number; readonly digest: string }
    const events = fake.log.events.filter(({ stream }) => !stream.startsWith('$'))
    const ids = events.map(({ id }) => id)
    expect(migrated.events).toBe(ids.length)
    expect(new Set(ids).size).toBe(ids.length)
    const recorded = fake.log.events.filter(({ type }) => type === 'FlowEvaluated')
    expect(recorded.map(({ stream }) => stream.replace('evaluation-', ''))).toEqual(
      verdicts.map((path) => path.split('/').at(-1)),
    )
    const moved = await startVigil(folder, { ...env, ...servers })
    const [first = ''] = verdicts
    const replay = await send(moved, ['POST', `${first}/replay`], { token: shop.token })
    expect(JSON.parse(replay.text)).toEqual({ result: 'MATCH', differences: [] })
    expect(await moved.stop('SIGTERM')).toBe(0)
  }, 240_000)
})

/** Starts the move and kills it when the server has so many events. */
async function killOnceCopied(
  environment: NodeJS.ProcessEnv,
  fake: FakeEventStoreDb,
  events: number,
): Promise<void> {
  // each takes a moment, so that it is killed in the midst of them
  fake.faults.append = (call) => (call % 4 === 0 ? 'slow' : undefined)
  const child = spawn(process.execPath, [cli, 'migrate'], { env: environment, stdio: 'ignore' })
  const ended = new Promise((resolve) => child.once('close', resolve))
  await eventually(() => fake.log.events.length >= events || child.exitCode !== null)
  expect(child.exitCode).toBeNull()
  child.kill('SIGKILL')
  await ended
}
