import { afterEach, describe, expect, test } from 'vitest'
import { listRecipesUsing } from '../../src/commands/rulebook/managed/managedRules.ts'
import { type ReadModelsRun, runReadModels } from './readModelsRun.ts'

let run: ReadModelsRun | undefined
function started(): ReadModelsRun {
  run = runReadModels()
  return run
}
afterEach(async () => {
  await run?.projections.close()
  run = undefined
})

describe('the users of something managed', () => {
  const published = (recipe_id: string, more: object = {}, type = 'RecipePublished') => ({
    type,
    data: {
      recipe_id,
      version_id: 'v',
      name: 'R',
      status: 'LIVE',
      threshold: 1,
      rules: [{ rule_id: 'rul_1', weight: 1 }],
      managed: ['rul_1'],
      ...more,
    },
  })
  const none = { rules: [], managed: undefined }

  test('are the recipes of every account that name it or extend it now', async () => {
    const { tell, readers } = started()

    await tell(published('rcp_names'), { account: 'acc_a' })
    await tell(published('rcp_extends', { ...none, base_recipe_id: 'rul_1' }), { account: 'acc_b' })
    await tell(published('rcp_dropped'))
    await tell(published('rcp_dropped', none))
    await tell(published('rcp_retired'))
    await tell({ type: 'RecipeRetired', data: { recipe_id: 'rcp_retired' } })
    await tell(published('rcp_restored', none))
    await tell(published('rcp_restored', {}, 'RecipeRestored'))
    await tell(published('rcp_other', { rules: [], managed: ['rul_11'] }))

    expect(await listRecipesUsing(readers, 'rul_1', 100)).toEqual([
      'rcp_extends',
      'rcp_names',
      'rcp_restored',
    ])
    expect(await listRecipesUsing(readers, 'rul_1', 2)).toEqual(['rcp_extends', 'rcp_names'])
    expect(await listRecipesUsing(readers, 'rul_2', 100)).toEqual([])
  })

  test('are found behind however many recipes that once were users', async () => {
    const { log, tell, caughtUp, readers } = started()
    for (let count = 0; count < 1_100; count += 1) {
      const { type, data } = published(`rcp_${count}`)
      log.add('s', type, data, { account: 'acc_a' })
      log.add('s', type, { ...data, ...none }, { account: 'acc_a' })
    }
    await caughtUp()

    await tell(published('rcp_z'))

    expect(await listRecipesUsing(readers, 'rul_1', 100)).toEqual(['rcp_z'])
  })
})
