import type { Attack } from '../attack.ts'
import { repeat } from '../repeat.ts'
import { createFlow, longRule } from '../rulebook.ts'

const atOnce = 8
const rulesOfDraft = 60
const management = '/v2/watch/management'

/** Nearly all the steps that a rule has, and an explanation of every part. */
const loops = (number: number): string => {
  const list = `[${Array.from({ length: 25 }, (_, at) => at + number).join(',')}]`
  return `${list}.all(a,${list}.all(b,${list}.all(c,a + b + c > int(signal.ext.n))))`
}

export const tryOuts: Attack = {
  does: `tries rules and drafts of flows of ${rulesOfDraft} large rules, ${atOnce} at once`,
  run: async (attacker) => {
    const flow = await createFlow(attacker, ['signal.existing_user'])
    let number = 0
    const given = { signals: { ext: { n: '-1', cart: 'c' } } }
    await repeat(attacker, atOnce, async () => {
      number += rulesOfDraft
      const expression = loops(number)
      const rule = { expression, evidence: given }
      await attacker.send({ method: 'POST', path: `${management}/rules/test`, body: rule })
      const rules = Array.from({ length: rulesOfDraft }, (_, at) => ({
        weight: 1,
        name: `Rule ${at}`,
        expression: at % 2 === 0 ? longRule(number + at, 4_000) : loops(number + at),
      }))
      const draft = { recipes: [{ name: 'Recipe', threshold: 50, rules }] }
      const body = { target: { phone_number: '+33612345678' }, ...given, draft }
      const path = `${management}/flows/${flow}/test?explain=expressions`
      await attacker.send({ method: 'POST', path, body })
    })
  },
}
