/** Replays of all evaluations of an account, as a job of the API. */

import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import type { ServiceContext } from '../../src/app/serviceContext.ts'
import { startReplay } from '../../src/commands/audit/replays.ts'
import { Failure } from '../../src/domain/failure.ts'
import type { AccountPrincipal } from '../../src/domain/principal.ts'
import { evaluationCollection } from '../../src/projections/evaluation/evaluations.ts'
import type { ReplaySliceResult } from '../../src/state/audit/replayStreamType.ts'
import { dataFolderAt } from '../../src/stores/embedded/dataFolder.ts'
import { openLogReader } from '../../src/stores/embedded/logReader.ts'
import { computeEventChecksum } from '../../src/stores/embedded/logWriter.ts'
import { openDatabase } from '../../src/stores/embedded/sqlite.ts'
import { crashedCopy } from '../support/crashedCopy.ts'
import { openTwoInstances } from '../support/openTwoInstances.ts'
import { type Customer, openCustomer, openVigil, sendAs, type Vigil } from '../support/openVigil.ts'
import { projectedHead } from '../support/projectedHead.ts'

const path = '/v2/watch/audit/replays'

interface Shop {
  readonly vigil: Vigil
  readonly shop: Customer
  readonly flow: string
}

/** A service with an account, and as many evaluations of one person each. */
async function openShop(people: number): Promise<Shop & { readonly ids: readonly string[] }> {
  const vigil = await openVigil()
  onTestFinished(() => vigil.close())
  const shop = await openCustomer(vigil)
  const flow = await shop.flowOf('signal.existing_user', 'signal.ext.cart == "7"')
  const ids: string[] = []
  for (let person = 0; person < people; person += 1) {
    const target = { phone_number: `+3361234567${person}` }
    const { body } = await shop.evaluate(flow, { target, signals: { existing_user: true } })
    ids.push(String(body['id']))
  }
  await projectedHead(vigil)
  return { vigil, shop, flow, ids }
}

/** Starts a replay, waits until it has ended, and answers how. */
async function replayed({ vigil, shop }: Pick<Shop, 'vigil' | 'shop'>, body: object = {}) {
  const started = await shop.send('POST', path, body)
  expect(started.status, started.text).toBe(202)
  await vigil.service.context.background.settled()
  return (await shop.send('GET', `${path}/${started.body['id']}`)).body
}

/** Opens what a kill would have left, with the score of an evaluation changed in its record. */
async function withChangedScore(vigil: Vigil, evaluation: string): Promise<Vigil> {
  const folder = crashedCopy(vigil.folder)
  const reader = openLogReader(dataFolderAt(folder).log)
  const [recorded] = reader.readStream(`evaluation-${evaluation}`, { from: 0, limit: 1 })
  reader.close()
  if (!recorded) throw new Error('no such evaluation')
  const data = recorded.data.replace('"score":60', '"score":59')
  const log = openDatabase({ file: dataFolderAt(folder).log, synchronous: 'NORMAL' })
  log
    .prepare('UPDATE events SET data = ?, checksum = ? WHERE position = ?')
    .run(data, computeEventChecksum({ ...recorded, data }), recorded.position)
  log.close()
  const changed = await openVigil({ folder })
  onTestFinished(async () => {
    await changed.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return changed
}

// a record of the folder's log is changed for it
test.skipIf(process.env['TEST_LOG'])(
  'every evaluation is compared: those that differ are named with what differs, those of an erased person counted apart',
  async () => {
    const { vigil, shop, ids } = await openShop(4)
    await shop.send('POST', '/v2/watch/subjects/erase', { phone_number: '+33612345670' })
    const changed = await withChangedScore(vigil, String(ids[2]))
    const send: Customer['send'] = (method, asked, body) =>
      changed.door.request(method, asked, {
        token: shop.token,
        ...(body !== undefined && { body }),
      })

    const report = await replayed({ vigil: changed, shop: { ...shop, send } })

    expect(report).toMatchObject({ state: 'DONE', match: 2, mismatch: 1, evidence_erased: 1 })
    expect(report['position']).toBe(report['end'])
    expect(report['mismatches']).toEqual([
      {
        evaluation_id: ids[2],
        position: expect.stringMatching(/^\d+$/),
        reason: expect.stringContaining('answer.recipes.0.score: recorded 59, recomputed 60'),
      },
    ])
  },
)

test('it can be of one flow, of some time, and behind a position', async () => {
  const { vigil, shop, ids } = await openShop(3)
  const other = await shop.flowOf('signal.existing_user')
  vigil.setTime(Date.UTC(2030, 0, 1))
  await shop.evaluate(other)
  await projectedHead(vigil)
  const counted = async (body: object) => (await replayed({ vigil, shop }, body))['match']
  const { body: first } = await shop.send('GET', `/v2/watch/evaluations/${ids[0]}`)

  expect(await counted({})).toBe(4)
  expect(await counted({ flow_id: other })).toBe(1)
  expect(await counted({ from: '2029-12-31T00:00:00Z' })).toBe(1)
  expect(await counted({ to: '2029-12-31T00:00:00Z' })).toBe(3)
  expect(await counted({ after: first['position'] })).toBe(3)
})

test('evaluations that only the log or only the read models have are counted, and named with which', async () => {
  const { vigil, shop, ids } = await openShop(3)
  await projectedHead(vigil)
  const stopped = vigil.folder
  await vigil.stop()
  const views = openDatabase({ file: dataFolderAt(stopped).views, synchronous: 'NORMAL' })
  const { name, version } = evaluationCollection
  const invented = `evl_${'0'.repeat(26)}`
  const rename = views.prepare(`UPDATE c_${name}_${version} SET id = ? WHERE id = ?`)
  rename.run(invented, String(ids[1]))
  views.close()
  const again = await openVigil({ folder: stopped })
  onTestFinished(() => again.close())

  const report = await replayed({
    vigil: again,
    shop: { ...shop, send: sendAs(again, shop.token) },
  })

  expect(report).toMatchObject({ state: 'DONE', match: 2, mismatch: 2 })
  const named = report['mismatches'] as { evaluation_id: string; reason: string }[]
  expect(new Map(named.map((one) => [one.evaluation_id, one.reason]))).toEqual(
    new Map([
      [ids[1], 'the read models do not have it: build them again'],
      [invented, 'it is not in the log'],
    ]),
  )
})

test('it begins at a position that its caller has made up, behind no event of the account', async () => {
  const { vigil, shop, ids } = await openShop(3)
  await projectedHead(vigil)
  const { body } = await shop.send('GET', `/v2/watch/evaluations/${ids[1]}`)

  const report = await replayed({ vigil, shop }, { after: `${Number(body['position']) - 1}` })

  expect(report).toMatchObject({ state: 'DONE', match: 2, mismatch: 0 })
})

/** Replays whose slices last until the test says what they gave. */
function heldSlices(context: ServiceContext) {
  let end: (slice: ReplaySliceResult) => void = () => undefined
  const slice = new Promise<ReplaySliceResult>((resolve) => {
    end = resolve
  })
  return { end, context: { ...context, replaySlice: () => slice } }
}

function callOf({ accountId, tokenId }: Customer) {
  const principal: AccountPrincipal = { kind: 'account', accountId, tokenId, scopes: ['audit'] }
  return { principal, requestId: randomUUID() }
}

test('one replay runs at a time; any instance shows and cancels it, and it stops', async () => {
  const { a, b } = await openTwoInstances()
  const shop = await openCustomer(a)
  const at = (instance: typeof a, method: string, asked: string) =>
    instance.door.request<Record<string, unknown>>(method, asked, { token: shop.token })
  const held = heldSlices(a.context)
  const { value: running } = await startReplay(held.context, callOf(shop), {})

  const second = await at(b, 'POST', path)
  const shown = await at(b, 'GET', `${path}/${running.id}`)
  const cancelled = await at(b, 'POST', `${path}/${running.id}/cancel`)
  held.end({ match: 7, mismatch: 0, evidence_erased: 0, mismatches: [], position: 1_000_000 })
  await a.context.background.settled()

  expect(second.status).toBe(409)
  expect(second.body['message']).toContain(running.id)
  expect(shown.body).toMatchObject({ id: running.id, state: 'RUNNING' })
  expect(cancelled.body).toMatchObject({ state: 'CANCELLED' })
  expect((await at(a, 'GET', path)).body).toEqual({ replays: [cancelled.body] })
})

test('one of which nothing is heard for a minute has ended, and another may begin', async () => {
  const { vigil, shop } = await openShop(1)
  const { end, context } = heldSlices(vigil.service.context)
  const { value: lost } = await startReplay(context, callOf(shop), {})
  vigil.setTime(Date.now() + 61_000)

  const shown = await shop.send('GET', `${path}/${lost.id}`)
  const next = await shop.send('POST', path)
  end({ match: 1, mismatch: 0, evidence_erased: 0, mismatches: [], position: 1_000_000 })
  await vigil.service.context.background.settled()

  expect(shown.body['state']).toBe('INTERRUPTED')
  expect(next.status).toBe(202)
  const { replays } = (await shop.send('GET', path)).body as { replays: unknown }
  expect(replays).toMatchObject([
    { state: 'DONE', match: 1 },
    { state: 'INTERRUPTED', match: 0 },
  ])
})

test('one that was cancelled replays nothing more', async () => {
  const { vigil, shop } = await openShop(1)
  const { context } = vigil.service
  const slices: number[] = []
  const cancelled = {
    ...context,
    replaySlice: async ({ after }: { readonly after: number }) => {
      slices.push(after)
      const { replays } = (await shop.send('GET', path)).body as { replays: { id: string }[] }
      await shop.send('POST', `${path}/${replays[0]?.id}/cancel`)
      const none = { match: 1, mismatch: 0, evidence_erased: 0, mismatches: [] }
      return { ...none, position: after + 1 }
    },
  }

  const { value: started } = await startReplay(cancelled, callOf(shop), {})
  await context.background.settled()

  const { body } = await shop.send('GET', `${path}/${started.id}`)
  expect(body).toMatchObject({ state: 'CANCELLED', match: 0 })
  expect(slices).toEqual([0])
})

test('the end of the process interrupts it, and it says where to go on', async () => {
  const { vigil, shop } = await openShop(2)
  const { context } = vigil.service
  let slices = 0
  const untilClosed = {
    ...context,
    replaySlice: async (asked: { readonly end: number }, signal: AbortSignal) => {
      slices += 1
      const none = { match: 1, mismatch: 0, evidence_erased: 0, mismatches: [] }
      if (slices === 1) return { ...none, position: asked.end - 1 }
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      throw new Error('given up')
    },
  }
  const { value: started } = await startReplay(untilClosed, callOf(shop), {})

  const again = await vigil.restart()
  onTestFinished(() => again.close())
  const asked = { token: shop.token }
  const shown = await again.door.request<object>('GET', `${path}/${started.id}`, asked)

  const position = String(Number(started.end) - 1)
  expect(shown.body).toMatchObject({ state: 'INTERRUPTED', match: 1, position })
})

test('one that cannot read on has failed, says why, and says where to go on', async () => {
  const { vigil, shop } = await openShop(1)
  const unreadable = new Failure('unavailable', 'The event log is damaged.')
  const context = {
    ...vigil.service.context,
    replaySlice: () => Promise.reject(unreadable),
  }
  const { value: started } = await startReplay(context, callOf(shop), {})
  await context.background.settled()

  const { body } = await shop.send('GET', `${path}/${started.id}`)

  const { message: reason } = unreadable
  expect(body).toMatchObject({ state: 'FAILED', reason, position: started.after })
})

/** Slices that say what they gave, each after so many milliseconds. */
function timedSlices(vigil: Vigil, eachMs: number, given: readonly ReplaySliceResult[]) {
  const slices = [...given]
  let nowMs = Date.UTC(2030, 0, 1)
  vigil.setTime(nowMs)
  const replaySlice = async (): Promise<ReplaySliceResult> => {
    nowMs += eachMs
    vigil.setTime(nowMs)
    return slices.shift() ?? expect.fail('it had ended')
  }
  return { ...vigil.service.context, replaySlice }
}

test('it reports every five seconds, and is in the history with who started it and what it found', async () => {
  const { vigil, shop } = await openShop(1)
  const none = { mismatch: 0, evidence_erased: 0, mismatches: [] }
  const slices = Array.from({ length: 12 }, (_, index) => ({
    ...{ ...none, match: 1, position: index < 11 ? index + 1 : 1_000_000 },
  }))
  const context = timedSlices(vigil, 1_000, slices)

  const { value: started } = await startReplay(context, callOf(shop), {})
  await context.background.settled()
  await projectedHead(vigil)

  const { body } = await shop.send('GET', '/v2/watch/audit/events?stream_type=replays')
  const events = body['events'] as { type: string; actor: string; content: object }[]
  expect(events.map(({ type, content }) => [type, Reflect.get(content, 'match')])).toEqual([
    ['ReplayStarted', undefined],
    ['ReplayAdvanced', 5],
    ['ReplayAdvanced', 10],
    ['ReplayAdvanced', 12],
    ['ReplayEnded', undefined],
  ])
  for (const { actor, content } of events) {
    expect(actor).toBe(shop.tokenId)
    expect(content).toMatchObject({ replay_id: started.id })
  }
})

test('the first hundred that differ are named, and all are counted', async () => {
  const { vigil, shop } = await openShop(1)
  const mismatches = Array.from({ length: 60 }, (_, index) => ({
    ...{ evaluation_id: `evl_${index}`, position: index + 1, reason: 'it differs' },
  }))
  const slice = { match: 0, mismatch: 60, evidence_erased: 0, mismatches }
  const later = mismatches.map((one) => ({ ...one, position: one.position + 60 }))
  const context = timedSlices(vigil, 6_000, [
    { ...slice, position: 1 },
    { ...slice, mismatches: later, position: 1_000_000 },
  ])

  const { value: started } = await startReplay(context, callOf(shop), {})
  await context.background.settled()

  const { body } = await shop.send('GET', `${path}/${started.id}`)
  expect(body['mismatch']).toBe(120)
  const named = body['mismatches'] as { position: string }[]
  expect(named.map(({ position }) => Number(position))).toEqual(
    Array.from({ length: 100 }, (_, index) => index + 1),
  )
})
