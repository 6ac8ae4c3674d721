import type { Attack } from '../attack.ts'
import { repeat } from '../repeat.ts'
import { change, create, createRecipeOf, evaluate, longRule } from '../rulebook.ts'

const rulesOfFlow = 400
const chars = 3_500

export const largeFlow: Attack = {
  does: `changes one rule at a time of a flow of ${rulesOfFlow} large rules, and evaluates it`,
  run: async (attacker) => {
    const ids: string[] = []
    for (let number = 0; number < rulesOfFlow; number += 1) {
      const body = { name: `Rule ${number}`, expression: longRule(number, chars) }
      const rule = await create(attacker, 'rules', body)
      if (rule !== undefined) ids.push(rule)
    }
    const members = ids.map((rule_id) => ({ rule_id, weight: 1 }))
    const recipe = await createRecipeOf(attacker, members)
    if (recipe === undefined) return
    const flow = await create(attacker, 'flows', { name: 'Flow', recipes: [recipe] })
    if (flow === undefined) return
    let number = rulesOfFlow
    await repeat(attacker, 2, async () => {
      number += 1
      const rule = ids[number % ids.length] as string
      await change(attacker, rule, longRule(number, chars))
      await evaluate(attacker, flow, { n: '1', cart: '1' })
    })
  },
}
