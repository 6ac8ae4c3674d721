import fc from 'fast-check'
import { arbitraryEvidence, arbitraryRule } from './arbitraryRule.ts'
import { problemsOf, type Values } from './evaluate.ts'

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })

/** Any of the names that the rules below use may lack, be empty, or hold what does not convert. */
export const partialEvidence: fc.Arbitrary<Values> = fc
  .record({
    'signal.ext.a': maybe(fc.constantFrom('a', 'b', '')),
    'signal.ext.b': maybe(fc.constantFrom('a', 'c')),
    'signal.ext.n': maybe(fc.constantFrom('0', '1', '7', 'many')),
    'signal.ext.m': maybe(fc.constantFrom('0', '3', '')),
    'signal.existing_user': maybe(fc.boolean()),
    'target.email_address': maybe(fc.constantFrom('jane@example.com', 'nobody')),
  })
  .map((values) => Object.fromEntries(Object.entries(values).filter(([, v]) => v !== undefined)))
  .map((values) => values as Values)

const names = [
  ...['signal.ext.a', 'signal.ext.b', 'signal.ext.n', 'signal.ext.m'],
  ...['signal.existing_user', 'target.email_address'],
]
const asked = fc.constantFrom(...names).map((name) => `has(${name})`)

const join = (...parts: readonly (string | fc.Arbitrary<string>)[]): fc.Arbitrary<string> =>
  fc
    .tuple(...parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part)))
    .map((texts) => texts.join(''))

type Kind = 'bool' | 'guard' | 'int' | 'string'

/** Well-typed rules that ask with `has` what they then read or do not read; they may fail while they run. */
export const arbitraryGuardedRule: fc.Arbitrary<string> = fc.letrec<Record<Kind, string>>((tie) => {
  const [bool, guard, int, string] = [tie('bool'), tie('guard'), tie('int'), tie('string')]
  const depth = { maxDepth: 4, depthSize: 'small', depthIdentifier: 'guarded rule' } as const
  const choice = (of: fc.Arbitrary<string>) =>
    join('(', fc.oneof(guard, bool), ' ? ', of, ' : ', of, ')')
  const chain = (...operands: readonly fc.Arbitrary<string>[]) =>
    fc
      .tuple(fc.constantFrom(' && ', ' || '), ...operands)
      .map(([operator, ...texts]) => `(${texts.join(operator)})`)
  return {
    guard: fc.oneof(
      depth,
      asked,
      asked.map((text) => `!${text}`),
      chain(guard, guard),
      chain(bool, guard),
      join('!', guard),
      join('(', guard, ' ? ', guard, ' : ', guard, ')'),
    ),
    bool: fc.oneof(
      depth,
      fc.constantFrom('signal.existing_user', 'true', 'false'),
      asked,
      chain(guard, bool),
      chain(guard, bool),
      chain(bool, guard, bool),
      chain(bool, bool, bool),
      choice(bool),
      choice(bool),
      join('!', bool),
      join('(', string, fc.constantFrom(' == ', ' != ', ' < '), string, ')'),
      join('(', int, fc.constantFrom(' == ', ' > ', ' <= '), int, ')'),
      join('(', guard, fc.constantFrom(' == ', ' != '), bool, ')'),
      join('[', string, ', ', string, '].exists(x, x == ', string, ')'),
      join('[', int, ', ', int, '].all(y, ', chain(guard, join('(6 / y > ', int, ')')), ')'),
      join('(', string, ' in [', string, ', ', string, '])'),
    ),
    int: fc.oneof(
      depth,
      fc.constantFrom('int(signal.ext.n)', 'int(signal.ext.m)', '0', '2'),
      join('(', int, ' / ', int, ')'),
      join('(', int, ' - ', int, ')'),
      choice(int),
      choice(int),
      join('size(', string, ')'),
    ),
    string: fc.oneof(
      depth,
      fc.constantFrom('signal.ext.a', 'signal.ext.b', '"a"', 'target.email_address'),
      join('(', string, ' + ', string, ')'),
      choice(string),
      choice(string),
      fc.constant('emailDomain(target.email_address)'),
    ),
  }
}).bool

/** Any rule that compiles, and evidence that may lack what it reads. */
export const anyRule = fc
  .oneof(arbitraryRule, arbitraryGuardedRule)
  .filter((text) => problemsOf(text).length === 0)
export const anyEvidence = fc.oneof(arbitraryEvidence, partialEvidence)
