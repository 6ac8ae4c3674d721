import type { Attack } from '../attack.ts'
import { repeat } from '../repeat.ts'
import { createFlow, evaluate, longRule } from '../rulebook.ts'

const rulesOfFlow = 100
const atOnce = 32

export const explanations: Attack = {
  does: `has evaluations of ${rulesOfFlow} large rules explained in every part and replayed, ${atOnce} at once`,
  run: async (attacker) => {
    const rules = Array.from({ length: rulesOfFlow }, (_, number) => longRule(number, 3_500))
    const flow = await createFlow(attacker, rules)
    if (flow === undefined) return
    const id = await evaluate(attacker, flow, { n: '-1', cart: 'c' })
    if (id === undefined) return
    const path = `/v2/watch/evaluations/${id}`
    await repeat(attacker, atOnce, async () => {
      await attacker.send({ method: 'GET', path: `${path}?explain=expressions` })
      await attacker.send({ method: 'POST', path: `${path}/replay` })
    })
  },
}
