import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findEventLocations } from '../../src/queries/audit/eventLocations.ts'
import { listRecordedEvaluations } from '../../src/queries/evaluation/evaluationsByPosition.ts'
import { authoredRules } from '../../src/queries/rulebook/resources.ts'
import { findSubjectData } from '../../src/state/audit/sealingKeys.ts'
import { type ReadModelsRun, runReadModels } from '../projections/readModelsRun.ts'

/** Positions of two events in a row are so far apart. */
const step = 3

let run: ReadModelsRun
beforeEach(() => {
  run = runReadModels()
})
afterEach(() => run.projections.close())

const rule = (rule_id: string) => ({
  type: 'RulePublished',
  data: { rule_id, version_id: 'ver_1', name: 'One', text: '1 > 0', expression: {} },
})

describe('the resources of authors', () => {
  test('a list goes on where it was when what it stopped at is gone', async () => {
    for (const number of [1, 2, 3]) await run.tell(rule(`rul_${number}`))
    const asked = { account: 'acc_a', limit: 2 }
    const { nextCursor } = await authoredRules.list(run.readers, asked)
    await run.tell({ type: 'RuleRetired', data: { rule_id: 'rul_2' } })

    const next = await authoredRules.list(run.readers, {
      ...asked,
      ...(nextCursor && { cursor: nextCursor }),
    })

    expect(next.items.map(({ id }) => id)).toEqual(['rul_3'])
  })
})

describe('evaluations', () => {
  const evaluated = (evaluation_id: string, more: object = {}) => ({
    type: 'FlowEvaluated',
    data: {
      evaluation_id,
      flow_id: 'flo_1',
      plan: 'digest',
      verdict: 'PASS',
      recipes: [],
      ...more,
    },
  })

  test('before a position say where that ends, also when there is nothing', async () => {
    await run.tell(evaluated('evl_1'))
    const asked = { account: 'acc_a', limit: 10 }

    const found = await listRecordedEvaluations(run.readers, { ...asked, before: step + 1 })
    const none = await listRecordedEvaluations(run.readers, { ...asked, before: step })

    expect(found).toMatchObject({ items: [{ id: 'evl_1' }], nextAfter: step })
    expect(none).toEqual({ items: [], nextAfter: step - 1 })
  })

  test('of a verdict are found by a bounded look that says where to go on', async () => {
    for (let at = 1; at <= 1_100; at += 1) {
      await run.tell(evaluated(`evl_${at}`, { verdict: at === 1_050 ? 'FLAG' : 'PASS' }))
    }
    const asked = { account: 'acc_a', verdict: 'FLAG', limit: 5 } as const

    const first = await listRecordedEvaluations(run.readers, { ...asked, after: 0 })
    const second = await listRecordedEvaluations(run.readers, { ...asked, after: first.nextAfter })

    expect(first).toEqual({ items: [], nextAfter: 1_000 * step })
    expect(second.items.map(({ id }) => id)).toEqual(['evl_1050'])
    expect(second.nextAfter).toBe(1_100 * step)
  })
})

test('the keys of a subject are all found, and none of another whose digest begins alike', async () => {
  const dispatched = { type: 'SignalsDispatched', data: {} }
  const keys = Array.from({ length: 1_500 }, (_, index) => `key${String(index).padStart(4, '0')}`)
  await run.tell(dispatched, { subjects: keys.map((key) => ({ digest: 'abc', key })) })
  await run.tell(dispatched, { subjects: [{ digest: 'abcd', key: 'other' }] })

  const readers = { ...run.readers, events: run.log }
  expect((await findSubjectData(readers, 'abc')).keys).toEqual(keys)
  expect((await findSubjectData(readers, 'nobody')).keys).toEqual([])
})

test('the history of a person goes on behind more evaluations of the same minute than are read at once', async () => {
  const subjects = [{ digest: 'abc', key: 'key' }]
  for (let at = 1; at <= 1_300; at += 1) {
    const evaluation_id = `evl_${String(at).padStart(4, '0')}`
    const recorded = { evaluation_id, flow_id: 'flo_1', plan: 'digest', verdict: 'PASS' }
    const data = { ...recorded, recipes: [], phone_number: { sealed: { key: 'key' } } }
    run.log.add(`evaluation-${evaluation_id}`, 'FlowEvaluated', data, {
      account: 'acc_a',
      time: 10,
      subjects,
    })
  }
  await run.caughtUp()
  const subject = { kind: 'phone', digest: 'abc' } as const

  const behind = await findEventLocations(run.readers, {
    ...{ account: 'acc_a', subject, after: 1_250 * step },
  })

  expect(behind.locations.map(({ stream }) => stream)).toEqual(
    Array.from({ length: 50 }, (_, index) => `evaluation-evl_${1_251 + index}`),
  )
})

test('the history of a person by one actor says where it goes on behind many events of others', async () => {
  const subjects = [{ digest: 'abc', key: 'key' }]
  for (let at = 1; at <= 600; at += 1) {
    const metadata = { account: 'acc_a', actor: at === 50 ? 'tok_a' : 'tok_b', subjects }
    run.log.add(`dispatch-${at}`, 'SignalsDispatched', {}, metadata)
  }
  await run.caughtUp()
  const subject = { kind: 'phone', digest: 'abc' } as const
  const asked = { account: 'acc_a', subject, actor: 'tok_a' }

  const first = await findEventLocations(run.readers, asked)
  const second = await findEventLocations(run.readers, { ...asked, before: 101 * step })

  expect(first).toMatchObject({ locations: [], lookedTo: 101 * step })
  expect(second.locations.map(({ stream }) => stream)).toEqual(['dispatch-50'])
})
