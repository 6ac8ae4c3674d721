/** Workers that end, and the first process that ends: nothing that was answered is lost, and nothing is left behind. */

import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { sampleOf } from '../metrics/exposition.ts'
import { temporaryFolder } from '../stores/support/temporaryFolder.ts'
import { eventually } from '../support/eventually.ts'
import { openCustomer } from '../support/openVigil.ts'
import { operatorToken } from '../support/runningShop.ts'
import { runVigil } from '../support/startedVigil.ts'
import { isRunning, type StartedWorkers, startWorkers, workers } from '../support/startedWorkers.ts'
import { expectAllThere, keepEvaluating, sendTo } from './support/keepEvaluating.ts'
import { openRequest } from './support/openRequest.ts'

const ended = 'A worker ended; another one takes its place.'

async function open(folder = temporaryFolder()): Promise<StartedWorkers> {
  const all = await startWorkers(folder)
  // its workers end with it
  onTestFinished(() => void all.vigil.process.kill('SIGKILL'))
  return all
}

const openShop = (all: StartedWorkers) => openCustomer({ door: { request: all.ask } })

test('given requests under way, when a worker is killed, then the others go on, it is replaced, and all that was answered is there', async () => {
  const all = await open()
  const shop = await openShop(all)
  const flow = await shop.flowOf('1 == 1')
  const load = keepEvaluating(shop, flow)
  await eventually(() => load.answered.size >= 30)
  const [killed = 0, ...others] = all.pids()

  process.kill(killed, 'SIGKILL')
  await eventually(() => !isRunning(killed))
  const whenKilled = load.answered.size
  await eventually(() => load.answered.size >= whenKilled + 30)
  await eventually(() => all.pids().length === workers)
  await load.stop()

  expect(all.pids()).toEqual(expect.arrayContaining(others))
  await eventually(() => all.lines(ended).length === 1)
  expect(all.lines(ended)).toMatchObject([
    { level: 50, worker: 0, ended: expect.any(Number), signal: 'SIGKILL' },
  ])
  await expectAllThere(shop, load.answered)
  await eventually(async () => {
    const answered = await all.answeredBy(await all.askAll('GET', '/health/ready'))
    return answered.includes(workers + 1)
  })
  expect((await all.ask('GET', '/health/ready')).status).toBe(200)
  expect(await lost(all)).toBe(1)
  expect(await all.vigil.stop('SIGTERM')).toBe(0)
})

test('given requests under way, when the first process is asked to stop, then they are answered, it ends well and no process is left', async () => {
  const all = await open()
  const requests = await openSome(all)
  const pids = all.pids()

  const stopped = all.vigil.stop('SIGTERM')
  await eventually(() => all.lines('Stopping.').length === 1 + workers)
  for (const request of requests) request.write('{}')
  const answers = await Promise.all(requests.map(({ answered }) => answered))

  expect(answers.map((text) => text.slice(0, 12))).toEqual(answers.map(() => 'HTTP/1.1 400'))
  expect(await stopped).toBe(0)
  expect(pids.filter(isRunning)).toEqual([])
  expect(all.lines('Stopped.')).toHaveLength(1 + workers)
  expect(all.lines(ended)).toEqual([])
})

test('given requests under way, when all processes are asked to stop, then those that were told before do not take it for haste', async () => {
  const all = await open()
  const requests = await openSome(all)

  const stopped = all.vigil.stop('SIGTERM')
  await eventually(() => all.lines('Stopping.').length === 1 + workers)
  for (const pid of all.pids()) process.kill(pid, 'SIGTERM')
  for (const request of requests) request.write('{}')
  const answers = await Promise.all(requests.map(({ answered }) => answered))

  expect(answers.map((text) => text.slice(0, 12))).toEqual(answers.map(() => 'HTTP/1.1 400'))
  expect(await stopped).toBe(0)
})

test('given a worker that is about to start, when the first process is asked to stop, then it ends well', async () => {
  const all = await open()
  const [killed = 0, ...others] = all.pids()
  process.kill(killed, 'SIGKILL')
  await eventually(() => all.pids().some((pid) => pid !== killed && !others.includes(pid)))

  expect(await all.vigil.stop('SIGTERM')).toBe(0)
  expect(all.vigil.printed()).not.toContain('    at ')
})

test('given evaluations that were answered, when the first process is killed, then its workers end, and a new start finds them', async () => {
  const folder = temporaryFolder()
  const all = await open(folder)
  const shop = await openShop(all)
  const flow = await shop.flowOf('1 == 1')
  const load = keepEvaluating(shop, flow)
  await eventually(() => load.answered.size >= 30)
  const pids = all.pids()

  // resolves once nobody holds its output any more, its workers neither
  await all.vigil.stop('SIGKILL')
  await load.stop()
  await eventually(() => !pids.some(isRunning))
  const again = await open(folder)

  await expectAllThere({ send: sendTo(again, shop) }, load.answered)
  expect(await again.vigil.stop('SIGTERM')).toBe(0)
})

test('given a port that is taken, when it is started, then it ends with a sentence and leaves no process', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  onTestFinished(() => void other.close())
  const { port } = other.address() as { readonly port: number }

  // resolves once nobody holds its output any more, its workers neither
  const { code, printed } = await runVigil(temporaryFolder(), {
    PORT: `${port}`,
    VIGIL_WORKERS: `${workers}`,
    VIGIL_OPERATOR_TOKEN: operatorToken,
  })

  expect(code).toBe(1)
  expect(printed).toContain('is in use by another process')
  expect(printed).not.toContain('another one takes its place')
  expect(printed).not.toContain('    at ')
})

/** Requests whose bodies have not come yet. */
async function openSome(all: StartedWorkers) {
  const requests = []
  for (let count = 0; count < workers; count += 1) {
    requests.push(await openRequest(all.vigil.url, operatorToken))
  }
  return requests
}

async function lost(all: StartedWorkers): Promise<number | undefined> {
  const { text } = await all.ask<string>('GET', '/metrics', { token: operatorToken })
  return sampleOf(text, 'vigil_workers_lost_total')
}
