import type { Attack } from '../attack.ts'
import type { Attacker } from '../attacker.ts'
import { repeat } from '../repeat.ts'
import { createFlow, evaluate } from '../rulebook.ts'

/**
 * Patterns of a rule and how often a class of letters is repeated in each: the most that the service lets through is
 * taken.
 */
const patternsOfRule = [91, 30, 10, 3] as const
const repetitions = [990, 250, 60, 15, 3] as const
const flows = 7
const management = '/v2/watch/management'

interface Size {
  readonly patterns: number
  readonly repeated: number
}

interface Drafted extends Size {
  readonly number: number
}

const largest: Size = { patterns: patternsOfRule[0], repeated: repetitions[0] }

/** Patterns of which none is another rule's. */
function rule({ number, patterns, repeated }: Drafted): string {
  return Array.from(
    { length: patterns },
    (_, at) => `signal.ext.a.matches(r"\\pL{${repeated}}${number}_${at}")`,
  ).join('||')
}

/** Answers whether the service tried it. */
async function draft(attacker: Attacker, drafted: Drafted): Promise<boolean> {
  const body = { expression: rule(drafted), evidence: { signals: { ext: { a: 'b' } } } }
  const path = `${management}/rules/test`
  return (await attacker.send({ method: 'POST', path, body })).status === 200
}

async function largestTaken(attacker: Attacker, number: number): Promise<Size> {
  for (const patterns of patternsOfRule) {
    for (const repeated of repetitions) {
      if (await draft(attacker, { number, patterns, repeated })) return { patterns, repeated }
    }
  }
  return largest
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
  does: `drafts, saves and evaluates rules of ${patternsOfRule[0]} large patterns, or as many as it may, in ${flows} flows`,
  run: async (attacker) => {
    let number = 0
    const next = () => {
      number += 1
      return number
    }
    const drafts = Array.from({ length: flows }, () =>
      draft(attacker, { number: next(), ...largest }),
    )
    await Promise.all(drafts)
    const size = await largestTaken(attacker, next())
    const made: string[] = []
    for (let at = 0; at < flows; at += 1) {
      const rules = [rule({ number: next(), ...size }), rule({ number: next(), ...size })]
      const flow = await createFlow(attacker, rules)
      if (flow !== undefined) made.push(flow)
    }
    await repeat(attacker, 4, async (index) => {
      await draft(attacker, { number: next(), ...size })
      const flow = made[index % Math.max(1, made.length)]
      if (flow !== undefined) await use(attacker, flow)
    })
  },
}
