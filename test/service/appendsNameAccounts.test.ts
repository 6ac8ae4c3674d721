import { expect, onTestFinished, test } from 'vitest'
import type { Append } from '../../src/stores/eventStore.ts'
import { openMemoryShop } from './support/memoryShop.ts'

test('given an account that evaluates and changes rules, when events are appended, then every append names it', async () => {
  const shop = await openMemoryShop()
  onTestFinished(() => shop.door.close())
  const appends: Append[] = []
  shop.events.before = (append) => {
    appends.push(append)
  }
  const send = (path: string, body: object) =>
    shop.door.request('POST', path, { token: shop.token, body })

  const answers = [
    await send('/v2/watch/eval', {
      flow_id: shop.flow,
      target: { phone_number: '+33612345678' },
    }),
    await send('/v2/watch/management/rules', { name: 'another', expression: '2 == 2' }),
  ]

  expect(answers.map(({ status }) => status)).toEqual([200, 201])
  const opened = shop.events.log.find(({ stream }) => stream.startsWith('account-'))
  const account = opened?.stream.slice('account-'.length)
  const kinds = new Set(appends.map(({ stream }) => stream.split('-')[0]))
  expect([...kinds]).toEqual(expect.arrayContaining(['plan', 'evaluation', 'rulebook']))
  expect(appends.map((append) => [append.stream, append.account])).toEqual(
    appends.map(({ stream }) => [stream, account]),
  )
})
