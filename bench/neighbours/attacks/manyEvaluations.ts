import type { Attack } from '../attack.ts'
import { repeat } from '../repeat.ts'
import { createFlow, evaluate, longRule } from '../rulebook.ts'

const atOnce = 256

export const manyEvaluations: Attack = {
  does: `evaluates an ordinary flow on ${atOnce} connections`,
  run: async (attacker) => {
    const rules = Array.from({ length: 20 }, (_, number) => longRule(number, 150))
    const flow = await createFlow(attacker, rules)
    if (flow === undefined) return
    await repeat(attacker, atOnce, () => evaluate(attacker, flow, { n: '1', cart: 'c' }))
  },
}
