import type { Attack } from '../attack.ts'
import { repeat } from '../repeat.ts'
import { change, create, createFlow, evaluate, longRule } from '../rulebook.ts'

const changesMin = 750

export const changedRule: Attack = {
  does: `gives a rule of 4 KB another text ${changesMin} times and more`,
  run: async (attacker) => {
    const flow = await createFlow(attacker, ['signal.existing_user'])
    const rule = await create(attacker, 'rules', { name: 'Rule', expression: longRule(0, 4_000) })
    if (rule === undefined || flow === undefined) return
    for (let number = 1; number <= changesMin; number += 1) {
      await change(attacker, rule, longRule(number, 4_000))
    }
    let number = changesMin
    await repeat(attacker, 4, async () => {
      number += 1
      await change(attacker, rule, longRule(number, 4_000))
      await evaluate(attacker, flow)
    })
  },
}
