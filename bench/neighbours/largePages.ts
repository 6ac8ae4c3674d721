/** The largest answers that an account can ask for. */

import type { Attacker } from './attacker.ts'
import { change, create, createFlow, evaluate, longRule } from './rulebook.ts'

const management = '/v2/watch/management'
const pageMax = 200

/** Makes rules, versions and evaluations enough for whole pages, and answers the paths of these. */
export async function largePagesOf(attacker: Attacker): Promise<readonly string[]> {
  const flow = await createFlow(attacker, [longRule(0, 200)])
  const rule = await create(attacker, 'rules', { name: 'Rule', expression: longRule(0, 4_000) })
  for (let number = 1; number <= pageMax; number += 1) {
    await create(attacker, 'rules', { name: 'Rule', expression: longRule(number, 4_000) })
    if (rule !== undefined) await change(attacker, rule, longRule(number, 4_000))
    if (flow !== undefined) await evaluate(attacker, flow, { n: '1', cart: 'x'.repeat(4_000) })
  }
  return [
    `${management}/rules?limit=${pageMax}`,
    ...(rule === undefined ? [] : [`${management}/rules/${rule}/versions?limit=${pageMax}`]),
    `/v2/watch/evaluations?limit=${pageMax}`,
  ]
}
