import { expect, test } from 'vitest'
import { derivePublicKey } from '../../src/auth/signingKey.ts'
import { rotateDueSigningKeys } from '../../src/commands/sessions/apps/signingKeys.ts'
import { caughtUp } from '../support/caughtUp.ts'
import { openTwoInstances } from '../support/openTwoInstances.ts'
import { type Customer, openCustomer } from '../support/openVigil.ts'

interface Key {
  readonly kid: string
  readonly public_key: string
  readonly status: string
}

const apps = '/v2/session/apps'
const dayMs = 24 * 60 * 60 * 1_000

async function openApp(opening: { deaf?: boolean } = {}) {
  const two = await openTwoInstances(opening)
  const customer = await openCustomer(two.a)
  const { body } = await customer.send('POST', apps, { name: 'Shop' })
  const path = `${apps}/${body['app_id']}/signing-keys`
  const list = async () => (await customer.send('GET', path)).body['signing_keys'] as readonly Key[]
  return { ...two, customer, path, list }
}

const statuses = (keys: readonly Key[]) => keys.map(({ status }) => status)

async function rotated(customer: Customer, path: string): Promise<Key> {
  const { status, body } = await customer.send('POST', path)
  expect(status).toBe(201)
  return body as unknown as Key
}

test('an application has a key from the start; a new one signs, the old one verifies until it is retired', async () => {
  const { customer, path, list } = await openApp()
  const [first] = await list()
  const second = await rotated(customer, path)
  const both = await list()

  const signing = await customer.send('DELETE', `${path}/${second.kid}`)
  const retired = await customer.send('DELETE', `${path}/${first?.kid}`)
  const again = await customer.send('DELETE', `${path}/${first?.kid}`)
  const unknown = await customer.send('DELETE', `${path}/${'A'.repeat(22)}`)

  expect(first).toMatchObject({ status: 'signs', public_key: expect.stringMatching(/^[\w-]{43}$/) })
  expect(both).toMatchObject([{ kid: first?.kid, status: 'verifies' }, second])
  expect([signing, retired, again, unknown].map(({ status }) => status)).toEqual([
    409, 204, 204, 404,
  ])
  expect(statuses(await list())).toEqual(['retired', 'signs'])
})

test('at most ten verify at once', async () => {
  const { customer, path, list } = await openApp()
  for (let count = 1; count < 10; count += 1) await rotated(customer, path)

  const { status, body } = await customer.send('POST', path)

  expect({ status, body }).toMatchObject({ status: 409, body: { code: 'conflict' } })
  expect(await list()).toHaveLength(10)
})

test('the private half is in the key store alone, and nowhere once the key or its application is retired', async () => {
  const { a, customer, path, list } = await openApp()
  const [first] = (await list()) as [Key]
  const second = await rotated(customer, path)
  const stateOf = async (kid: string) => (await a.keyring.keys([kid])).get(kid)
  const secrets = [
    (await stateOf(first.kid)) as Uint8Array,
    (await stateOf(second.kid)) as Uint8Array,
  ]

  await customer.send('DELETE', `${path}/${first.kid}`)
  const events = await a.context.events.readAll({ after: 0, limit: 1_000 })
  const document = await customer.send('GET', path)
  const written = `${JSON.stringify(events)} ${document.text}`
  const afterKey = await stateOf(first.kid)
  await customer.send('DELETE', path.replace('/signing-keys', ''))

  expect(secrets.map(derivePublicKey)).toEqual([first.public_key, second.public_key])
  for (const form of ['base64', 'base64url', 'hex'] as const) {
    for (const secret of secrets) expect(written).not.toContain(Buffer.from(secret).toString(form))
  }
  expect(written).toContain(first.public_key)
  expect([afterKey, await stateOf(second.kid)]).toEqual(['destroyed', 'destroyed'])
})

test('a key that is too old is followed by another, once, and retired when no token of it can be valid', async () => {
  const { a, b, ageB, list } = await openApp({ deaf: true })
  const [first] = (await list()) as [Key]
  const turn = async () => {
    await Promise.all([
      rotateDueSigningKeys(b.service.context),
      rotateDueSigningKeys(b.service.context),
    ])
    await Promise.all([caughtUp(a), caughtUp(b)])
  }

  ageB(89 * dayMs)
  await turn()
  const young = await list()
  ageB(2 * dayMs)
  await turn()
  const old = await list()
  ageB(dayMs)
  await turn()
  const soon = await list()
  ageB(dayMs)
  await turn()
  await turn()
  const late = await list()

  expect(statuses(young)).toEqual(['signs'])
  expect(statuses(old)).toEqual(['verifies', 'signs'])
  expect(statuses(soon)).toEqual(['verifies', 'signs'])
  expect(statuses(late)).toEqual(['retired', 'signs'])
  expect((await b.keyring.keys([first.kid])).get(first.kid)).toBe('destroyed')
})

test('what a retirement that was cut short has left of the keys is destroyed later', async () => {
  const { a, b, customer, path, list } = await openApp()
  await rotated(customer, path)
  const kids = (await list()).map(({ kid }) => kid)
  const { destroy } = a.keyring
  let isCut = true
  Object.assign(a.keyring, {
    destroy: (...given: Parameters<typeof destroy>) => {
      if (!isCut) return destroy(...given)
      isCut = false
      return Promise.reject(new Error('cut short'))
    },
  })
  const cut = await customer.send('DELETE', path.replace('/signing-keys', ''))
  const left = await b.keyring.keys(kids)

  await rotateDueSigningKeys(b.service.context)
  await rotateDueSigningKeys(b.service.context)

  expect([cut.status, isCut]).toEqual([500, false])
  expect([...left.values()].every((state) => state instanceof Uint8Array)).toBe(true)
  expect([...(await b.keyring.keys(kids)).values()]).toEqual(['destroyed', 'destroyed'])
  const events = await a.context.events.readAll({ after: 0, limit: 1_000 })
  expect(events.filter(({ type }) => type === 'SigningKeyRetired')).toHaveLength(2)
})
