import type { Attack } from '../attack.ts'
import { repeat } from '../repeat.ts'
import { createFlow, evaluate } from '../rulebook.ts'

const rulesOfFlow = 24
const variables = ['a', 'b', 'c', 'd'] as const
const itemsOfLoop = 15
const itemsBuilt = 480

/** Four loops in one another, the innermost of which builds a list each time. */
function nested(number: number): string {
  const list = `[${Array.from({ length: itemsOfLoop }, (_, at) => at + number).join(',')}]`
  const built = Array.from({ length: itemsBuilt }, (_, at) => variables[at % variables.length])
  const inner = `[${built.join(',')}].size() > int(signal.ext.n)`
  return variables.reduceRight((body, variable) => `${list}.all(${variable},${body})`, inner)
}

export const nestedLists: Attack = {
  does: `saves and evaluates ${rulesOfFlow} rules of loops in loops that build lists`,
  run: async (attacker) => {
    const expressions = Array.from({ length: rulesOfFlow }, (_, number) => nested(number))
    const flow = await createFlow(attacker, expressions)
    if (flow !== undefined) await repeat(attacker, 2, () => evaluate(attacker, flow, { n: '0' }))
  },
}
