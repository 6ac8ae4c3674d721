/**
 * What goes wrong around users: creations that end in the middle, keys that are lost, read models built again after an
 * erasure.
 */

import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { executeCommand } from '../../src/commands/handling/executeCommand.ts'
import { claimIdentifiers } from '../../src/commands/sessions/users/claimIdentifiers.ts'
import { uuidV7 } from '../../src/domain/uuid.ts'
import { subjectErasureStream } from '../../src/events/audit/erasure.ts'
import { decode, sealedUnder } from '../../src/events/catalogue.ts'
import { type SessionEvent, sessionStream } from '../../src/events/sessions/session.ts'
import { checkReadiness } from '../../src/queries/operations/readiness.ts'
import { identifierDigest } from '../../src/state/sessions/findUser.ts'
import { samples } from '../events/samples.ts'
import { dpopKey } from '../support/dpopKey.ts'
import { eventually } from '../support/eventually.ts'
import { type Instance, openTwoInstances } from '../support/openTwoInstances.ts'
import { type Customer, openCustomer, openVigil, sendAs } from '../support/openVigil.ts'
import { refresh } from '../support/refreshing.ts'
import { startSession as startWebSession } from '../support/startSession.ts'

type Body = Record<string, unknown>

async function newApp(customer: Customer): Promise<string> {
  return String((await customer.send('POST', '/v2/session/apps', { name: 'Shop' })).body['app_id'])
}

/** The keys that the events of a stream are sealed under, in their order. */
async function sealingKeys({ context: { events } }: Instance, stream: string) {
  const recorded = await events.readStream(stream, { from: 0, limit: 9 })
  return recorded.flatMap((one) => sealedUnder(decode(one)))
}

const ann = { type: 'email_address', value: 'ann@example.com' }

test('a creation that ended in the middle holds up others for a while, and comes to nothing later', async () => {
  const { a, b, ageB } = await openTwoInstances({ deaf: true })
  const customer = await openCustomer(a)
  const appId = await newApp(customer)
  const { clock, random } = a.context
  const command = uuidV7(clock, random)
  const eventContext = {
    account: customer.accountId,
    actor: 'tok_a',
    request: '0',
    command,
    time: clock.nowMs(),
  }
  const userId = 'usr_01h455vb4pex5vsknk084sn02q'
  const digest = identifierDigest(a.context, appId, ann)
  const create = () =>
    sendAs(b, customer.token)('POST', `/v2/session/apps/${appId}/users`, { identifiers: [ann] })

  await claimIdentifiers(a.context, { userId, appId, eventContext }, [digest])
  const early = await create()
  ageB(60_000)
  const late = await create()

  expect(early).toMatchObject({ status: 409, body: { code: 'conflict' } })
  expect(late.status).toBe(201)
  const { state } = await a.context.users.catchUp(`user-${userId}`)
  expect(state).toMatchObject({ abandoned: 1 })
  expect(state.user).toBeUndefined()
  const again = claimIdentifiers(a.context, { userId, appId, eventContext }, [digest])
  await expect(again).rejects.toMatchObject({ code: 'identifier_already_exists' })
})

test('a user whose key is lost is answered 503, never as erased, and the others as ever', async () => {
  const { a } = await openTwoInstances()
  const customer = await openCustomer(a)
  const users = `/v2/session/apps/${await newApp(customer)}/users`
  const { body } = await customer.send('POST', users, { identifiers: [ann] })
  const bob = { identifiers: [{ type: 'email_address', value: 'bob@example.com' }] }
  const other = await customer.send('POST', users, bob)
  const [key = ''] = await sealingKeys(a, `user-${body['id']}`)
  const { keys } = a.keyring
  Object.assign(a.context.keyring, {
    keys: async (ids: readonly string[]) => {
      const found = new Map(await keys(ids))
      found.delete(key)
      return found
    },
  })

  const lost = await customer.send('GET', `${users}/${body['id']}`)

  expect(key).not.toBe('')
  expect(lost).toMatchObject({ status: 503, body: { code: 'unavailable' } })
  expect((await customer.send('GET', `${users}/${other.body['id']}`)).body).toEqual(other.body)
})

test('what another instance sealed of a user at the moment of the deletion is erased by deleting again', async () => {
  const { a, b } = await openTwoInstances()
  const customer = await openCustomer(a)
  const appId = await newApp(customer)
  const users = `/v2/session/apps/${appId}/users`
  const { body } = await customer.send('POST', users, { identifiers: [ann] })
  const userId = String(body['id'])
  const sessionId = 'ses_01h455vb4pex5vsknk084sn02q'
  const device = { device_type: 'IOS', device_model: 'x', os_version: '17', country_code: 'FR' }
  const remove = () => customer.send('DELETE', `${users}/${userId}`)

  const first = await remove()
  await eventually(async () => {
    const { user } = (await b.context.users.getFolded(`user-${userId}`)).state
    return user?.deleted_at !== undefined
  })
  // as a start does that was decided before the deletion, and whose process ended right after it
  const started = await executeCommand(b.context, b.context.sessions, {
    stream: sessionStream(sessionId),
    context: {
      account: customer.accountId,
      actor: 'tok_b',
      request: '0',
      command: uuidV7(b.context.clock, b.context.random),
      time: b.context.clock.nowMs(),
    },
    decide: (): readonly SessionEvent[] => [
      {
        type: 'SessionStarted',
        data: { ...samples.SessionStarted, session_id: sessionId, user_id: userId, device },
      },
    ],
  })
  const [key = ''] = await sealingKeys(a, sessionStream(sessionId))
  const stateOfKey = async () => (await a.context.keyring.keys([key])).get(key)
  const before = await stateOfKey()
  const again = [await remove(), await remove()]

  expect(started.events).toHaveLength(1)
  expect(before).toBeInstanceOf(Uint8Array)
  expect([first, ...again].map(({ status }) => status)).toEqual([204, 204, 204])
  expect(await stateOfKey()).toBe('destroyed')
  const subject = a.context.keyring.subject(customer.accountId, 'user', userId)
  const erasures = await a.context.events.readStream(subjectErasureStream(subject), {
    from: 0,
    limit: 9,
  })
  expect(erasures).toHaveLength(2)
})

test('a refresh from another country, decided before the deletion and written after it, leaves no key behind', async () => {
  const country = 'cf-ipcountry'
  const frontEnds = { countryHeader: country }
  const { a, b } = await openTwoInstances({ door: { trustedProxies: 1, frontEnds } })
  const customer = await openCustomer(a)
  const appId = await newApp(customer)
  const session = await startWebSession(customer, appId)
  const hold = holdKeys(b)

  const refreshed = refresh({
    port: b.door.port,
    appId,
    token: session.token,
    key: dpopKey(),
    headers: { [country]: 'DE' },
  })
  await hold.begun
  const removed = await customer.send('DELETE', `/v2/session/apps/${appId}/users/${session.user}`)
  hold.end()
  const answered = await refreshed

  expect(removed.status).toBe(204)
  expect(answered).toMatchObject({ status: 401, body: { code: 'unauthorized' } })
  const sealed = await sealingKeys(a, sessionStream(session.id))
  const states = await a.keyring.keys(sealed)
  expect(new Set(sealed).size).toBe(2)
  expect(sealed.map((key) => states.get(key))).toEqual(['destroyed', 'destroyed'])
})

/** The key store is slow for the instance from now on: what asks it for keys waits. */
function holdKeys({ context: { keyring } }: Instance) {
  const { keys } = keyring
  let end = (): void => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const begun = new Promise<void>((resolve) => {
    const held = async (ids: readonly string[]) => {
      resolve()
      await ended
      return keys(ids)
    }
    Object.assign(keyring, { keys: held })
  })
  return { begun, end }
}

test('who was deleted stays so when the read models are built again, and is in no file', async () => {
  const vigil = await openVigil()
  const customer = await openCustomer(vigil)
  const users = `/v2/session/apps/${await newApp(customer)}/users`
  const device = { device_model: 'Unmistakable phone' }
  const value = 'unmistakable@example.com'
  const { body } = await customer.send('POST', users, {
    identifiers: [{ type: 'email_address', value }],
  })
  const kept = await customer.send('POST', users, { identifiers: [ann] })
  await customer.send('POST', `${users}/${body['id']}/sessions`, device)
  const session = await customer.send('POST', `${users}/${kept.body['id']}/sessions`, device)
  await customer.send('DELETE', `${users}/${body['id']}`)

  await vigil.service.close()
  const files = readdirSync(vigil.folder).map((file) => readFileSync(join(vigil.folder, file)))
  for (const file of readdirSync(vigil.folder).filter((name) => name.startsWith('views.db'))) {
    rmSync(join(vigil.folder, file))
  }
  const rebuilt = await openVigil({ folder: vigil.folder })
  const get = (path: string) => rebuilt.door.request<Body>('GET', path, { token: customer.token })

  await eventually(async () => (await checkReadiness(rebuilt.service.context)).ready)
  expect((await get(`${users}/${body['id']}`)).status).toBe(404)
  expect((await get(`${users}?type=email_address&value=${value}`)).body).toEqual({ users: [] })
  expect((await get(users)).body).toEqual({ users: [kept.body] })
  expect((await get(`${users}/${kept.body['id']}/sessions`)).body).toEqual({
    sessions: [session.body['session']],
  })
  for (const text of ['unmistakable', 'Unmistakable', 'ann@example.com']) {
    expect(files.some((bytes) => bytes.includes(text))).toBe(false)
  }
  await rebuilt.close()
})
