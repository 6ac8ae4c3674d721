import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Failure } from '../../src/domain/failure.ts'
import { uuidV5 } from '../../src/domain/uuid.ts'
import { notCountedReasons } from '../../src/engine/run/evidence.ts'
import {
  decode,
  encode,
  openEvent,
  openPersonal,
  sealedUnder,
  type VigilEvent,
  versions,
} from '../../src/events/catalogue.ts'
import type { EncodedEvent } from '../../src/events/recording/encodeEvent.ts'
import type { KeyState } from '../../src/events/recording/sealing.ts'
import type { PooledKeyring } from '../../src/stores/keys/keyring.ts'
import { context, sampleKeyring, samples } from './samples.ts'

const use = { area: 'evaluation', timeMs: 0 }

let keyring: PooledKeyring
beforeEach(async () => {
  keyring = await sampleKeyring()
})
afterEach(() => keyring.close())

const types = [...versions.keys()] as VigilEvent['type'][]
const { phone_number, email_address, ...neither } = samples.FlowEvaluated
const encoded = (type: string, data: unknown, index = 0) =>
  encode({ event: { type, data }, context, index }, keyring)
const recorded = (event: EncodedEvent) => ({
  ...event,
  stream: 'evaluation-1',
  revision: 0,
  position: 7,
})
const parsed = (event: EncodedEvent) => ({
  data: JSON.parse(event.data) as Record<string, { sealed: { key: string; box: string } }>,
  metadata: JSON.parse(event.metadata) as {
    version: number
    subjects?: { digest: string; key: string }[]
  },
})

describe.each(types)('%s', (type) => {
  test('comes back from the log as it went in', async () => {
    const event = encoded(type, samples[type])

    const back = await openEvent(decode(recorded(event)), keyring)

    expect(back.event).toEqual({ type, data: samples[type] })
    expect(back.metadata).toMatchObject({ ...context, version: versions.get(type) })
    expect(back).toMatchObject({ stream: 'evaluation-1', revision: 0, position: 7, id: event.id })
  })

  test('is not read with a member nobody knows', () => {
    const event = encoded(type, samples[type])
    const more = JSON.stringify({ ...JSON.parse(event.data), phone: '+12133734253' })

    expect(() => decode(recorded({ ...event, data: more }))).toThrow('additional properties')
  })
})

describe('personal data', () => {
  test.each([
    ['FlowEvaluated', 'phone_number'],
    ['FlowEvaluated', 'email_address'],
    ['FlowEvaluated', 'evidence'],
    ['SignalsDispatched', 'signals'],
    ['FeedbackReceived', 'target'],
    ['FeedbackReceived', 'context'],
    ['EventReported', 'target'],
  ] as const)('%s is not read with its %s in clear', (type, field) => {
    const event = encoded(type, samples[type])
    const clear = { ...parsed(event).data, [field]: (samples[type] as never)[field] }

    expect(() => decode(recorded({ ...event, data: JSON.stringify(clear) }))).toThrow(
      'cannot be read',
    )
  })

  test.each([
    ['sealed already', { sealed: { key: 'k', box: 'b' } }],
    ['forgotten', { forgotten: true }],
  ])('a value that is %s is not sealed again', (_, value) => {
    const data = { ...samples.FlowEvaluated, phone_number: value, evidence: value }

    expect(() => encoded('FlowEvaluated', data)).toThrow('FlowEvaluated cannot be recorded')
    expect(() =>
      encoded('SignalsDispatched', { ...samples.SignalsDispatched, signals: value }),
    ).toThrow('SignalsDispatched cannot be recorded')
  })

  test('number and address are each under a key of their own; the number and the evidence are of both', () => {
    const { data, metadata } = parsed(encoded('FlowEvaluated', samples.FlowEvaluated))

    const phone = keyring.subject(context.account, 'phone', '+12133734253')
    const email = keyring.subject(context.account, 'email', 'ann@example.com')
    expect(metadata.subjects).toEqual([
      { digest: phone, key: data['phone_number']?.sealed.key },
      { digest: email, key: data['phone_number']?.sealed.key },
      { digest: email, key: data['email_address']?.sealed.key },
    ])
    expect(data['evidence']?.sealed.key).toBe(data['phone_number']?.sealed.key)
    expect(data['phone_number']?.sealed.key).not.toBe(data['email_address']?.sealed.key)
  })

  test('a key serves the same subjects for all that it seals: what one of them shares is under another', () => {
    const keysOf = (change: object) => {
      const { email_address: _, ...alone } = samples.FlowEvaluated
      const { data } = parsed(encoded('FlowEvaluated', { ...alone, ...change }))
      return [data['phone_number']?.sealed.key, data['email_address']?.sealed.key]
    }
    const [alone] = keysOf({})
    const [withAnn, ann] = keysOf({ email_address: 'ann@example.com' })
    const [withBob, bob] = keysOf({ email_address: 'bob@example.com' })

    expect(new Set([alone, withAnn, ann, withBob, bob]).size).toBe(5)
    expect(keysOf({ email_address: 'ann@example.com' })).toEqual([withAnn, ann])
    expect(keysOf({})).toEqual([alone, undefined])
  })

  test('without a number the evidence is under the address', () => {
    const { data, metadata } = parsed(encoded('FlowEvaluated', { ...neither, email_address }))

    expect(metadata.subjects).toHaveLength(1)
    expect(data['evidence']?.sealed.key).toBe(data['email_address']?.sealed.key)
    expect(data).not.toHaveProperty('phone_number')
  })

  test('what is one subject’s lies in one box', () => {
    const { data } = parsed(encoded('FlowEvaluated', samples.FlowEvaluated))

    const key = data['phone_number']?.sealed.key
    expect(data['phone_number']).toEqual({
      sealed: { key, box: expect.any(String), fields: ['phone_number', 'evidence'] },
    })
    expect(data['evidence']).toEqual({ sealed: { key, in: 'phone_number' } })
    expect(Object.keys(data['email_address']?.sealed ?? {})).toEqual(['key', 'box'])
  })

  test.each([
    ['a field that its box does not name', { evidence: { in: 'email_address' } }],
    ['a field that is in another field’s place', { evidence: { in: 'evidence' } }],
    ['a field in what is no box', { evidence: { in: '__proto__' } }],
    ['a box with fewer fields', { phone_number: { fields: ['evidence'] } }],
    [
      'a box with its fields in another order',
      { phone_number: { fields: ['evidence', 'phone_number'] } },
    ],
    ['a box without its fields', { phone_number: { fields: undefined } }],
  ])('%s does not open', async (_, change) => {
    const event = encoded('FlowEvaluated', samples.FlowEvaluated)
    const data = structuredClone(parsed(event).data)
    for (const [field, sealed] of Object.entries(change))
      Object.assign(data[field]?.sealed ?? {}, sealed)

    const forged = decode(recorded({ ...event, data: JSON.stringify(data) }))

    await expect(openEvent(forged, keyring)).rejects.toThrow(/lies in no box|altered or moved/)
  })

  test('without a target there is nobody to seal for', () => {
    expect(() => encoded('FlowEvaluated', neither)).toThrow('without a target')
  })

  test('signals are under the dispatch', () => {
    const { metadata } = parsed(encoded('SignalsDispatched', samples.SignalsDispatched))

    expect(metadata.subjects).toMatchObject([{ digest: samples.SignalsDispatched.dispatch }])
  })

  test('an event without personal data names no subject and takes no key', () => {
    const spent = { ...keyring, assign: () => expect.fail('a key was taken') }

    const event = encode(
      { event: { type: 'AccountOpened', data: samples.AccountOpened }, context, index: 0 },
      spent,
    )

    expect(parsed(event).metadata).not.toHaveProperty('subjects')
  })

  test('decoding leaves it sealed, opening needs its keys only', async () => {
    const event = decode(recorded(encoded('FlowEvaluated', samples.FlowEvaluated)))
    const [phoneKey = '', emailKey = ''] = sealedUnder(event)
    const secret = (await keyring.keys([phoneKey])).get(phoneKey) ?? 'damaged'

    const opened = openPersonal(
      event,
      new Map<string, KeyState>([
        [phoneKey, secret],
        [emailKey, 'destroyed'],
      ]),
    )

    expect(JSON.stringify(event)).not.toContain('+12133734253')
    expect(emailKey).not.toBe('')
    expect(opened.event.data).toEqual({
      ...samples.FlowEvaluated,
      email_address: { forgotten: true },
    })
  })

  test.each([
    ['missing', () => new Map()],
    ['damaged', (id: string) => new Map([[id, 'damaged'] as const])],
  ])('it is never forgotten because its key is %s: it cannot be opened', (why, states) => {
    const event = decode(recorded(encoded('FlowEvaluated', samples.FlowEvaluated)))
    const [id = ''] = sealedUnder(event)

    const opening = () => openPersonal(event, states(id))

    expect(opening).toThrow(Failure)
    expect(opening).toThrow(`its key is ${why}. The operator of the service must restore it.`)
  })

  test('it is forgotten when its keys are destroyed, and the rest stays', async () => {
    const event = decode(recorded(encoded('FlowEvaluated', samples.FlowEvaluated)))

    await keyring.destroy(sealedUnder(event).slice(0, 1), context.time)
    const opened = await openEvent(event, keyring)

    const forgotten = { forgotten: true }
    expect(opened.event.data).toEqual({
      ...samples.FlowEvaluated,
      phone_number: forgotten,
      evidence: forgotten,
    })
  })

  test('opening what is open already changes nothing', async () => {
    const event = decode(recorded(encoded('FlowEvaluated', samples.FlowEvaluated)))
    const opened = await openEvent(event, keyring)

    expect(sealedUnder(opened)).toEqual([])
    expect(openPersonal(opened, new Map()).event).toEqual(opened.event)
  })

  test('a box copied into another event does not open there', async () => {
    const one = encoded('FlowEvaluated', samples.FlowEvaluated, 0)
    const other = encoded('FlowEvaluated', samples.FlowEvaluated, 1)

    const forged = decode(recorded({ ...other, data: one.data }))

    await expect(openEvent(forged, keyring)).rejects.toThrow('altered or moved')
  })

  test('without a key the event is refused and not recorded in clear', async () => {
    for (let taken = 0; taken < 16; taken += 1) keyring.assign(`other ${taken}`, use)

    expect(() => encoded('FlowEvaluated', samples.FlowEvaluated)).toThrow('No sealing key')
  })
})

describe('what was sent and did not count', () => {
  const evaluated = (not_counted: unknown) => {
    const evidence = { ...samples.FlowEvaluated.evidence, not_counted }
    return encoded('FlowEvaluated', { ...samples.FlowEvaluated, evidence })
  }

  test.each(notCountedReasons)('is recorded with the reason %s', (reason) => {
    const event = evaluated([['signal.ip', '198.51.100.23', 'request', reason]])

    expect(event.data).not.toContain(reason)
    expect(() => decode(recorded(event))).not.toThrow()
  })

  test.each([
    ['for a reason that nobody knows', [['signal.ip', '198.51.100.23', 'request', 'mood']]],
    ['without a reason', [['signal.ip', '198.51.100.23', 'request']]],
    ['from a source that sends nothing', [['signal.ip', 'x', 'list', 'needs_dispatch']]],
    ['as a number', [['signal.ip', 7, 'request', 'needs_dispatch']]],
  ])('is not recorded %s', (_, notCounted) => {
    expect(() => evaluated(notCounted)).toThrow('FlowEvaluated cannot be recorded')
  })
})

describe('ids', () => {
  test('the id of an event is made of its command and its number', () => {
    const ids = [0, 1, 0].map((index) => encoded('AccountOpened', samples.AccountOpened, index).id)

    expect(ids).toEqual(['0', '1', '0'].map((index) => uuidV5(context.command, index)))
  })
})

describe('what cannot be read is refused in words that name it', () => {
  const fine = () => recorded(encoded('FlowEvaluated', samples.FlowEvaluated))
  const withMetadata = (change: object) => {
    const event = fine()
    return { ...event, metadata: JSON.stringify({ ...JSON.parse(event.metadata), ...change }) }
  }

  test.each([
    ['data that is no JSON', () => ({ ...fine(), data: '{"a":' }), 'not JSON'],
    ['metadata that is no JSON', () => ({ ...fine(), metadata: '' }), 'not JSON'],
    ['data that is no object', () => ({ ...fine(), data: 'null' }), 'must be object'],
    ['metadata that is no object', () => ({ ...fine(), metadata: '[]' }), 'must be object'],
    ['an unknown type', () => ({ ...fine(), type: 'Unheard' }), 'no such type'],
    ['the name of an inherited member', () => ({ ...fine(), type: 'toString' }), 'no such type'],
    [
      'a newer version',
      () => withMetadata({ version: 1 + (versions.get('FlowEvaluated') ?? 0) }),
      'newer than this program',
    ],
    ['version 0', () => withMetadata({ version: 0 }), 'must be >= 1'],
    ['no version', () => withMetadata({ version: undefined }), "property 'version'"],
    ['no account', () => withMetadata({ account: '' }), 'fewer than 1 characters'],
    ['metadata with more in it', () => withMetadata({ secret: 1 }), 'additional properties'],
  ])('%s', (_, event, words) => {
    const given = event()

    expect(() => decode(given)).toThrow(words)
    expect(() => decode(given)).toThrow(`event ${given.type} at position 7 cannot be read`)
  })

  test('the words do not repeat the data', () => {
    const event = { ...fine(), data: '{"phone_number":"+12133734253"}' }

    expect(() => decode(event)).toThrow(/^(?!.*2133734253)/)
  })

  test('an unknown type cannot be recorded', () => {
    expect(() => encoded('Unheard', {})).toThrow('no such type as Unheard')
  })
})
