import { afterEach, beforeEach, expect, test } from 'vitest'
import { buildEventCodec } from '../../src/events/recording/eventCodec.ts'
import { defineNonPersonalEvent, type EventOf } from '../../src/events/recording/eventDefinition.ts'
import { integer, nonEmptyString, object } from '../../src/events/recording/eventSchema.ts'
import type { PooledKeyring } from '../../src/stores/keys/keyring.ts'
import { context, sampleKeyring } from './samples.ts'

// a made-up event that has had three versions: `amount` was a text, then a number, then got a currency

const payer = {
  subject: (data: { readonly payer: string }) => ({ kind: 'phone', value: data.payer }) as const,
  schema: nonEmptyString,
}

const version1 = {
  Paid: { schema: object({ amount: nonEmptyString }), personal: { payer } },
}
const version3 = {
  Paid: {
    schema: object({ amount: integer, currency: nonEmptyString }),
    upcasters: [
      (data: object) => ({ ...data, amount: Number(Reflect.get(data, 'amount')) }),
      (data: object) => ({ ...data, currency: 'EUR' }),
    ],
    personal: { payer },
  },
}

type PaymentEvent = EventOf<typeof version3>

let keyring: PooledKeyring
beforeEach(async () => {
  keyring = await sampleKeyring()
})
afterEach(() => keyring.close())

const old = buildEventCodec({ payments: version1 })
const today = buildEventCodec<PaymentEvent>({ payments: version3 })

function writtenOnceWith(amount: string) {
  const data = { amount, payer: '+12133734253' }
  const event = old.encode({ event: { type: 'Paid', data }, context, index: 0 }, keyring)
  return { ...event, stream: 'payment-1', revision: 0, position: 3 }
}

test('an event of the first version goes through every upcaster, in order', () => {
  const decoded = today.decode(writtenOnceWith('12'))

  expect(decoded.event.data).toMatchObject({ amount: 12, currency: 'EUR' })
  expect(decoded.metadata.version).toBe(1)
})

test('an event of a version between goes through the later upcasters only', () => {
  const written = writtenOnceWith('12')
  const data = JSON.stringify({ ...JSON.parse(written.data), amount: 5 })
  const metadata = JSON.stringify({ ...JSON.parse(written.metadata), version: 2 })

  const decoded = today.decode({ ...written, data, metadata })

  expect(decoded.event.data).toMatchObject({ amount: 5, currency: 'EUR' })
})

test('an event of today’s version goes through none', () => {
  const data = { amount: 7, currency: 'USD', payer: '+12133734253' }
  const event = today.encode({ event: { type: 'Paid', data }, context, index: 0 }, keyring)

  const decoded = today.decode({ ...event, stream: 'payment-1', revision: 0, position: 3 })

  expect(decoded.event.data).toMatchObject({ amount: 7, currency: 'USD' })
  expect(JSON.parse(event.metadata)).toMatchObject({ version: 3 })
})

test('a field sealed in an old version opens in the new one', async () => {
  const opened = await today.openEvent(today.decode(writtenOnceWith('12')), keyring)

  expect(opened.event.data).toEqual({ amount: 12, currency: 'EUR', payer: '+12133734253' })
})

test('what an upcaster makes must fit today’s schema', () => {
  expect(() => today.decode(writtenOnceWith('twelve'))).toThrow('data/amount must be integer')
})

test('an upcaster that throws makes the event unreadable, and says which', () => {
  const paid = {
    ...version3.Paid,
    upcasters: [
      () => {
        throw new Error('no amount known')
      },
      (data: object) => data,
    ],
  }
  const failing = buildEventCodec<PaymentEvent>({ payments: { Paid: paid } })

  expect(() => failing.decode(writtenOnceWith('12'))).toThrow(
    'event Paid at position 3 cannot be read: no amount known',
  )
})

test('a program of the old version refuses what the new one wrote', () => {
  const data = { amount: 7, currency: 'USD', payer: '+12133734253' }
  const event = today.encode({ event: { type: 'Paid', data }, context, index: 0 }, keyring)

  expect(() => old.decode({ ...event, stream: 's', revision: 0, position: 3 })).toThrow(
    'version 3 is newer than this program, which knows 1',
  )
})

test('an event that was not read back has no id, so its boxes cannot be opened', () => {
  const { id: _, ...decoded } = today.decode(writtenOnceWith('12'))

  expect(() => today.openPersonal(decoded, new Map())).toThrow('has no id')
})

test('a personal field that its definition leaves out is not recorded', () => {
  const none = { Paid: defineNonPersonalEvent({ amount: integer, currency: nonEmptyString }) }
  const data = { amount: 1, currency: 'EUR', payer: '+12133734253' }
  expect(() =>
    buildEventCodec({ payments: none }).encode(
      { event: { type: 'Paid', data }, context, index: 0 },
      keyring,
    ),
  ).toThrow('must NOT have additional properties')
})
