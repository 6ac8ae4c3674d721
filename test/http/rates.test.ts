import { expect, test } from 'vitest'
import { openTokenBuckets } from '../../src/http/middleware/limitRates.ts'

const rate = { burst: 3, perSecond: 1 }
const few = { rate: { burst: 1, perSecond: 1 }, kind: 'few', key: 'a' }
const many = { rate, kind: 'many', key: 'a' }

test('whoever is refused takes nothing from the buckets that stand after', async () => {
  const { take } = openTokenBuckets(() => 0)
  await take('acc', [few, many])

  const refused = await take('acc', [few, many])

  expect(refused.allowed).toBe(false)
  expect(await take('acc', [many])).toMatchObject({ allowed: true, remaining: 1 })
})

test('the same key of another kind, or of another owner, is another bucket', async () => {
  const { take } = openTokenBuckets(() => 0)
  await take('acc', [few])

  expect((await take('acc', [{ ...few, kind: 'others' }])).allowed).toBe(true)
  expect((await take('other', [few])).allowed).toBe(true)
  expect((await take('acc', [few])).allowed).toBe(false)
})
