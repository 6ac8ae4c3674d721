import type { Attack } from '../attack.ts'
import type { Attacker } from '../attacker.ts'
import { repeat } from '../repeat.ts'
import { createFlow, evaluate } from '../rulebook.ts'

const patternsOfRule = 91
const flows = 7
const management = '/v2/watch/management'

/** As many large patterns as fit, none of them another rule's. */
function rule(number: number): string {
  return Array.from(
    { length: patternsOfRule },
    (_, at) => `signal.ext.a.matches(r"\\pL{990}${number}_${at}")`,
  ).join('||')
}

async function draft(attacker: Attacker, number: number): Promise<void> {
  const body = { expression: rule(number), evidence: { signals: { ext: { a: 'b' } } } }
  await attacker.send({ method: 'POST', path: `${management}/rules/test`, body })
}

/** Evaluated, shown and replayed: each may have to compile what was recorded. */
async function use(attacker: Attacker, flow: string): Promise<void> {
  const id = await evaluate(attacker, flow, { a: 'é'.repeat(2_000) })
  if (id === undefined) return
  const path = `/v2/watch/evaluations/${id}`
  await attacker.send({ method: 'GET', path })
  await attacker.send({ method: 'POST', path: `${path}/replay` })
}

export const manyPatterns: Attack = {
  does: `drafts, saves and evaluates rules of ${patternsOfRule} large patterns, in ${flows} flows`,
  run: async (attacker) => {
    let number = 0
    const next = () => {
      number += 1
      return number
    }
    await Promise.all(Array.from({ length: flows }, () => draft(attacker, next())))
    const made: string[] = []
    for (let at = 0; at < flows; at += 1) {
      const flow = await createFlow(attacker, [rule(next()), rule(next())])
      if (flow !== undefined) made.push(flow)
    }
    await repeat(attacker, 4, async (index) => {
      await draft(attacker, next())
      const flow = made[index % Math.max(1, made.length)]
      if (flow !== undefined) await use(attacker, flow)
    })
  },
}
