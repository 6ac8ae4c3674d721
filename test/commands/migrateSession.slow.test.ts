import { expect, test } from 'vitest'
import { eraseSubjects } from '../../src/commands/handling/eraseSubject.ts'
import { buildEventContext } from '../../src/commands/handling/executeCommand.ts'
import {
  openValidationSlots,
  type ValidationSlots,
} from '../../src/commands/sessions/migration/limitCustomerCalls.ts'
import {
  findOrCreateMigratedUser,
  migrateSession,
} from '../../src/commands/sessions/migration/migrateSession.ts'
import { claimIdentifiers } from '../../src/commands/sessions/users/claimIdentifiers.ts'
import { deleteUser } from '../../src/commands/sessions/users/users.ts'
import { Failure } from '../../src/domain/failure.ts'
import type { Identifier } from '../../src/domain/sessions/userIdentifiers.ts'
import { findServedApp } from '../../src/queries/sessions/servedApps.ts'
import { identifierDigest } from '../../src/state/sessions/findUser.ts'
import { type Instance, openTwoInstances } from '../support/openTwoInstances.ts'
import { openCustomer } from '../support/openVigil.ts'

const appId = 'corner1'
const requestId = '0198c0de-0000-7000-8000-000000000001'

interface Migration {
  /** As the events are about to be appended. */
  readonly onAppend?: (types: readonly string[], a: Instance, b: Instance) => Promise<void> | void
  readonly countryCode?: string | undefined
  readonly withSlot?: ValidationSlots
}

/** What a migration comes to when this happens in between. */
async function outcomeOf({ onAppend, countryCode, withSlot }: Migration) {
  const { a, b } = await openTwoInstances()
  const { send, accountId } = await openCustomer(a)
  await send('POST', '/v2/session/apps', { name: 'Shop', app_id: appId })
  const session_validation_url = 'https://api.example.com/validate'
  await send('PUT', `/v2/session/apps/${appId}/config/migration`, { session_validation_url })
  const { context } = a
  const app = await findServedApp(context, appId)
  if (!app) throw new Error('there is no application')
  const counted: string[] = []
  const append: typeof context.events.append = async (one) => {
    await onAppend?.(
      one.events.map(({ type }) => type),
      a,
      b,
    )
    return context.events.append(one)
  }
  const given = {
    ...context,
    events: { ...context.events, append },
    customers: {
      ...context.customers,
      post: async () => ({ status: 200, text: JSON.stringify(valid) }),
      ...(withSlot && { withSlot }),
    },
    metrics: {
      ...context.metrics,
      sessions: {
        ...context.metrics.sessions,
        countMigration: (result: string) => {
          counted.push(result)
        },
      },
    },
  }
  expect(app.account).toBe(accountId)
  const legacy = { app, requestId, token: 'old', countryCode }
  try {
    return { started: (await migrateSession(given, legacy)).session, counted }
  } catch (error) {
    return { code: error instanceof Failure ? error.code : error, counted }
  }
}

const valid = {
  valid: true,
  identifiers: [{ type: 'customer_user_id', value: 'ann' }],
  device: { country_code: 'FR' },
}

/** Slots of which the one there is is taken, and somebody waits for it. */
function takenSlots(): ValidationSlots {
  const withSlot = openValidationSlots(1)
  for (const account of ['first', 'second']) {
    withSlot(account, () => new Promise(() => {})).catch((error: unknown) => {
      if (!(error instanceof Failure)) throw error
    })
  }
  return withSlot
}

test('a user who is deleted before the session is started is a conflict, which passes when tried again', async () => {
  const outcome = await outcomeOf({
    onAppend: async (types, _, { context }) => {
      if (!types.includes('SessionStarted')) return
      const found = await context.events.readAll({ after: 0, limit: 1_000 })
      const stream = found.find(({ type }) => type === 'UserCreated')?.stream ?? ''
      const app = await findServedApp(context, appId)
      const account = app?.account ?? ''
      const principal = { kind: 'application', accountId: account, appId } as const
      const userId = stream.replace('user-', '')
      await deleteUser(context, { principal, requestId }, { account, appId, userId })
    },
  })

  expect(outcome).toEqual({ code: 'conflict', counted: ['conflict'] })
})

test('identifiers that others take again and again are a conflict', async () => {
  let tried = 0
  const outcome = await outcomeOf({
    onAppend: (types) => {
      if (!types.includes('IdentifierClaimed')) return
      tried += 1
      throw new Failure('identifier_already_exists', 'taken')
    },
  })

  expect(outcome).toEqual({ code: 'conflict', counted: ['conflict'] })
  expect(tried).toBe(3)
})

const number = { type: 'phone_number', value: '+33612345678' }
const named = (value: string) => ({ type: 'customer_user_id', value })

/** Two instances with an application, and whom sessions with these identifiers are of, as each of them finds it. */
async function openFinding() {
  const { a, b } = await openTwoInstances({ deaf: true })
  const { send, accountId: account } = await openCustomer(a)
  await send('POST', '/v2/session/apps', { name: 'Shop', app_id: appId })
  const call = {
    principal: { kind: 'application', accountId: account, appId },
    requestId,
  } as const
  const finding =
    ({ service }: Instance) =>
    (...identifiers: Identifier[]) =>
      findOrCreateMigratedUser(service.context, { call, app: { account, appId }, identifiers })
  const path = `/v2/session/apps/${appId}/users`
  const newUser = async (...identifiers: object[]) =>
    String((await send('POST', path, { identifiers })).body['id'])
  /** Claims the name 2 for the user and leaves it at that. */
  const claimTwo = (userId: string, isName: boolean) => {
    const intention = { account, operation: 'users.name', input: '2' }
    const eventContext = buildEventContext(a.context, call, intention)
    const claiming = { userId, appId, eventContext, ...(isName && { isName }) }
    return claimIdentifiers(a.context, claiming, [identifierDigest(a.context, appId, named('2'))])
  }
  return { a, send, path, account, call, newUser, claimTwo, findA: finding(a), findB: finding(b) }
}

test('who was erased may have had another name, and is opened to none', async () => {
  const { a, send, path, account, call, newUser, findA } = await openFinding()
  const userId = await newUser(named('10'), number)
  const subject = a.context.keyring.subject(account, 'phone', number.value)

  await expect(findA(named('11'), number)).rejects.toMatchObject({ code: 'conflict' })
  await eraseSubjects(a.context, call, { account, subjects: [subject] })

  expect((await send('GET', `${path}/${userId}`)).body['identifiers']).toEqual([])
  await expect(findA(named('11'), number)).rejects.toMatchObject({ code: 'conflict' })
  expect(await findA(named('10'), number)).toBe(userId)
})

test('a user without a name is given one of two that are said at the same moment, on whichever instance', async () => {
  const { newUser, findA, findB } = await openFinding()
  const userId = await newUser(number)
  const names = ['2', '3', '2', '3']

  const found = await Promise.allSettled(
    names.map((name, index) => (index % 3 === 0 ? findA : findB)(named(name), number)),
  )

  const given = found.map((one) => (one.status === 'fulfilled' ? one.value : one.reason.code))
  expect(new Set(given)).toEqual(new Set([userId, 'conflict']))
  expect(given.slice(0, 2)).toEqual(given.slice(2))
  // who was refused has taken nothing, and is somebody else without the number
  const refused = given[0] === 'conflict' ? '2' : '3'
  expect(await findB(named(refused))).not.toBe(userId)
})

test('a name that was claimed for a user is theirs, though whoever claimed it never came to say so', async () => {
  const { send, path, newUser, claimTwo, findB } = await openFinding()
  const userId = await newUser(number)
  const found = async () =>
    (await send('GET', `${path}?type=customer_user_id&value=2`)).body['users'] as { id: string }[]
  await claimTwo(userId, true)

  // only claimed: it leads to nobody yet
  expect(await found()).toEqual([])
  const refused = await send('POST', path, { identifiers: [named('2')] })

  expect(refused.body['code']).toBe('identifier_already_exists')
  expect((await found()).map(({ id }) => id)).toEqual([userId])
  expect(await findB(named('2'), number)).toBe(userId)
  await expect(findB(named('3'), number)).rejects.toMatchObject({ code: 'conflict' })
})

test('what a creation claimed and left is not given to a user who is there without it', async () => {
  const { send, path, newUser, claimTwo } = await openFinding()
  await claimTwo(await newUser(number), false)

  const { status, body: other } = await send('POST', path, { identifiers: [named('2')] })

  expect(status).toBe(201)
  const { body } = await send('GET', `${path}?type=customer_user_id&value=2`)
  expect(body['users']).toMatchObject([{ id: other['id'] }])
})

test('a name that is given right before its left claim is taken over stays with who was given it', async () => {
  const { a, send, path, newUser, claimTwo, findB } = await openFinding()
  const userId = await newUser(number)
  await claimTwo(userId, false)
  const { append } = a.context.events
  let given: unknown
  const late: typeof append = async (one) => {
    if (one.events.some(({ type }) => type === 'IdentifierClaimed')) {
      given ??= await findB(named('2'), number)
    }
    return append(one)
  }
  Object.assign(a.context.events, { append: late })

  const refused = await send('POST', path, { identifiers: [named('2')] })

  expect(given).toBe(userId)
  expect(refused).toMatchObject({ status: 409, body: { code: 'identifier_already_exists' } })
})

test('too many questions of all accounts are counted as that, not as a fault', async () => {
  const outcome = await outcomeOf({ withSlot: takenSlots() })

  expect(outcome).toEqual({ code: 'unavailable', counted: ['crowded'] })
})

test('a store that is away is no fault of the customer', async () => {
  const outcome = await outcomeOf({
    onAppend: () => {
      throw new Failure('unavailable', 'The log cannot be written.')
    },
  })

  expect(outcome).toEqual({ code: 'unavailable', counted: ['faulted'] })
})

test.each([
  ['DE', 'DE'],
  [undefined, 'FR'],
])(
  'where the connection comes from, %s, counts more than what the customer says',
  async (countryCode, country_code) => {
    const { started, counted } = await outcomeOf({ countryCode })

    expect(started).toMatchObject({ country_code })
    expect(counted).toEqual(['migrated'])
  },
)
