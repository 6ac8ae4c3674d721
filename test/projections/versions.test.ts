import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { listVersionChanges } from '../../src/queries/rulebook/versions.ts'
import { draws } from '../support/draws.ts'
import { type ReadModelsRun, runReadModels } from './readModelsRun.ts'

let run: ReadModelsRun
beforeEach(() => {
  run = runReadModels()
})
afterEach(() => run.projections.close())

const rule = (version_id: string, more: object = {}, type = 'RulePublished') => ({
  type,
  data: { rule_id: 'rul_1', version_id, name: 'One', text: '1 == 1', expression: {}, ...more },
})
const list = async (of: string, account = 'acc_a') =>
  (await listVersionChanges(run.readers, { account, of, limit: 10 })).items

test('long versions are answered few at a time, and all of them come up', async () => {
  const text = `"${'x'.repeat(300_000)}" == ""`
  for (let at = 0; at < 9; at += 1) {
    await run.tell(rule(`ver_${at}`, { text }), { actor: 'tok_a', time: at })
  }
  const pages: (readonly string[])[] = []
  let cursor: string | undefined
  do {
    const asked = { account: 'acc_a', of: 'rul_1', limit: 200, ...(cursor && { cursor }) }
    const page = await listVersionChanges(run.readers, asked)
    pages.push(page.items.map(({ version }) => version.version_id))
    cursor = page.nextCursor
  } while (cursor !== undefined)

  expect(pages).toEqual([
    ['ver_8', 'ver_7', 'ver_6', 'ver_5'],
    ['ver_4', 'ver_3', 'ver_2', 'ver_1'],
    ['ver_0'],
  ])
})

const recipe = { name: 'R', threshold: 3, rules: [{ rule_id: 'rul_1', weight: 1 }] }

test('changes of another account are not listed', async () => {
  await run.tell(rule('ver_1'), { account: 'acc_b' })

  expect(await list('rul_1')).toEqual([])
  expect(await list('rul_1', 'acc_b')).toHaveLength(1)
})

describe('whatever becomes of a recipe', () => {
  const status = fc.constantFrom('DRAFT', 'SHADOW', 'LIVE', 'INACTIVE')
  const version_id = fc.constantFrom('ver_1', 'ver_2', 'ver_3')
  const later = fc.oneof(
    fc.record({ type: fc.constant('RecipePublished'), version_id, status }),
    fc.record({ type: fc.constant('RecipeRestored'), version_id, status }),
    fc.record({ type: fc.constant('RecipeStatusSet'), status }),
    fc.record({ type: fc.constant('RecipeStatusSet'), status }),
  )
  const history = fc.tuple(
    fc.record({ type: fc.constant('RecipePublished'), version_id, status }),
    fc.array(later, { maxLength: 12 }),
    fc.boolean(),
  )
  const changes: Record<string, string> = {
    RecipePublished: 'created',
    RecipeRestored: 'restored',
    RecipeStatusSet: 'status_set',
    RecipeRetired: 'deleted',
  }

  interface Told {
    readonly type: string
    readonly version_id?: string
    readonly status?: string
  }

  /** Tells the events at the times 0, 1, … and answers what is to be listed. */
  async function tellAll(events: readonly Told[]): Promise<readonly unknown[]> {
    let standing = ''
    const expected = events.map(({ type, ...ids }, time) => {
      standing = ids.version_id ?? standing
      const content = ids.version_id === undefined ? {} : recipe
      const data = { recipe_id: 'rcp_1', ...ids, ...content }
      run.log.add('s', type, data, { account: 'acc_a', time })
      return [changes[type], ids.status, standing, time]
    })
    await run.caughtUp()
    return expected.toReversed()
  }

  async function listAll(limit: number): Promise<readonly unknown[]> {
    const found: unknown[] = []
    const asked = { account: 'acc_a', of: 'rcp_1', limit }
    let page = await listVersionChanges(run.readers, asked)
    for (;;) {
      expect(page.items.length).toBeLessThanOrEqual(limit)
      for (const { change, status: is, version, changed_at } of page.items) {
        found.push([change, is, version.version_id, changed_at])
      }
      if (page.nextCursor === undefined) return found
      page = await listVersionChanges(run.readers, { ...asked, cursor: page.nextCursor })
    }
  }

  test('is listed whole in pages of any size, each change with the version that stood', () =>
    fc.assert(
      fc.asyncProperty(history, fc.integer({ min: 1, max: 5 }), async (parts, limit) => {
        const [first, more, deleted] = parts
        await run.projections.close()
        run = runReadModels()

        const expected = await tellAll([
          first,
          ...more,
          ...(deleted ? [{ type: 'RecipeRetired' }] : []),
        ])

        expect(await listAll(limit)).toEqual(expected)
      }),
      { numRuns: draws(60) },
    ))
})
