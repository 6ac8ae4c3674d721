import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findAccount, listAccounts } from '../../src/queries/accounts.ts'
import { cursorAfter, readCursor } from '../../src/queries/cursor.ts'
import { listEvaluations } from '../../src/queries/evaluations.ts'
import { findRuleUsage } from '../../src/queries/ruleUsage.ts'
import { shelves } from '../../src/queries/shelves.ts'
import { listSubjectKeys } from '../../src/queries/subjectKeys.ts'
import { type ReadModelsRun, runReadModels } from '../projections/readModelsRun.ts'

let run: ReadModelsRun
beforeEach(() => {
  run = runReadModels()
})
afterEach(() => run.projections.close())

const rule = (rule_id: string, name = 'One') => ({
  type: 'RulePublished',
  data: { rule_id, version_id: 'ver_1', name, text: '1 > 0', expression: {} },
})

async function itemsOf<Item>(
  list: (cursor?: string) => Promise<{ items: readonly Item[]; nextCursor?: string }>,
): Promise<readonly Item[]> {
  const items: Item[] = []
  let cursor: string | undefined
  do {
    const page = await list(cursor)
    items.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return items
}

describe('the shelves of authors', () => {
  test('list what the account made, page by page, and nothing of others', async () => {
    for (const number of [1, 2, 3, 4, 5]) await run.tell(rule(`rul_${number}`))
    await run.tell(rule('rul_6'), { account: 'acc_b' })
    const page = (limit: number) => (cursor?: string) =>
      shelves.rules.list(run.readers, { account: 'acc_a', limit, ...(cursor && { cursor }) })

    const ids = (await itemsOf(page(2))).map(({ id }) => id)

    expect(ids).toEqual(['rul_1', 'rul_2', 'rul_3', 'rul_4', 'rul_5'])
    expect(await page(5)()).not.toHaveProperty('nextCursor')
    expect(await page(4)()).toHaveProperty('nextCursor')
  })

  test('find one of the account, and never that of another', async () => {
    await run.tell(rule('rul_1'))
    const find = (account: string, id: string) => shelves.rules.find(run.readers, { account, id })

    expect(await find('acc_a', 'rul_1')).toEqual({
      id: 'rul_1',
      name: 'One',
      expression: '1 > 0',
      version_id: 'ver_1',
    })
    expect(await find('acc_b', 'rul_1')).toBeUndefined()
    expect(await find('acc_a', 'rul_2')).toBeUndefined()
  })

  test('show recipes and flows as their authors wrote them', async () => {
    const recipe = {
      name: 'R',
      status: 'LIVE',
      threshold: 3,
      rules: [{ rule_id: 'rul_1', weight: 1 }],
    }
    const flow = { name: 'F', recipes: ['rcp_1'] }
    await run.tell({
      type: 'RecipePublished',
      data: { recipe_id: 'rcp_1', version_id: 'v', ...recipe },
    })
    await run.tell({ type: 'FlowPublished', data: { flow_id: 'flo_1', version_id: 'v', ...flow } })

    const asked = { account: 'acc_a', limit: 10 }

    expect(await shelves.recipes.list(run.readers, asked)).toEqual({
      items: [{ id: 'rcp_1', version_id: 'v', ...recipe }],
    })
    expect(await shelves.flows.list(run.readers, asked)).toEqual({
      items: [{ id: 'flo_1', version_id: 'v', ...flow }],
    })
  })

  test('a list goes on where it was when what it stopped at is gone', async () => {
    for (const number of [1, 2, 3]) await run.tell(rule(`rul_${number}`))
    const asked = { account: 'acc_a', limit: 2 }
    const { nextCursor } = await shelves.rules.list(run.readers, asked)
    await run.tell({ type: 'RuleRetired', data: { rule_id: 'rul_2' } })

    const next = await shelves.rules.list(run.readers, {
      ...asked,
      ...(nextCursor && { cursor: nextCursor }),
    })

    expect(next.items.map(({ id }) => id)).toEqual(['rul_3'])
  })

  test.each(['', 'x', '!!!', 'bnVsbA', 'W10', 'WzFd', 'WyJhIiwxXQ', 'a'.repeat(10_000)])(
    'what is no cursor of the list is an invalid request: %s',
    async (cursor) => {
      await run.tell(rule('rul_1'))

      const asked = shelves.rules.list(run.readers, { account: 'acc_a', limit: 1, cursor })

      await expect(asked).rejects.toMatchObject({
        code: 'invalid_request',
        details: [{ path: 'cursor' }],
      })
    },
  )
})

test('a cursor is read back as what it was made of', () => {
  const document = { id: 'évl_1', position: 3, body: { time: 1.5, flow: 'ü', other: true } }

  const cursor = cursorAfter(document, ['flow', 'time'])

  expect(cursor).toMatch(/^[\w-]+$/)
  expect(readCursor(cursor, 2)).toEqual({ id: 'évl_1', values: ['ü', 1.5] })
})

test('questions to a read model that has never been built are refused for now', async () => {
  const readers = { ...run.readers, projections: { active: () => undefined } }

  const asked = shelves.rules.list(readers, { account: 'acc_a', limit: 1 })

  await expect(asked).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 })
})

test('questions go to the version that readers use', async () => {
  await run.tell(rule('rul_1'))
  const asked: number[] = []
  const readers = {
    projections: { active: () => 7 },
    documents: {
      ...run.readers.documents,
      get: async ({ version }: { version: number }) => {
        asked.push(version)
        return undefined
      },
    },
  }

  await shelves.rules.find(readers, { account: 'acc_a', id: 'rul_1' })

  expect(asked).toEqual([7])
})

test('accounts are listed and found', async () => {
  for (const account of ['acc_a', 'acc_b']) {
    const data = { account_id: account, name: account.toUpperCase() }
    await run.tell({ type: 'AccountOpened', data }, { account })
  }

  const all = await itemsOf((cursor) =>
    listAccounts(run.readers, { limit: 1, ...(cursor && { cursor }) }),
  )

  expect(all.map(({ id, name }) => [id, name])).toEqual([
    ['acc_a', 'ACC_A'],
    ['acc_b', 'ACC_B'],
  ])
  expect(await findAccount(run.readers, 'acc_b')).toEqual(all[1])
  expect(await findAccount(run.readers, 'acc_c')).toBeUndefined()
})

describe('evaluations', () => {
  const day = 24 * 60 * 60 * 1_000
  const evaluated = (evaluation_id: string, time: number, more: object = {}) => ({
    type: 'FlowEvaluated',
    data: {
      evaluation_id,
      flow_id: 'flo_1',
      plan: 'digest',
      time,
      verdict: 'PASS',
      recipes: [
        { recipe_id: 'rcp_1', score: 0, verdict: 'PASS', outcomes: 'TN' },
        { recipe_id: 'rcp_2', score: 9, verdict: 'FLAG', outcomes: 'T' },
      ],
      ...more,
    },
  })
  const member = (rule_id: string) => ({ rule_id, type: 'CUSTOM', name: 'n', weight: 1 })
  const recipe = { version_id: 'v', threshold: 3 }
  const planned = (digest = 'digest') => ({
    type: 'PlanRecorded',
    data: {
      digest,
      plan: {
        flow_id: 'flo_1',
        flow_version_id: 'v',
        semantics: 1,
        recipes: [
          {
            ...recipe,
            recipe_id: 'rcp_1',
            status: 'LIVE',
            rules: [member('rul_1'), member('rul_2')],
          },
          { ...recipe, recipe_id: 'rcp_2', status: 'SHADOW', rules: [member('rul_1')] },
        ],
      },
    },
  })

  test('are listed newest first, by account, flow and time, shadow recipes named', async () => {
    await run.tell(planned())
    for (const [id, time] of [
      ['evl_1', 10],
      ['evl_2', 20],
      ['evl_3', 20],
      ['evl_4', 30],
    ] as const) {
      await run.tell(evaluated(id, time))
    }
    await run.tell(evaluated('evl_5', 40, { flow_id: 'flo_2' }))
    await run.tell(evaluated('evl_6', 50), { account: 'acc_b' })
    const ids = (asked: object) =>
      itemsOf((cursor) =>
        listEvaluations(run.readers, {
          account: 'acc_a',
          limit: 2,
          ...asked,
          ...(cursor && { cursor }),
        }),
      ).then((items) => items.map(({ id }) => id))

    expect(await ids({})).toEqual(['evl_5', 'evl_4', 'evl_3', 'evl_2', 'evl_1'])
    expect(await ids({ flowId: 'flo_1' })).toEqual(['evl_4', 'evl_3', 'evl_2', 'evl_1'])
    expect(await ids({ fromMs: 20, untilMs: 40 })).toEqual(['evl_4', 'evl_3', 'evl_2'])
    const { items } = await listEvaluations(run.readers, { account: 'acc_a', limit: 1 })
    expect(items).toEqual([
      {
        id: 'evl_5',
        flow_id: 'flo_2',
        time: 40,
        verdict: 'PASS',
        plan: 'digest',
        recipes: [
          { recipe_id: 'rcp_1', verdict: 'PASS', score: 0, partial: false, status: 'LIVE' },
          { recipe_id: 'rcp_2', verdict: 'FLAG', score: 9, partial: false, status: 'SHADOW' },
        ],
      },
    ])
  })

  test('are counted for each rule by day, over all its plans and places', async () => {
    await run.tell(planned())
    await run.tell(planned('other'))
    await run.tell(evaluated('evl_1', 0))
    await run.tell(evaluated('evl_2', 1, { plan: 'other' }))
    await run.tell(evaluated('evl_3', 2 * day))
    await run.tell(evaluated('evl_4', 9 * day))
    const none = { triggered: 0, not_triggered: 0, missing_data: 0, unavailable: 0, skipped: 0 }
    const asked = { account: 'acc_a', from: '1970-01-01', to: '1970-01-05' }

    expect(await findRuleUsage(run.readers, { ...asked, ruleId: 'rul_1' })).toEqual({
      days: [
        { ...none, day: '1970-01-01', triggered: 4 },
        { ...none, day: '1970-01-03', triggered: 2 },
      ],
      truncated: false,
    })
    expect(await findRuleUsage(run.readers, { ...asked, ruleId: 'rul_2' })).toMatchObject({
      days: [{ not_triggered: 2 }, { not_triggered: 1 }],
    })
    expect(await findRuleUsage(run.readers, { ...asked, ruleId: 'rul_3' })).toEqual({
      days: [],
      truncated: false,
    })
    expect(
      await findRuleUsage(run.readers, { ...asked, account: 'acc_b', ruleId: 'rul_1' }),
    ).toEqual({ days: [], truncated: false })
  })
})

test('the keys of a subject are all found, and none of another whose digest begins alike', async () => {
  const dispatched = { type: 'SignalsDispatched', data: {} }
  const keys = Array.from({ length: 1_500 }, (_, index) => `key${String(index).padStart(4, '0')}`)
  await run.tell(dispatched, { subjects: keys.map((key) => ({ digest: 'abc', key })) })
  await run.tell(dispatched, { subjects: [{ digest: 'abcd', key: 'other' }] })

  expect(await listSubjectKeys(run.readers, 'abc')).toEqual(keys)
  expect(await listSubjectKeys(run.readers, 'nobody')).toEqual([])
})
