import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type FakeLog, fakeLog } from '../support/eventStoreDb/fakeLog.ts'
import { type FakeEventStoreDb, startFakeEventStoreDb } from '../support/eventStoreDb/fakeServer.ts'
import { eventually } from '../support/eventually.ts'
import { openCustomer, openVigil, type Vigil } from '../support/openVigil.ts'

async function server(log?: FakeLog): Promise<FakeEventStoreDb> {
  const fake = await startFakeEventStoreDb(log ? { log } : {})
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

/** The same log as an older release would have begun it, every event at its place. */
function withoutBinding({ events }: FakeLog): FakeLog {
  const log = fakeLog()
  for (const event of events) {
    const { stream, type } = event
    // what the server writes for itself is read by nobody
    const own = (name: string) => `$${name.slice(1)}`
    if (stream === bindings) log.append(own(stream), 'any', [{ ...event, type: own(type) }])
    else log.append(stream, 'any', [event])
  }
  return log
}

const bindings = 'installation-keys'
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

test('given a server that went on from an older copy of its log, when the service starts, then it is refused with what is missing', async () => {
  const fake = await server()
  const folder = newFolder()
  const vigil = await openVigil({ eventStoreUrl: fake.url, folder })
  await openCustomer(vigil)
  await stop(vigil)
  fake.log.truncate(3)

  const opening = openVigil({ eventStoreUrl: fake.url, folder })

  await expect(opening).rejects.toThrow(/remembers an event at position \d+ that it does not have/)
})

test('given another log than the one of the data folder, when the service starts, then it is refused', async () => {
  const folder = newFolder()
  const fake = await server()
  const vigil = await openVigil({ eventStoreUrl: fake.url, folder })
  await openCustomer(vigil)
  await stop(vigil)

  const opening = openVigil({ eventStoreUrl: (await server(fakeLog())).url, folder })

  await expect(opening).rejects.toThrow('that it does not have')
})

test('given a data folder whose log a server keeps, when the service starts without the server, then it is refused, and says why', async () => {
  const folder = newFolder()
  const vigil = await openVigil({ eventStoreUrl: (await server()).url, folder })
  await stop(vigil)

  await expect(openVigil({ folder })).rejects.toThrow('set EVENTSTORE_URL')
})

test('given a data folder with a log of its own, when the service starts with a server, then it is refused, and says why', async () => {
  const folder = newFolder()
  const vigil = await openVigil({ folder })
  await stop(vigil)

  const opening = openVigil({ folder, eventStoreUrl: (await server()).url })

  await expect(opening).rejects.toThrow('it has a log of its own')
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

test('given a new log in EventStoreDB, when two Vigils with keys of their own start on it at the same moment, then one is refused, also when it is started again', async () => {
  const fake = await server()
  const folders = [newFolder(), newFolder()]
  const open = (folder: string) => openVigil({ eventStoreUrl: fake.url, folder })

  const both = await Promise.allSettled(folders.map(open))

  for (const { value } of both.filter((one) => one.status === 'fulfilled')) {
    onTestFinished(() => stop(value))
  }
  const refused = both.findIndex(({ status }) => status === 'rejected')
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  const folder = folders[refused] ?? ''
  const expected = new RegExp(`${folder}.*another Vigil.*MONGODB_URL`)
  expect(both[refused]).toMatchObject({ reason: { message: expect.stringMatching(expected) } })
  await expect(open(folder)).rejects.toThrow(expected)
})

test('given a Vigil on a log in EventStoreDB, when one on another folder starts later, then it is refused, and hears what to do', async () => {
  const fake = await server()
  const vigil = await openVigil({ eventStoreUrl: fake.url })
  const folder = newFolder()

  const opening = openVigil({ eventStoreUrl: fake.url, folder })

  await expect(opening).rejects.toThrow(new RegExp(`${folder}.*another Vigil.*MONGODB_URL`))
  await vigil.close()
})

test('given a log without a binding of which nothing is sealed, when its Vigil starts, then the log is bound to its keys', async () => {
  const folder = newFolder()
  const fake = await server()
  await stop(await openVigil({ eventStoreUrl: fake.url, folder }))
  const old = withoutBinding(fake.log)
  const eventStoreUrl = (await server(old)).url

  await stop(await openVigil({ eventStoreUrl, folder }))

  expect(old.stream(bindings)).toHaveLength(1)
  await stop(await openVigil({ eventStoreUrl, folder }))
  expect(old.stream(bindings)).toHaveLength(1)
})

test('given a log without a binding whose last events name keys, when its Vigil starts, then those go on to tell whose log it is', async () => {
  const folder = newFolder()
  const fake = await server()
  const vigil = await openVigil({ eventStoreUrl: fake.url, folder })
  const shop = await openCustomer(vigil)
  await shop.evaluate(await shop.flowOf(expression))
  await stop(vigil)
  const old = withoutBinding(fake.log)
  const eventStoreUrl = (await server(old)).url

  await stop(await openVigil({ eventStoreUrl, folder }))

  expect(old.stream(bindings) ?? []).toHaveLength(0)
  await expect(openVigil({ eventStoreUrl, folder: newFolder() })).rejects.toThrow('another Vigil')
})
