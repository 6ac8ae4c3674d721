/** The first process stands still and goes on: its workers say so, and are ready again when it is. */

import { expect, onTestFinished, test } from 'vitest'
import { sampleOf } from '../metrics/exposition.ts'
import { temporaryFolder } from '../stores/support/temporaryFolder.ts'
import { eventually } from '../support/eventually.ts'
import { openCustomer } from '../support/openVigil.ts'
import { operatorToken } from '../support/runningShop.ts'
import { type StartedWorkers, startWorkers, workers } from '../support/startedWorkers.ts'

const silent =
  'The first process has said nothing for some seconds: it hangs or was stopped. Nothing can be written until it goes on.'
const heard = 'The first process is heard again.'

async function open(): Promise<StartedWorkers> {
  const all = await startWorkers(temporaryFolder())
  // its workers end with it
  onTestFinished(() => void all.vigil.process.kill('SIGKILL'))
  return all
}

async function monitorOf(all: StartedWorkers): Promise<string> {
  const shop = await openCustomer({ door: { request: all.ask } })
  const path = `/v2/operator/accounts/${shop.accountId}/tokens`
  const issued = await all.ask('POST', path, {
    token: operatorToken,
    body: { scopes: ['operate'] },
  })
  return String(issued.body['token'])
}

const scrapeAll = (all: StartedWorkers, token: string) =>
  all.askAll<string>('GET', '/metrics', { token })
const areAll = (answers: readonly { readonly status: number }[], wanted: number) =>
  answers.every(({ status }) => status === wanted)

test('given a first process that stands still, when workers are asked how they are, then they name what fails, and are ready once it goes on', async () => {
  const all = await open()

  all.vigil.process.kill('SIGSTOP')
  await eventually(() => all.lines(silent).length === workers)

  const answers = await all.askAll('GET', '/health/ready')
  expect(areAll(answers, 503)).toBe(true)
  for (const { body } of answers) {
    expect(body).toMatchObject({
      ready: false,
      projected_by: 'nobody',
      stores: { events: 'failing', documents: 'ok', keys: 'failing' },
    })
  }
  expect(all.lines(silent).map(({ level }) => level)).toEqual([50, 50, 50])

  all.vigil.process.kill('SIGCONT')
  await eventually(() => all.lines(heard).length === workers)
  await eventually(async () => areAll(await all.askAll('GET', '/health/ready'), 200))
  expect(all.lines(silent)).toHaveLength(workers)
  expect(await all.vigil.stop('SIGTERM')).toBe(0)
})

test('given a first process that stands still, when the metrics are asked for, then workers answer what they see of the stores and no counts', async () => {
  const all = await open()
  const token = await monitorOf(all)
  const before = sampleOf((await all.ask<string>('GET', '/metrics', { token })).text, counter)

  all.vigil.process.kill('SIGSTOP')
  const atOnce = await scrapeAll(all, token)
  await eventually(() => all.lines(silent).length === workers)
  const later = await scrapeAll(all, token)

  expect(areAll([...atOnce, ...later], 200)).toBe(true)
  for (const { text } of [...atOnce, ...later]) expect(sampleOf(text, counter)).toBeUndefined()
  for (const { text } of later) {
    const up = (store: string) => sampleOf(text, 'vigil_store_up', { store })
    expect([up('events'), up('documents'), up('keys')]).toEqual([0, 1, 0])
    expect(sampleOf(text, 'vigil_projections_heard')).toBe(0)
  }

  all.vigil.process.kill('SIGCONT')
  await eventually(() => all.lines(heard).length === workers)
  const after = await all.ask<string>('GET', '/metrics', { token })
  expect(sampleOf(after.text, counter)).toBeGreaterThanOrEqual(before ?? Number.NaN)
})

const counter = 'vigil_events_appended_total'
