import type { Attack } from '../attack.ts'
import { repeat } from '../repeat.ts'
import { createFlow, createRecipe, evaluate, longRule } from '../rulebook.ts'

const atOnce = 100
const evaluations = 2_000
const management = '/v2/watch/management'

export const comparisons: Attack = {
  does: `makes ${atOnce} comparisons at once over ${evaluations.toLocaleString('en')} evaluations`,
  run: async (attacker) => {
    const rules = Array.from({ length: 20 }, (_, number) => longRule(number, 300))
    const flow = await createFlow(attacker, rules)
    const other = await createRecipe(attacker, rules)
    if (flow === undefined || other === undefined) return
    const { text } = await attacker.send({ method: 'GET', path: `${management}/flows/${flow}` })
    const [recipe] = (JSON.parse(text) as { readonly recipes: readonly string[] }).recipes
    let left = evaluations
    const record = async (): Promise<void> => {
      for (left -= 1; left >= 0; left -= 1) await evaluate(attacker, flow, { n: '1', cart: '1' })
    }
    await Promise.all(Array.from({ length: 8 }, record))
    const path = `${management}/recipes/${recipe}/comparison?with=${other}`
    await repeat(attacker, atOnce, () => attacker.send({ method: 'GET', path }))
  },
}
