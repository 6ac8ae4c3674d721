import { afterEach, expect, test } from 'vitest'
import { startReadModels } from '../../src/app/startReadModels.ts'
import { openEmbeddedEventStore } from '../../src/stores/embedded/embeddedEventStore.ts'
import { eventually } from '../support/eventually.ts'
import { canGiveWay, givingWay } from '../support/givingWay.ts'
import { openCustomer, openVigil, type Vigil } from '../support/openVigil.ts'

let vigil: Vigil | undefined
const closers: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closers.splice(0)) await close()
  await vigil?.close()
  vigil = undefined
})

test('a thread of its own answers as the service does, from the same read models', async () => {
  const alarms: string[] = []
  vigil = await openVigil()
  const shop = await openCustomer(vigil)
  const flow = await shop.flowOf('signal.ext.a == "1"')
  await shop.evaluate(flow)
  const made = await shop.rule('1 == 1', 'last')
  const listed = await shop.send('GET', `/v2/watch/management/rules?limit=200`)
  const { folder } = vigil
  await vigil.stop()
  const { headBuffer, close } = await openEmbeddedEventStore({ folder })
  const thread = startReadModels({ onAlarm: ({ message }) => alarms.push(message) })
  closers.push(thread.close, close)
  await thread.call('open', { folder, headBuffer, mayRun: true })
  const { projections } = thread
  await eventually(() => projections.active('rules') !== undefined)
  const { heavyQueryRunner } = thread
  const never = new AbortController().signal

  const list = (asked: object) =>
    heavyQueryRunner.run('listRules', { account: shop.accountId, ...asked }, never)
  const { items: rules } = (await list({ limit: 200 })) as { items: readonly object[] }
  const strange = list({ limit: 1, cursor: 'none' })

  if (canGiveWay) expect(givingWay()).toBeGreaterThan(0)
  expect(rules).toEqual(listed.body['rules'])
  expect(rules.at(-1)).toMatchObject({ id: made, name: 'last' })
  await expect(strange).rejects.toMatchObject({ code: 'invalid_request' })
  expect(alarms).toEqual([])
})
