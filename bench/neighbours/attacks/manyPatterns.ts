import type { Attack } from '../attack.ts'
import type { Attacker } from '../attacker.ts'
import { repeat } from '../repeat.ts'
import { createFlow, evaluate } from '../rulebook.ts'

const patternsOfRule = 91
const flows = 7
const management = '/v2/watch/management'

/** How often a class of letters is repeated in a pattern: the most that the service lets through is taken. */
const repetitions = [990, 500, 250, 120, 60, 30, 15, 7, 3] as const

interface Drafted {
  readonly number: number
  readonly repeated: number
}

/** As many patterns as fit, none of them another rule's. */
function rule({ number, repeated }: Drafted): string {
  return Array.from(
    { length: patternsOfRule },
    (_, at) => `signal.ext.a.matches(r"\\pL{${repeated}}${number}_${at}")`,
  ).join('||')
}

/** Answers whether the service tried it. */
async function draft(attacker: Attacker, drafted: Drafted): Promise<boolean> {
  const body = { expression: rule(drafted), evidence: { signals: { ext: { a: 'b' } } } }
  const path = `${management}/rules/test`
  return (await attacker.send({ method: 'POST', path, body })).status === 200
}

async function mostRepeated(attacker: Attacker, number: number): Promise<number> {
  for (const repeated of repetitions) {
    if (await draft(attacker, { number, repeated })) return repeated
  }
  return repetitions[0]
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
    const drafts = Array.from({ length: flows }, () =>
      draft(attacker, { number: next(), repeated: repetitions[0] }),
    )
    await Promise.all(drafts)
    const repeated = await mostRepeated(attacker, next())
    const made: string[] = []
    for (let at = 0; at < flows; at += 1) {
      const rules = [rule({ number: next(), repeated }), rule({ number: next(), repeated })]
      const flow = await createFlow(attacker, rules)
      if (flow !== undefined) made.push(flow)
    }
    await repeat(attacker, 4, async (index) => {
      await draft(attacker, { number: next(), repeated })
      const flow = made[index % Math.max(1, made.length)]
      if (flow !== undefined) await use(attacker, flow)
    })
  },
}
