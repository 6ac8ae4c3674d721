import { afterEach, beforeEach, expect, test } from 'vitest'
import { listVersions } from '../../src/queries/rulebook/versions.ts'
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
  (await listVersions(run.readers, { account, of, limit: 10 })).items

test('each version says who made it and when, the newest first, without its compiled form', async () => {
  await run.tell(rule('ver_1'), { actor: 'tok_a', time: 10 })
  await run.tell(rule('ver_2', { name: 'Two' }), { actor: 'tok_b', time: 20 })

  const found = await list('rul_1')

  expect(found.map(({ made: _, ...version }) => version)).toEqual([
    {
      account: 'acc_a',
      of: 'rul_1',
      version_id: 'ver_2',
      created_at: 20,
      created_by: 'tok_b',
      content: { name: 'Two', expression: '1 == 1' },
    },
    {
      account: 'acc_a',
      of: 'rul_1',
      version_id: 'ver_1',
      created_at: 10,
      created_by: 'tok_a',
      content: { name: 'One', expression: '1 == 1' },
    },
  ])
})

test('a version that is restored keeps its place and who made it, and says who brought it back last', async () => {
  await run.tell(rule('ver_1'), { actor: 'tok_a', time: 10 })
  await run.tell(rule('ver_2'), { actor: 'tok_a', time: 20 })
  await run.tell(rule('ver_1', {}, 'RuleRestored'), { actor: 'tok_b', time: 30 })
  await run.tell(rule('ver_2', {}, 'RuleRestored'), { actor: 'tok_b', time: 40 })
  await run.tell(rule('ver_1', {}, 'RuleRestored'), { actor: 'tok_c', time: 50 })

  const found = await list('rul_1')

  expect(found.map(({ version_id }) => version_id)).toEqual(['ver_2', 'ver_1'])
  expect(found[1]).toMatchObject({
    created_at: 10,
    created_by: 'tok_a',
    restored_at: 50,
    restored_by: 'tok_c',
  })
})

test('recipes and flows are kept alike, a recipe without its status and what it names of the operator', async () => {
  const recipe = { name: 'R', threshold: 3, rules: [{ rule_id: 'rul_1', weight: 1 }] }
  const ids = { recipe_id: 'rcp_1', version_id: 'ver_1' }
  await run.tell({
    type: 'RecipePublished',
    data: { ...ids, ...recipe, status: 'LIVE', managed: ['rul_1'] },
  })
  const flow = { name: 'F', recipes: ['rcp_1'] }
  await run.tell({
    type: 'FlowPublished',
    data: { flow_id: 'flo_1', version_id: 'ver_2', ...flow },
  })

  expect((await list('rcp_1')).map(({ content }) => content)).toEqual([recipe])
  expect((await list('flo_1')).map(({ content }) => content)).toEqual([flow])
})

test('what the operator keeps is kept alike, without its compiled form and where it comes from', async () => {
  const rule = { name: 'R', description: 'd', parameters: [{ name: 'limit', type: 'INT' }] }
  const recorded = { rule_id: 'rul_m', version_id: 'ver_1', text: '1 == 1', expression: {} }
  await tellManaged('ManagedRulePublished', { ...recorded, ...rule, shipped: 1 }, 10)
  await tellManaged('ManagedRuleRestored', { ...recorded, ...rule }, 20)
  const recipe = {
    description: 'd',
    threshold: 3,
    threshold_bounds: { min: 1, max: 5 },
    parameters: [],
    rules: [{ rule_id: 'rul_m', weight: 1 }],
  }
  const ids = { recipe_id: 'rcp_m', version_id: 'ver_2' }
  await tellManaged('ManagedRecipePublished', { ...ids, ...recipe, shipped: 1 }, 30)

  const [ofRule, ...older] = await list('rul_m', 'acc_managed')
  const [ofRecipe] = await list('rcp_m', 'acc_managed')

  expect(older).toEqual([])
  expect(ofRule?.content).toEqual({ ...rule, expression: '1 == 1' })
  expect(ofRule).toMatchObject({ created_at: 10, restored_at: 20, restored_by: 'operator' })
  expect(ofRecipe?.content).toEqual(recipe)
  expect(await list('rul_m')).toEqual([])
})

const tellManaged = (type: string, data: object, time: number) =>
  run.tell({ type, data }, { account: 'acc_managed', actor: 'operator', time })

test('versions of another account are not listed', async () => {
  await run.tell(rule('ver_1'), { account: 'acc_b' })

  expect(await list('rul_1')).toEqual([])
  expect(await list('rul_1', 'acc_b')).toHaveLength(1)
})
