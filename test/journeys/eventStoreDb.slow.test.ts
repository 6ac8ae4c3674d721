import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type FakeEventStoreDb, startFakeEventStoreDb } from '../support/eventStoreDb/fakeServer.ts'
import { eventually } from '../support/eventually.ts'
import { openCustomer, openVigil, type Vigil } from '../support/openVigil.ts'

async function server(): Promise<FakeEventStoreDb> {
  const fake = await startFakeEventStoreDb()
  onTestFinished(fake.stop)
  return fake
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'vigil-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function stop({ door, service }: Vigil): Promise<void> {
  await door.close()
  await service.close()
}

const expression = 'target.phone_number.startsWith("+33")'

test('given a log in EventStoreDB, when rules are published and flows evaluated, then they are seen at once, and everything is there after a restart', async () => {
  const fake = await server()
  let vigil = await openVigil({ eventStoreUrl: fake.url })
  expect(vigil.isNew).toBe(true)
  const shop = await openCustomer(vigil)
  const flow = await shop.flowOf(expression)
  const headers = { 'idempotency-key': 'order-1' }
  const first = await shop.evaluate(flow, {}, headers)
  expect(first.body['verdict']).toBe('FLAG')
  expect(first.headers['x-vigil-visible']).not.toBe('false')
  // what the server writes for itself comes to lie at the end
  fake.log.writeSystemEvent('$stats-1')

  vigil = await vigil.restart()
  const asked = (method: string, path: string, body?: unknown) =>
    vigil.door.request(method, path, { token: shop.token, headers, body })

  expect(vigil.isNew).toBe(false)
  const again = await asked('POST', '/v2/watch/eval', {
    flow_id: flow,
    target: { phone_number: '+33612345678' },
  })
  expect(again.text).toBe(first.text)
  const replay = await asked('POST', `/v2/watch/evaluations/${first.body['id']}/replay`)
  expect(replay.body['result']).toBe('MATCH')
  // read models may still be building
  const rules = () => asked('GET', '/v2/watch/management/rules')
  await eventually(async () => (await rules()).status === 200)
  expect((await rules()).body['rules']).toHaveLength(1)
  await vigil.close()
})

test('given connections that break all the time, when flows are evaluated, then every answered verdict is recorded exactly once', async () => {
  const fake = await server()
  const vigil = await openVigil({ eventStoreUrl: fake.url })
  const shop = await openCustomer(vigil)
  const flow = await shop.flowOf(expression)
  fake.faults.append = (call) => (call % 3 === 0 ? 'cut after the write' : undefined)
  fake.faults.read = (call) => (call % 5 === 0 ? 'unavailable' : undefined)
  fake.faults.subscription = () => ({ endsAfter: 7, repeats: 3 })

  const ids: string[] = []
  for (let count = 0; count < 20; count += 1) {
    const answer = await shop.evaluate(flow)
    expect(answer.status).toBe(200)
    ids.push(String(answer.body['id']))
  }

  const recorded = fake.log.events.filter(({ type }) => type === 'FlowEvaluated')
  expect(recorded.map(({ stream }) => stream)).toEqual(ids.map((id) => `evaluation-${id}`))
  await eventually(async () => {
    const { body } = await shop.send('GET', '/v2/watch/evaluations?limit=100')
    return (body['evaluations'] as unknown[]).length === ids.length
  })
  await vigil.close()
})

test('given a data folder whose log a server keeps, when the service starts without the server, then it is refused, and says why', async () => {
  const folder = newFolder()
  const vigil = await openVigil({ eventStoreUrl: (await server()).url, folder })
  await stop(vigil)

  await expect(openVigil({ folder })).rejects.toThrow('Set EVENTSTORE_URL and MONGODB_URL')
})

test('given a data folder with a log of its own, when the service starts with a server, then it is refused, and says why', async () => {
  const folder = newFolder()
  const vigil = await openVigil({ folder })
  await stop(vigil)

  const opening = openVigil({ folder, eventStoreUrl: (await server()).url })

  await expect(opening).rejects.toThrow(
    /log\.db, which would be left behind\. Move it with vigil migrate/,
  )
})

test('given a server that is refused, when the service was to start on a new folder, then the folder may still have a log of its own', async () => {
  const folder = newFolder()
  const fake = await server()
  fake.faults.old = true
  await expect(openVigil({ folder, eventStoreUrl: fake.url })).rejects.toThrow('22.6 or newer')

  const vigil = await openVigil({ folder })

  expect(vigil.isNew).toBe(true)
  await vigil.close()
})
