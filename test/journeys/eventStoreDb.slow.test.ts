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
