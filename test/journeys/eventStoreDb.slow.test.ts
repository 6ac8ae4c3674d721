import { expect, test } from 'vitest'
import { fakeForTest } from '../stores/support/fakeUnderTest.ts'
import { temporaryFolder } from '../stores/support/temporaryFolder.ts'
import { writeForeignEvents } from '../support/eventStoreDb/fakeLog.ts'
import { eventually } from '../support/eventually.ts'
import { openCustomer, openVigil, sendAs } from '../support/openVigil.ts'

const expression = 'target.phone_number.startsWith("+33")'

test('given connections that break all the time, when flows are evaluated, then every answered verdict is recorded exactly once', async () => {
  const fake = await fakeForTest()
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

test.each([
  ['appendBytesMax', /\d+ bytes of events, and at most 2000\.$/],
  ['eventBytesMax', /one event of \d+ bytes, and at most 2000\.$/],
] as const)(
  'given a server whose %s is low, when a rule is larger, then that request is 413 with the numbers, and the log takes what is smaller',
  async (limit, message) => {
    const fake = await fakeForTest()
    const vigil = await openVigil({ eventStoreUrl: fake.url })
    const shop = await openCustomer(vigil)
    fake.faults[limit] = 2_000
    const rule = (terms: number) =>
      shop.send('POST', '/v2/watch/management/rules', {
        name: `A rule of ${terms}`,
        expression: Array.from({ length: terms }, (_, at) => `signal.ext.n == "${at}"`).join(
          ' || ',
        ),
      })

    const large = await rule(60)
    const small = await rule(1)
    const ready = await vigil.door.request('GET', '/health/ready')

    expect(large).toMatchObject({
      status: 413,
      body: { code: 'payload_too_large', message: expect.stringMatching(message) },
    })
    expect([small.status, ready.status]).toEqual([201, 200])
    expect(fake.log.events.filter(({ type }) => type === 'RulePublished')).toHaveLength(1)
    await vigil.close()
  },
)

test('given a server that other programs write to, when one of their streams is deleted for good, then Vigil goes on, and starts', async () => {
  const fake = await fakeForTest()
  writeForeignEvents(fake.log)
  const vigil = await openVigil({ eventStoreUrl: fake.url })
  const shop = await openCustomer(vigil)
  const flow = await shop.flowOf(expression)

  fake.log.tombstone('others-2')
  const first = await shop.evaluate(flow)
  const again = await vigil.restart()
  const second = await sendAs(again, shop.token)('POST', '/v2/watch/eval', {
    ...{ flow_id: flow, target: { phone_number: '+33612345678' } },
  })

  expect([vigil.isNew, first.status, second.status]).toEqual([true, 200, 200])
  await eventually(async () => (await again.door.request('GET', '/health/ready')).status === 200)
  await again.close()
})

test('given a data folder whose log a server keeps, when the service starts without the server, then it is refused, and says why', async () => {
  const folder = temporaryFolder()
  const vigil = await openVigil({ eventStoreUrl: (await fakeForTest()).url, folder })
  await vigil.stop()

  await expect(openVigil({ folder })).rejects.toThrow('Set EVENTSTORE_URL and MONGODB_URL')
})

test('given a data folder with a log of its own, when the service starts with a server, then it is refused, and says why', async () => {
  const folder = temporaryFolder()
  const vigil = await openVigil({ folder })
  await vigil.stop()

  const opening = openVigil({ folder, eventStoreUrl: (await fakeForTest()).url })

  await expect(opening).rejects.toThrow(
    /log\.db, which would be left behind\. Move it with vigil migrate/,
  )
})

test('given a server that is refused, when the service was to start on a new folder, then the folder may still have a log of its own', async () => {
  const folder = temporaryFolder()
  const fake = await fakeForTest()
  fake.faults.old = true
  await expect(openVigil({ folder, eventStoreUrl: fake.url })).rejects.toThrow('22.6 or newer')

  const vigil = await openVigil({ folder })

  expect(vigil.isNew).toBe(true)
  await vigil.close()
})
