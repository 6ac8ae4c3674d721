import { expect, test } from 'vitest'
import { type Definitions, plain } from '../../src/events/recording/definition.ts'
import type { DomainEvent } from '../../src/events/recording/event.ts'
import { list, mapOf, object, oneOf, text, word } from '../../src/events/recording/schema.ts'
import type { Personal } from '../../src/events/recording/sealing.ts'

// what is refused here is refused by `npx tsc`: an expected error that is none does not compile

interface Ordered {
  readonly order_id: string
  readonly state: 'OPEN' | 'SENT'
  readonly lines: readonly { readonly article: string; readonly note?: string }[]
  readonly labels: Readonly<Record<string, string>>
  readonly comment?: string
}
type Order = Definitions<DomainEvent<'Ordered', Ordered>>

const members = {
  order_id: word,
  state: oneOf(['OPEN', 'SENT']),
  lines: list(object({ article: word }, { note: text })),
  labels: mapOf(text),
}
const optional = { comment: text }

test('a schema of exactly the members of the data compiles', () => {
  const order: Order = { Ordered: plain(object(members, optional)) }

  expect(order.Ordered.schema.required).toEqual(['order_id', 'state', 'lines', 'labels'])
  expect(Object.keys(order.Ordered.schema.properties)).toEqual([
    'order_id',
    'state',
    'lines',
    'labels',
    'comment',
  ])
})

test('a member that the schema lacks, or has too much, or as optional, does not compile', () => {
  const { labels, ...without } = members

  const refused: readonly Order[] = [
    // @ts-expect-error a required member is missing
    { Ordered: plain(object(without, optional)) },
    // @ts-expect-error an optional member is missing
    { Ordered: plain(object(members)) },
    // @ts-expect-error a required member is optional
    { Ordered: plain(object(without, { ...optional, labels })) },
    // @ts-expect-error an optional member is required
    { Ordered: plain(object({ ...members, comment: text })) },
    // @ts-expect-error there is no such member
    { Ordered: plain(object({ ...members, total: text }, optional)) },
    // @ts-expect-error there is no such optional member
    { Ordered: plain(object(members, { ...optional, total: text })) },
  ]

  expect(refused).toHaveLength(6)
})

test('a member of another kind does not compile, however deep it stands', () => {
  const refused: readonly Order[] = [
    // @ts-expect-error one value too few
    { Ordered: plain(object({ ...members, state: oneOf(['OPEN']) }, optional)) },
    // @ts-expect-error one value too many
    { Ordered: plain(object({ ...members, state: oneOf(['OPEN', 'SENT', 'LOST']) }, optional)) },
    // @ts-expect-error any text, where there are only two
    { Ordered: plain(object({ ...members, state: word }, optional)) },
    // @ts-expect-error the items lack an optional member
    { Ordered: plain(object({ ...members, lines: list(object({ article: word })) }, optional)) },
    // @ts-expect-error no list
    { Ordered: plain(object({ ...members, lines: word }, optional)) },
    // @ts-expect-error a plain JSON Schema says nothing to the compiler
    { Ordered: plain(object({ ...members, order_id: { type: 'string' } }, optional)) },
  ]

  expect(refused).toHaveLength(6)
})

interface Sent {
  readonly to: Personal<string>
  readonly from?: Personal<string>
}
type Message = Definitions<DomainEvent<'Sent', Sent>>

const subject = () => ({ kind: 'phone', value: '+12133734253' }) as const
const to = { subject, schema: word }
const from = { subject, schema: word, optional: true } as const
const message = { version: 1, schema: object({}), upcasters: [] }

test('every personal field has its definition, and no other field has one', () => {
  const compiles: Message = { Sent: { ...message, personal: { to, from } } }

  const refused: readonly Message[] = [
    // @ts-expect-error a personal field without a definition
    { Sent: { ...message, personal: { from } } },
    // @ts-expect-error an optional field whose definition does not say so
    { Sent: { ...message, personal: { to, from: to } } },
    // @ts-expect-error a required field that may be absent
    { Sent: { ...message, personal: { to: from, from } } },
    // @ts-expect-error of another kind
    { Sent: { ...message, personal: { to: { subject, schema: list(word) }, from } } },
    // @ts-expect-error a personal field in clear as well
    { Sent: { ...message, schema: object({ to: word }), personal: { to, from } } },
  ]

  expect(Object.keys(compiles.Sent.personal)).toEqual(['to', 'from'])
  expect(refused).toHaveLength(5)
})
