/**
 * Whole services on the MongoDB in MONGODB_URL and a fake EventStoreDB, each a process of its own. `npm run build`
 * comes first.
 */

import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { connectMongoDb } from '../../src/stores/mongodb/mongoConnection.ts'
import { keyCollection } from '../../src/stores/mongodb/mongoKeyStore.ts'
import { temporaryFolder } from '../stores/support/temporaryFolder.ts'
import { startFakeEventStoreDb } from '../support/eventStoreDb/fakeServer.ts'
import { eventually } from '../support/eventually.ts'
import { operatorToken } from '../support/openVigil.ts'
import { evaluate, openRunningShop, send } from '../support/runningShop.ts'
import { runVigil, type StartedVigil, startVigil } from '../support/startedVigil.ts'
import type { TcpProxy } from '../support/tcpProxy.ts'
import { mongoUrl, newDatabase } from './newDatabase.ts'
import { proxyTo } from './proxyTo.ts'

interface Environment extends Readonly<Record<string, string>> {
  readonly MONGODB_URL: string
}

const masterKey = () => randomBytes(32).toString('hex')

async function onServers(): Promise<Environment> {
  const fake = await startFakeEventStoreDb()
  onTestFinished(fake.stop)
  return {
    EVENTSTORE_URL: fake.url,
    MONGODB_URL: newDatabase().url,
    VIGIL_MASTER_KEY: masterKey(),
    VIGIL_OPERATOR_TOKEN: operatorToken,
    VIGIL_DEMO: 'false',
  }
}

async function start(environment: Environment, folder = temporaryFolder()): Promise<StartedVigil> {
  const vigil = await startVigil(folder, environment)
  onTestFinished(async () => {
    if (vigil.process.exitCode === null && vigil.process.signalCode === null) {
      await vigil.stop('SIGKILL')
    }
  })
  return vigil
}

/** The same environment, with a stretch of network before MongoDB. */
async function behindProxy(environment: Environment): Promise<[TcpProxy, Environment]> {
  const [proxy, url] = await proxyTo(environment.MONGODB_URL)
  return [proxy, { ...environment, MONGODB_URL: url }]
}

interface Ready {
  readonly ready: boolean
  readonly stores: Readonly<Record<string, string>>
  readonly projected_by: string
}

async function readiness({ url }: StartedVigil): Promise<Ready> {
  return (await (await fetch(`${url}/health/ready`)).json()) as Ready
}

/** A server is asked at every look: not as often as it can be. */
const lookEveryMs = 250

async function untilReady(vigil: StartedVigil): Promise<void> {
  await until(vigil, ({ ready }) => ready)
}

async function until(vigil: StartedVigil, holds: (readiness: Ready) => boolean): Promise<void> {
  let last: Ready | undefined
  const look = async () => {
    last = await readiness(vigil)
    await sleep(lookEveryMs)
    return holds(last)
  }
  await eventually(look).catch((error: unknown) => {
    throw new Error(`${JSON.stringify(last)}\n${vigil.printed()}`, { cause: error })
  })
}

async function listed(vigil: StartedVigil, token: string): Promise<number> {
  const { status, text } = await send(vigil, ['GET', '/v2/watch/evaluations?limit=200'], { token })
  if (status !== 200) return Number.NaN
  return (JSON.parse(text) as { readonly evaluations: readonly unknown[] }).evaluations.length
}

describe.skipIf(mongoUrl === '')('MONGODB_URL', () => {
  test('given two Vigils that share everything, when the one that projects is killed, then the other goes on with all that both have done', async () => {
    const environment = await onServers()
    const a = await start(environment)
    await untilReady(a)
    const b = await start(environment)
    await untilReady(b)
    const shop = await openRunningShop(a)
    const first = await evaluate(b, shop, 1)
    await evaluate(a, shop, 2)
    expect(await readiness(a)).toMatchObject({ projected_by: 'this_instance' })
    expect(await readiness(b)).toMatchObject({ projected_by: 'another_instance' })
    await eventually(async () => (await listed(b, shop.token)) === 2)

    await a.stop('SIGKILL')
    await evaluate(b, shop, 3)

    await until(b, ({ projected_by }) => projected_by === 'this_instance')
    await eventually(async () => (await listed(b, shop.token)) === 3)
    const replay = await send(b, ['POST', `${first.path}/replay`], { token: shop.token })
    expect(JSON.parse(replay.text)).toMatchObject({ result: 'MATCH' })
    expect(await b.stop('SIGTERM')).toBe(0)
  })

  test('given the password of a user, when it is changed on another instance, then both know the new one alone, and the key of the old one has no secret any more', async () => {
    const environment = await onServers()
    const [a, b] = [await start(environment), await start(environment)]
    for (const vigil of [a, b]) await untilReady(vigil)
    const ask = async (vigil: StartedVigil, asked: readonly [string, string], body?: object) => {
      const { text } = await send(vigil, asked, { token: operatorToken, body })
      return Object(text === '' ? undefined : JSON.parse(text))
    }
    const { account_id } = await ask(a, ['POST', '/v2/operator/accounts'], { name: 'Shop' })
    const apps = `/v2/operator/accounts/${account_id}/apps`
    const { app_id } = await ask(a, ['POST', apps], { name: 'Shop' })
    const identifiers = [{ type: 'customer_user_id', value: '4711' }]
    const { id } = await ask(a, ['POST', `${apps}/${app_id}/users`], { identifiers })
    const password = `${apps}/${app_id}/users/${id}/password`
    const { database, close } = connectMongoDb({ url: environment.MONGODB_URL })
    onTestFinished(close)
    const destroyed = async () =>
      (await database.collection(keyCollection).find().toArray()).filter(
        ({ destroyed_at, wrapped }) => destroyed_at !== undefined && wrapped === undefined,
      ).length

    await ask(a, ['PUT', password], { password: 'the first one' })
    const before = await destroyed()
    await ask(b, ['PUT', password], { password: 'the second one' })

    expect(await destroyed()).toBe(before + 1)
    for (const vigil of [a, b]) {
      const valid = (text: string) => ask(vigil, ['POST', `${password}/check`], { password: text })
      expect(await valid('the first one')).toEqual({ valid: false })
      expect(await valid('the second one')).toEqual({ valid: true })
    }
    await ask(a, ['DELETE', `${apps}/${app_id}/users/${id}`])
    expect(await destroyed()).toBeGreaterThanOrEqual(before + 2)
    expect(await ask(b, ['POST', `${password}/check`], { password: 'the second one' })).toEqual({
      valid: false,
    })
  }, 300_000)

  test('given keys in MongoDB, when a Vigil with another master key or none is started, then it is refused with a sentence', async () => {
    const { VIGIL_MASTER_KEY: _, ...environment } = await onServers()
    const first = await start({ ...environment, VIGIL_MASTER_KEY: masterKey() })
    await openRunningShop(first)

    const other = await runVigil(temporaryFolder(), {
      ...environment,
      VIGIL_MASTER_KEY: masterKey(),
    })
    const without = await runVigil(temporaryFolder(), environment)

    expect(other).toMatchObject({ code: 1, printed: expect.stringContaining('another master key') })
    expect(without).toMatchObject({
      code: 1,
      printed: expect.stringContaining('VIGIL_MASTER_KEY is not set'),
    })
  })

  test('given MongoDB does not answer any more, when it is asked for verdicts and lists, then verdicts go on, lists are refused in time, health says why, and all goes on by itself', async () => {
    const [proxy, environment] = await behindProxy(await onServers())
    const vigil = await start(environment)
    await untilReady(vigil)
    const shop = await openRunningShop(vigil)
    await evaluate(vigil, shop, 1)

    for (const fail of [proxy.freeze, proxy.cut, proxy.stop]) {
      fail()
      const { body } = await evaluate(vigil, shop, 2)
      expect(body).toContain('verdict')
      const list = await send(vigil, ['GET', '/v2/watch/evaluations?limit=200'], {
        token: shop.token,
      })
      expect(list.status).toBe(503)
      await until(
        vigil,
        ({ ready, stores: { documents, keys } }) =>
          !ready && documents === 'failing' && keys === 'failing',
      )
      proxy.thaw()
      await untilReady(vigil)
    }

    await eventually(async () => (await listed(vigil, shop.token)) === 4)
    expect(await vigil.stop('SIGTERM')).toBe(0)
  })

  test('given MongoDB is not there yet, when a Vigil is started, then it waits and says so, and starts once it is', async () => {
    const [proxy, environment] = await behindProxy(await onServers())
    proxy.cut()

    const starting = start(environment)
    // more than one try to reach it
    await eventually(() => proxy.refused() > 20)
    proxy.thaw()
    const vigil = await starting

    expect(vigil.printed()).toContain('Waiting for MongoDB.')
    await untilReady(vigil)
  })

  test('given an instance that was stopped past its lease, when it wakes, then it does not run the projections any more', async () => {
    const environment = await onServers()
    const a = await start(environment)
    await untilReady(a)
    const b = await start(environment)
    await untilReady(b)
    const shop = await openRunningShop(b)

    a.process.kill('SIGSTOP')
    await until(b, ({ projected_by }) => projected_by === 'this_instance')
    await evaluate(b, shop, 1)
    a.process.kill('SIGCONT')

    await until(a, ({ projected_by }) => projected_by === 'another_instance')
    await eventually(async () => (await listed(a, shop.token)) === 1)
    expect(await listed(a, shop.token)).toBe(1)
  })

  test.each([
    ['all of them', 'read_models'],
    ['one of them', 'evaluations_v8'],
  ])(
    'given two Vigils, when a collection is dropped to build %s again, running or stopped, then both notice, and nothing that was there before is left',
    async (_, dropped) => {
      const environment = await onServers()
      const [a, b] = [await start(environment), await start({ ...environment, VIGIL_ROLE: 'api' })]
      for (const vigil of [a, b]) await untilReady(vigil)
      const shop = await openRunningShop(a)
      await evaluate(a, shop, 1)
      await eventually(async () => (await listed(b, shop.token)) === 1)
      const { database, close } = connectMongoDb({ url: environment.MONGODB_URL })
      onTestFinished(close)
      const stray = { _id: 'evl_stray' as never, _position: 1, account: 'acc_stray' }
      await database.collection('evaluations_v8').insertOne(stray)
      const namesOf = async () =>
        (await database.listCollections().toArray())
          .map(({ name }) => name)
          .filter((name) => name.startsWith('evaluations_v8'))

      await database.collection(dropped).drop()

      await eventually(async () => (await namesOf()).join() === 'evaluations_v8_r2')
      for (const vigil of [a, b]) await untilReady(vigil)
      await evaluate(b, shop, 2)
      await eventually(async () => (await listed(b, shop.token)) === 2)
      await a.stop('SIGTERM')
      await database.collection(dropped === 'read_models' ? dropped : 'evaluations_v8_r2').drop()
      await until(b, ({ ready }) => !ready)
      const again = await start(environment)
      for (const vigil of [again, b]) await untilReady(vigil)

      expect(await listed(b, shop.token)).toBe(2)
      expect(await namesOf()).toEqual(['evaluations_v8_r3'])
      const found = database.collection('evaluations_v8_r3').find({ _id: 'evl_stray' as never })
      expect(await found.toArray()).toEqual([])
    },
    300_000,
  )

  test('given one that answers and one that projects, when the projector dies, then verdicts go on, nobody is said to project, and another projector brings all up to date', async () => {
    const environment = await onServers()
    const projector = await start({ ...environment, VIGIL_ROLE: 'projector' })
    await untilReady(projector)
    const api = await start({ ...environment, VIGIL_ROLE: 'api' })
    await untilReady(api)
    const shop = await openRunningShop(api)
    await evaluate(api, shop, 1)
    await eventually(async () => (await listed(api, shop.token)) === 1)
    const refused = await send(projector, ['GET', '/v2/watch/evaluations'], { token: shop.token })
    expect(refused.status).toBe(421)

    await projector.stop('SIGKILL')
    await evaluate(api, shop, 2)
    await eventually(async () => (await readiness(api)).projected_by === 'nobody')
    expect(await readiness(api)).toMatchObject({ ready: true })
    await eventually(() => api.printed().includes('No instance runs the projections'))

    await start({ ...environment, VIGIL_ROLE: 'projector' })
    await eventually(async () => (await listed(api, shop.token)) === 2)
    expect(await readiness(api)).toMatchObject({ ready: true, projected_by: 'another_instance' })
    const path = '/v2/operator/projections/evaluations/retry'
    expect((await send(api, ['POST', path], { token: operatorToken })).status).toBe(200)
  })
})
