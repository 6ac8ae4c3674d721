import { afterEach, expect, test } from 'vitest'
import { readModels } from '../../src/projections/readModels.ts'
import type { ProjectionState } from '../../src/projections/running/projections.ts'
import { answerInThread } from '../../src/service/opening/answering.ts'
import { givingWay } from '../support/givingWay.ts'
import { openCustomer, openVigil, type Vigil } from '../support/openVigil.ts'

let vigil: Vigil | undefined
const closers: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closers.splice(0)) await close()
  await vigil?.close()
  vigil = undefined
})

const states: readonly ProjectionState[] = readModels.map(({ name, version }) => ({
  name,
  version,
  position: 1,
  status: 'live',
  parked: 0,
  active: version,
}))

test('a thread of its own answers as the service does, from the same read models', async () => {
  vigil = await openVigil()
  const shop = await openCustomer(vigil)
  const flow = await shop.flowOf('signal.ext.a == "1"')
  await shop.evaluate(flow)
  const made = await shop.rule('1 == 1', 'last')
  const listed = await shop.send('GET', `/v2/watch/management/rules?limit=200`)
  const answering = answerInThread({
    source: { kind: 'embedded', folder: vigil.folder, session: '' },
    projections: { progress: () => states },
    onLost: (why) => {
      throw new Error(why)
    },
  })
  closers.push(answering.close)
  const never = new AbortController().signal

  const rules = await answering.answer('listRules', { account: shop.accountId, limit: 200 }, never)
  const strange = answering.answer(
    'listRules',
    { account: shop.accountId, limit: 1, cursor: 'none' },
    never,
  )

  if (process.platform === 'linux') expect(givingWay()).toBeGreaterThan(0)
  expect(rules.items).toEqual(listed.body['rules'])
  expect(rules.items.at(-1)).toMatchObject({ id: made, name: 'last' })
  await expect(strange).rejects.toMatchObject({ code: 'invalid_request' })
})
