import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { encode, versions } from '../../src/events/catalogue.ts'
import { logEpoch } from '../../src/events/recording/event.ts'
import type { AccountDocument } from '../../src/projections/accounts/accounts.ts'
import { allProjections } from '../../src/projections/allProjections.ts'
import { subjectKeyIdsProjection } from '../../src/projections/audit/subjectKeyIds.ts'
import { context, sampleKeyring, samples } from '../events/samples.ts'
import { draws } from '../support/draws.ts'
import { everything, type ReadModelsRun, runReadModels } from './readModelsRun.ts'

let run: ReadModelsRun | undefined
function started(): ReadModelsRun {
  run = runReadModels()
  return run
}
afterEach(async () => {
  await run?.projections.close()
  run = undefined
})

const named = ({ disk }: ReadModelsRun, collection: string) =>
  [...disk.collections].flatMap(([name, documents]) =>
    name.startsWith(`${collection}@`)
      ? [...documents.values()].flatMap(({ id, body }) => (body ? [{ id, ...body }] : []))
      : [],
  )

const evaluated = (more: object = {}) => ({
  type: 'FlowEvaluated',
  data: {
    evaluation_id: 'evl_1',
    arrived: {},
    flow_id: 'flo_1',
    flow_version_id: 'ver_1',
    plan: 'digest',
    occurred_at: Date.UTC(2026, 7, 31, 23, 59, 59, 999),
    verdict: 'FLAG',
    recipes: [
      {
        recipe_id: 'rcp_1',
        score: 40,
        verdict: 'FLAG',
        outcomes: 'TNS',
        skipped: 'M',
        blocked_by: [[0]],
      },
      { recipe_id: 'rcp_2', score: 0, verdict: 'PASS', outcomes: 'M', blocked_by: [[0]] },
      { recipe_id: 'rcp_3', score: 0, verdict: 'PASS', outcomes: 'U' },
    ],
    ...more,
  },
})

test('the collections of a projection are of its version, and no two projections share one', () => {
  const collections = allProjections.flatMap((projection) =>
    projection.collections.map(({ name, version }) => {
      expect(version).toBe(projection.version)
      return name
    }),
  )

  expect(new Set(collections).size).toBe(collections.length)
  expect(new Set(allProjections.map(({ name }) => name)).size).toBe(allProjections.length)
})

test('every handled type is one of the catalogue', () => {
  for (const { eventTypes: handles } of allProjections) {
    expect(handles.filter((type) => !versions.has(type))).toEqual([])
  }
})

describe('the SDK keys of an account', () => {
  test('are shown as they were issued, and of those that were revoked the last hundred', async () => {
    const { tell } = started()
    const on = { account: 'acc_a', time: 5 }
    await tell({ type: 'AccountOpened', data: { account_id: 'acc_a', name: 'Ann' } }, on)

    for (let number = 0; number < 103; number += 1) {
      const key_id = `sdk_${number}`
      await tell({ type: 'SdkKeyIssued', data: { key_id, name: 'App' } }, { ...on, time: number })
      await tell({ type: 'SdkKeyRevoked', data: { key_id } }, { ...on, time: 200 + number })
    }
    await tell({ type: 'SdkKeyIssued', data: { key_id: 'sdk_new' } }, { ...on, time: 500 })

    const [account] = (run ? named(run, 'accounts') : []) as unknown as Pick<
      AccountDocument,
      'sdk_keys'
    >[]
    const keys = account?.sdk_keys ?? []
    expect(keys).toHaveLength(101)
    expect(keys[0]).toEqual({ key_id: 'sdk_3', name: 'App', issued_at: 3, revoked_at: 203 })
    expect(keys.at(-1)).toEqual({ key_id: 'sdk_new', issued_at: 500 })
  })
})

describe('the tokens of an account', () => {
  const on = { account: 'acc_a', time: 5 }
  const issued = (number: number, expires_at?: number) => ({
    type: 'ApiTokenIssued',
    data: {
      token_id: `tok_${number}`,
      hash: 'secret',
      scopes: ['eval'],
      ...(expires_at !== undefined && { expires_at }),
    },
  })
  const shown = () => {
    const [account] = (run && named(run, 'accounts')) ?? []
    const { tokens } = account as unknown as { readonly tokens: readonly { token_id: string }[] }
    return tokens.map(({ token_id }) => token_id)
  }

  test('do not grow for ever: of those that are not in force the last hundred are shown', async () => {
    const { tell } = started()
    await tell({ type: 'AccountOpened', data: { account_id: 'acc_a', name: 'Ann' } }, on)
    await tell(issued(0), on)
    await tell(issued(1, 500), on)
    for (let number = 2; number < 202; number += 1) {
      await tell(issued(number), { ...on, time: 10 * number })
      const revoked = { type: 'ApiTokenRevoked', data: { token_id: `tok_${number}` } }
      await tell(revoked, { ...on, time: 10 * number + 5 })
    }
    await tell(issued(202), { ...on, time: 5_000 })

    const numbers = Array.from({ length: 100 }, (_, at) => 102 + at)
    expect(shown()).toEqual(['tok_0', ...numbers.map((number) => `tok_${number}`), 'tok_202'])
  })

  test('stay while they are in force, however many they are and however they end', async () => {
    const { tell } = started()
    await tell({ type: 'AccountOpened', data: { account_id: 'acc_a', name: 'Ann' } }, on)
    for (let number = 0; number < 300; number += 1) {
      await tell(issued(number, number % 2 === 0 ? 1_000 : undefined), on)
    }
    expect(shown()).toHaveLength(300)

    await tell(issued(300), { ...on, time: 1_000 })

    // 150 that do not end, the last 100 of the 150 that have, and the new one
    expect(shown()).toHaveLength(251)
  })
})

describe('subject keys', () => {
  test('are every key that anything of the subject but evaluations was sealed under', async () => {
    const { tell } = started()
    const under = (...subjects: [string, string][]) => ({
      subjects: subjects.map(([digest, key]) => ({ digest, key })),
    })

    const dispatched = { type: 'SignalsDispatched', data: { dispatch: 's1' } }
    await tell(evaluated(), under(['s1', 'k0'], ['s2', 'k0']))
    await tell(dispatched, under(['s1', 'k1'], ['s2', 'k2']))
    await tell(dispatched, under(['s1', 'k1'], ['s1', 'k1']))
    await tell(dispatched, under(['s1', 'k3']))

    expect(run && named(run, 'subject_keys').map(({ id }) => id)).toEqual([
      's1/k1',
      's2/k2',
      's1/k3',
    ])
  })

  test('none of any event type with personal data is missed', async () => {
    const keyring = await sampleKeyring()
    const sealed = Object.entries(samples).flatMap(([type, data]) => {
      const encoded = encode({ event: { type, data }, context, index: 0 }, keyring)
      const { subjects } = JSON.parse(encoded.metadata)
      // an evaluation's document has the digests of its own subjects
      return subjects && type !== 'FlowEvaluated' ? [{ type, subjects }] : []
    })

    for (const { type, subjects } of sealed) {
      const decoded = {
        event: { type, data: {} },
        metadata: { ...context, epoch: logEpoch, version: 1, subjects },
        stream: 's',
        revision: 0,
        position: 1,
      }
      expect(subjectKeyIdsProjection.eventTypes).toContain(type)
      expect(subjectKeyIdsProjection.targets(decoded).map(({ id }) => id)).toEqual(
        subjects.map(({ digest, key }: { digest: string; key: string }) => `${digest}/${key}`),
      )
    }
    expect(sealed.length).toBeGreaterThan(1)
  })
})

describe('a rebuild', () => {
  const id = (kind: string) => fc.constantFrom(`${kind}_1`, `${kind}_2`)
  const event = fc.oneof(
    fc.record({
      type: fc.constant('RulePublished'),
      data: fc.record({
        rule_id: id('rul'),
        version_id: id('ver'),
        name: fc.string(),
        text: fc.string(),
      }),
    }),
    fc.record({ type: fc.constant('RuleRetired'), data: fc.record({ rule_id: id('rul') }) }),
    fc.record({
      type: fc.constant('FlowPublished'),
      data: fc.record({
        flow_id: id('flo'),
        version_id: id('ver'),
        name: fc.string(),
        recipes: fc.constant([]),
      }),
    }),
    fc.record({ type: fc.constant('FlowRetired'), data: fc.record({ flow_id: id('flo') }) }),
    fc
      .record({
        evaluation_id: fc.uuid(),
        plan: id('plan'),
        occurred_at: fc.integer({ min: 0, max: 3e8 }),
      })
      .map(evaluated),
  )
  const subjects = fc.array(fc.record({ digest: id('sub'), key: id('key') }), { maxLength: 2 })

  test('makes the very documents that live running made', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(event, subjects), { minLength: 1, maxLength: 25 }),
        fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 3 }),
        async (events, batchSizes) => {
          const live = runReadModels()
          live.log.batchSizes = batchSizes
          for (const [{ type, data }, under] of events) {
            live.log.add('s', type, data, { account: 'acc_a', subjects: under })
          }
          await live.caughtUp()
          await live.projections.close()

          live.log.batchSizes = [1_000]
          const rebuilt = runReadModels(live.log)
          await rebuilt.caughtUp()
          await rebuilt.projections.close()

          expect(everything(rebuilt.disk)).toEqual(everything(live.disk))
        },
      ),
      { numRuns: draws(60) },
    )
  })
})
