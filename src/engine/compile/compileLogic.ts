/** `&&`, `||` and `?:`: what is not needed does not run, from left to right. */

import type { Compiled, Scope, Thunk } from './compiled.ts'
import { spend } from './memory.ts'

/** The closures of a chain of `&&` or `||`. */
export function compileLogic(
  operator: '&&' | '||',
  args: readonly Compiled[],
  { memory, counted, semantics: { charges } }: Scope,
): Compiled {
  const runs = args.map(({ run }) => run)
  const run = operator === '&&' ? conjunction(runs) : disjunction(runs)
  const steps = charges.parts.operand * runs.length
  return {
    run: counted ? () => spend(memory, steps) && run() : run,
    steps: args.reduce((sum, arg) => sum + arg.steps, steps),
    size: 0,
  }
}

/** The closures of `condition ? one : other`. */
export function compileChoice(
  args: readonly Compiled[],
  { memory, counted, semantics: { charges } }: Scope,
): Compiled {
  const [condition, one, other] = args
  if (!condition || !one || !other) throw new Error('a choice without its branches')
  const choose: Thunk = () => (condition.run() === true ? one.run() : other.run())
  const counting: Thunk = () => {
    spend(memory, charges.parts.choice)
    return choose()
  }
  return {
    run: counted ? counting : choose,
    steps: charges.parts.choice + condition.steps + Math.max(one.steps, other.steps),
    size: Math.max(one.size, other.size),
  }
}

function conjunction(runs: readonly Thunk[]): Thunk {
  const [a, b, c, ...more] = runs
  if (a && b && !c) return () => a() === true && b() === true
  if (a && b && c && more.length === 0) return () => a() === true && b() === true && c() === true
  return () => {
    for (const run of runs) if (run() !== true) return false
    return true
  }
}

function disjunction(runs: readonly Thunk[]): Thunk {
  const [a, b, c, ...more] = runs
  if (a && b && !c) return () => a() === true || b() === true
  if (a && b && c && more.length === 0) return () => a() === true || b() === true || c() === true
  return () => {
    for (const run of runs) if (run() === true) return true
    return false
  }
}
