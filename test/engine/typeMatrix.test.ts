import { describe, expect, test } from 'vitest'
import type { ValueType } from '../../src/engine/language/expression.ts'
import { functionNames, signaturesOf, styleOf } from '../../src/engine/language/operators/table.ts'
import { typeOf } from '../../src/engine/language/typeOf.ts'
import { expressionOf, problemsOf } from './support/evaluate.ts'

/** Of each type something that is not known beforehand. */
const samples: Readonly<Record<ValueType, string>> = {
  bool: 'signal.existing_user',
  int: 'int(signal.ext.n)',
  double: 'double(signal.ext.d)',
  string: 'signal.ip',
  timestamp: 'request.time',
  duration: 'duration(signal.ext.w)',
}
const types = Object.keys(samples) as readonly ValueType[]
const numeric: readonly string[] = ['int', 'double']
const lists = new Map([['10.0.0.0/8', 'text' as const]])
const compiles = (text: string) => problemsOf(text, { lists }).length === 0

/** Which type a part has, told by comparing it with something of each type. */
function resultOf(part: string): readonly string[] {
  return types.filter((type) => compiles(`(${part}) == ${samples[type]}`))
}

const pairs = types.flatMap((a) => types.map((b) => [a, b] as const))

describe('every two types compare, or are refused', () => {
  const alike = (a: string, b: string) => a === b || (numeric.includes(a) && numeric.includes(b))

  test.each(pairs)('%s with %s', (a, b) => {
    for (const operator of ['==', '!=', '<', '<=', '>', '>=']) {
      expect([operator, compiles(`${samples[a]} ${operator} ${samples[b]}`)]).toEqual([
        operator,
        alike(a, b),
      ])
    }
  })

  test.each(pairs)('%s in a list of %s', (a, b) => {
    expect(compiles(`${samples[a]} in [${samples[b]}]`)).toBe(alike(a, b))
  })
})

describe('every two types can be computed with, or not', () => {
  /** As the guide has it: what the operator gives. */
  const arithmetic: Readonly<Record<string, Readonly<Record<string, ValueType>>>> = {
    '+': {
      'int int': 'int',
      'double double': 'double',
      'string string': 'string',
      'timestamp duration': 'timestamp',
      'duration timestamp': 'timestamp',
      'duration duration': 'duration',
    },
    '-': {
      'int int': 'int',
      'double double': 'double',
      'timestamp timestamp': 'duration',
      'timestamp duration': 'timestamp',
      'duration duration': 'duration',
    },
    '*': { 'int int': 'int', 'double double': 'double' },
    '/': { 'int int': 'int', 'double double': 'double' },
    '%': { 'int int': 'int' },
  }

  test.each(pairs)('%s with %s', (a, b) => {
    for (const [operator, gives] of Object.entries(arithmetic)) {
      const part = `${samples[a]} ${operator} ${samples[b]}`
      const result = gives[`${a} ${b}`]
      const wanted = result && numeric.includes(result) ? numeric : result ? [result] : []

      expect([part, compiles(`${part} == ${part}`)]).toEqual([part, result !== undefined])
      expect([part, resultOf(part)]).toEqual([part, wanted])
    }
  })

  test.each(types)('%s alone', (type) => {
    expect(compiles(`!${samples[type]}`)).toBe(type === 'bool')
    expect(compiles(`-${samples[type]} == ${samples[type]}`)).toBe(numeric.includes(type))
  })

  test.each(types)('%s where a condition is wanted', (type) => {
    const sample = samples[type]
    const texts = [
      sample,
      `${sample} && true`,
      `true || ${sample}`,
      `${sample} ? true : false`,
      `[1].exists(x, ${sample})`,
    ]

    expect(texts.map(compiles)).toEqual(texts.map(() => type === 'bool'))
  })

  test.each(pairs)('%s and %s as the branches of a choice', (a, b) => {
    const choice = `(signal.existing_user ? ${samples[a]} : ${samples[b]})`

    expect(compiles(`${choice} == ${choice}`)).toBe(a === b)
  })
})

describe('every conversion takes what the guide says', () => {
  const takes: Readonly<Record<ValueType, readonly ValueType[]>> = {
    int: ['int', 'double', 'string', 'timestamp'],
    double: ['int', 'double', 'string'],
    bool: ['bool', 'string'],
    string: types,
    timestamp: ['timestamp', 'string', 'int'],
    duration: ['duration', 'string'],
  }

  test.each(types)('%s(x)', (to) => {
    for (const from of types) {
      const part = `${to}(${samples[from]})`

      expect([part, compiles(`${part} == ${samples[to]}`)]).toEqual([
        part,
        takes[to].includes(from),
      ])
    }
  })
})

describe('every function takes what the guide says, and is written one way', () => {
  /** For each, how it is written of `x`, what `x` may be, and what it gives. */
  const functions: Readonly<Record<string, readonly [string, readonly string[], ValueType]>> = {
    size: ['size(x)', ['string'], 'int'],
    contains: ['x.contains("a")', ['string'], 'bool'],
    startsWith: ['x.startsWith("a")', ['string'], 'bool'],
    endsWith: ['x.endsWith("a")', ['string'], 'bool'],
    matches: ['x.matches("a")', ['string'], 'bool'],
    lowerAscii: ['x.lowerAscii()', ['string'], 'string'],
    upperAscii: ['x.upperAscii()', ['string'], 'string'],
    getFullYear: ['x.getFullYear()', ['timestamp'], 'int'],
    getMonth: ['x.getMonth()', ['timestamp'], 'int'],
    getDate: ['x.getDate()', ['timestamp'], 'int'],
    getDayOfMonth: ['x.getDayOfMonth()', ['timestamp'], 'int'],
    getDayOfWeek: ['x.getDayOfWeek()', ['timestamp'], 'int'],
    getDayOfYear: ['x.getDayOfYear()', ['timestamp'], 'int'],
    getHours: ['x.getHours()', ['timestamp', 'duration'], 'int'],
    getMinutes: ['x.getMinutes()', ['timestamp', 'duration'], 'int'],
    getSeconds: ['x.getSeconds()', ['timestamp', 'duration'], 'int'],
    getMilliseconds: ['x.getMilliseconds()', ['timestamp'], 'int'],
    inCidr: ['inCidr(x, "10.0.0.0/8")', ['string'], 'bool'],
    emailDomain: ['emailDomain(x)', ['string'], 'string'],
    phoneCountry: ['phoneCountry(x)', ['string'], 'string'],
    inList: ['inList("10.0.0.0/8", x)', ['string'], 'bool'],
  }
  const otherwise = new Map([
    ['size', 'x.size()'],
    ['matches', 'matches(x, "a")'],
  ])
  const conversions: readonly string[] = types

  test('and there are no others', () => {
    const all = [...Object.keys(functions), ...conversions].toSorted()

    expect(functionNames.toSorted()).toEqual(all)
  })

  test.each(Object.entries(functions))('%s', (_, [form, takes, gives]) => {
    for (const type of types) {
      const part = form.replace('x', samples[type])
      const fits = takes.includes(type)

      expect([part, compiles(`(${part}) == ${samples[gives]}`)]).toEqual([part, fits])
      if (!fits) continue
      expect(typeOf(expressionOf(`(${part}) == ${samples[gives]}`, { lists }))).toBe('bool')
    }
  })

  test.each(Object.entries(functions))(
    '%s is not written the other way',
    (name, [form, [type]]) => {
      const sample = samples[type as ValueType]
      const rest = /"[^"]*"/.exec(form)?.[0]
      const asReceiver = `${sample}.${name}(${rest ?? ''})`
      const asFunction = `${name}(${[sample, rest].filter(Boolean).join(', ')})`
      const style = styleOf(name)

      const wayIsTaken = (part: string) =>
        !problemsOf(part, { lists }).some((text) => text.includes('overload'))
      expect(wayIsTaken(asReceiver)).toBe(style !== 'function')
      expect(wayIsTaken(asFunction)).toBe(style !== 'receiver')
      expect(otherwise.has(name)).toBe(style === 'either')
    },
  )

  test.each([...otherwise])('%s is also written %s', (_, form) => {
    const part = form.replace('x', samples.string)

    expect(compiles(`${part} == ${part}`)).toBe(true)
  })

  test('of too many or too few arguments nothing is made', () => {
    const texts = [
      'size()',
      'size(signal.ip, signal.ip) == 1',
      'signal.ip.contains()',
      'signal.ip.contains("a", "b")',
      'int() == 1',
      'int("1", "2") == 1',
      'inCidr(signal.ip)',
      'emailDomain() == "x"',
      'request.time.getHours("UTC") == 1',
      'has()',
      'has(signal.ip, signal.ip)',
      '[1].exists(x)',
      '[1].exists(x, true, true)',
    ]

    expect(texts.filter(compiles)).toEqual([])
  })
})

/** Something for a parameter: what must be written in the rule is a network, or the list of that name. */
function argumentOf(name: string, param: string, at: number): string {
  if (param.startsWith('list(')) return `["10.0.0.0/8"]`
  const isWritten = name === 'inList' ? at === 0 : at > 0 && param === 'string'
  return isWritten ? '"10.0.0.0/8"' : samples[param as ValueType]
}

test('what a message says that a function takes, it takes', () => {
  for (const name of functionNames) {
    for (const signature of signaturesOf(name)) {
      const params = signature.slice(1, -1).split(', ')
      const args = params.map((param, at) => argumentOf(name, param, at))
      const [first = '', ...rest] = args
      const sized = name === 'size' && params[0]?.startsWith('list(')
      const call =
        styleOf(name) === 'receiver'
          ? `${first}.${name}(${rest.join(', ')})`
          : `${name}(${args.join(', ')})`

      expect([call, sized || compiles(`${call} == ${call}`)]).toEqual([call, true])
    }
  }
})
