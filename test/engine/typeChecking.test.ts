import { describe, expect, test } from 'vitest'
import { functionNames } from '../../src/engine/language/operators/operationTable.ts'
import { problemsOf } from './support/evaluate.ts'

/** A value of each type that no literal is, so that nothing can be computed while the rule is checked. */
const values = {
  bool: 'list.block',
  int: 'int(signal.ext.n)',
  double: 'double(signal.ext.n)',
  string: 'signal.ip',
  timestamp: 'request.time',
  duration: 'duration(signal.ext.d)',
} as const
const lists = { ints: '[1, 2]', strings: '["a", "b"]', bools: '[list.block]' } as const
const operands = { ...values, ...lists }

/** The lists of the account. */
const named = new Map([['10.0.0.0/8', 'text' as const]])

type ValueType = keyof typeof values
type OperandType = keyof typeof operands

const valueTypes = Object.keys(values) as ValueType[]
const operandTypes = Object.keys(operands) as OperandType[]

/** The types of the values that an expression can be compared with; undefined when it does not compile at all. */
function comparableWith(text: string): readonly ValueType[] | undefined {
  const found = valueTypes.filter(
    (type) => problemsOf(`(${text}) == ${values[type]}`, { lists: named }).length === 0,
  )
  return found.length > 0 ? found : undefined
}

/** What has this type compares with it, numbers also among themselves. */
function like(type: ValueType | undefined): readonly ValueType[] | undefined {
  if (type === undefined) return undefined
  return type === 'int' || type === 'double' ? ['int', 'double'] : [type]
}

type Binary = Readonly<Partial<Record<`${OperandType} ${OperandType}`, ValueType>>>

/** The operators of the specification of CEL, in the types that rules have. */
const binary: Readonly<Record<string, Binary>> = {
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
  '&&': { 'bool bool': 'bool' },
  '||': { 'bool bool': 'bool' },
  in: {
    'int ints': 'bool',
    'double ints': 'bool',
    'string strings': 'bool',
    'bool bools': 'bool',
  },
}

const pairs = operandTypes.flatMap((a) => operandTypes.map((b) => [a, b] as const))

describe.each(Object.entries(binary))('the operator %s', (symbol, table) => {
  test('takes the types that CEL gives it, and no others', () => {
    const given = pairs.map(([a, b]) => {
      const text = `${operands[a]} ${symbol} ${operands[b]}`
      return [`${a} ${b}`, comparableWith(text)]
    })

    expect(given).toEqual(pairs.map(([a, b]) => [`${a} ${b}`, like(table[`${a} ${b}`])]))
  })
})

describe.each(['==', '!=', '<', '<=', '>', '>='])('the comparison %s', (symbol) => {
  test('takes two values of one type, numbers also among themselves', () => {
    for (const a of valueTypes) {
      const found = valueTypes.filter(
        (b) => problemsOf(`${values[a]} ${symbol} ${values[b]}`).length === 0,
      )

      expect([a, found]).toEqual([a, like(a)])
    }
  })
})

test('a value is sought in a list of what it can be compared with', () => {
  for (const a of valueTypes) {
    const found = valueTypes.filter(
      (b) => problemsOf(`${values[a]} in [${values[b]}]`).length === 0,
    )

    expect([a, found]).toEqual([a, like(a)])
  }
})

describe('one operand', () => {
  test.each<[string, Readonly<Partial<Record<OperandType, ValueType>>>]>([
    ['-', { int: 'int', double: 'double' }],
    ['!', { bool: 'bool' }],
  ])('is what %s takes, of the types that it has', (symbol, table) => {
    for (const type of operandTypes) {
      const found = comparableWith(`${symbol}${operands[type]}`)

      expect([type, found]).toEqual([type, like(table[type])])
    }
  })
})

describe('a choice', () => {
  test('asks a bool, and has two sides of one type', () => {
    for (const condition of operandTypes) {
      for (const [a, b] of pairs) {
        const text = `${operands[condition]} ? ${operands[a]} : ${operands[b]}`
        const isValue = valueTypes.find((type) => type === a)
        const expected = condition === 'bool' && a === b ? like(isValue) : undefined

        expect([condition, a, b, comparableWith(text)]).toEqual([condition, a, b, expected])
      }
    }
  })
})

type Unary = Readonly<Partial<Record<OperandType, ValueType>>>
const conversions: Readonly<Record<string, Unary>> = {
  int: { int: 'int', double: 'int', string: 'int', timestamp: 'int' },
  double: { int: 'double', double: 'double', string: 'double' },
  bool: { bool: 'bool', string: 'bool' },
  string: {
    bool: 'string',
    int: 'string',
    double: 'string',
    string: 'string',
    timestamp: 'string',
    duration: 'string',
  },
  timestamp: { timestamp: 'timestamp', string: 'timestamp', int: 'timestamp' },
  duration: { duration: 'duration', string: 'duration' },
}
const functions: Readonly<Record<string, Unary>> = {
  ...conversions,
  size: { string: 'int', ints: 'int', strings: 'int', bools: 'int' },
  emailDomain: { string: 'string' },
  network: { string: 'string' },
  phoneCountry: { string: 'string' },
}
const ofTimestamp = { timestamp: 'int' } as const
const ofBoth = { timestamp: 'int', duration: 'int' } as const
const receivers: Readonly<Record<string, Unary>> = {
  size: { string: 'int', ints: 'int', strings: 'int', bools: 'int' },
  lowerAscii: { string: 'string' },
  upperAscii: { string: 'string' },
  getFullYear: ofTimestamp,
  getMonth: ofTimestamp,
  getDate: ofTimestamp,
  getDayOfMonth: ofTimestamp,
  getDayOfWeek: ofTimestamp,
  getDayOfYear: ofTimestamp,
  getHours: ofBoth,
  getMinutes: ofBoth,
  getSeconds: ofBoth,
  getMilliseconds: ofTimestamp,
}

const others = ['contains', 'startsWith', 'endsWith', 'matches', 'inCidr', 'inList', 'prefix']
const names = [...new Set([...Object.keys(functions), ...Object.keys(receivers)])]

test('there are no other functions', () => {
  expect(functionNames.toSorted()).toEqual([...names, ...others].toSorted())
})

describe.each(names)('the function %s', (name) => {
  test('takes the types that it is for, before the bracket or behind the dot as CEL has it', () => {
    for (const type of operandTypes) {
      const [before, behind] = [`${name}(${operands[type]})`, `${operands[type]}.${name}()`]

      expect([type, comparableWith(before)]).toEqual([type, like(functions[name]?.[type])])
      expect([type, comparableWith(behind)]).toEqual([type, like(receivers[name]?.[type])])
    }
  })

  test('takes neither nothing nor one more', () => {
    const [value] = [Object.keys(functions[name] ?? receivers[name] ?? {})[0]]
    const operand = operands[value as OperandType]

    for (const text of [
      `${name}()`,
      `${name}(${operand}, ${operand})`,
      `${operand}.${name}(${operand})`,
    ]) {
      expect([text, comparableWith(text)]).toEqual([text, undefined])
    }
  })
})

describe.each(['contains', 'startsWith', 'endsWith'])('the function %s', (name) => {
  test('takes two texts, the first behind a dot', () => {
    for (const [a, b] of pairs) {
      const found = comparableWith(`${operands[a]}.${name}(${operands[b]})`)

      expect([a, b, found]).toEqual([a, b, a === 'string' && b === 'string' ? ['bool'] : undefined])
    }
    expect(comparableWith(`${name}(signal.ip, "a")`)).toBeUndefined()
    expect(comparableWith(`signal.ip.${name}()`)).toBeUndefined()
    expect(comparableWith(`signal.ip.${name}("a", "b")`)).toBeUndefined()
  })
})

describe.each<[string, readonly string[], readonly string[]]>([
  [
    'matches',
    ['signal.ip.matches("a")', 'matches(signal.ip, "a")', '"a".matches("a")'],
    [
      'signal.ip.matches(signal.ip)',
      'signal.ip.matches("a" + "b")',
      'signal.ip.matches(1)',
      'list.block.matches("a")',
      'signal.ip.matches(["a"])',
      'signal.ip.matches()',
      'matches("a")',
    ],
  ],
  [
    'inCidr',
    ['inCidr(signal.ip, "10.0.0.0/8")', 'inCidr(signal.ip, ["10.0.0.0/8"])'],
    [
      'signal.ip.inCidr("10.0.0.0/8")',
      'inCidr(list.block, "10.0.0.0/8")',
      'inCidr(["10.0.0.1"], "10.0.0.0/8")',
      'inCidr(signal.ip, [1])',
      'inCidr(signal.ip, ["10.0.0.0/8", signal.ip])',
      'inCidr(signal.ip, "10.0.0.0" + "/8")',
      'inCidr(signal.ip)',
      'inCidr()',
    ],
  ],
  [
    'inList',
    ['inList("10.0.0.0/8", signal.ip)'],
    ['signal.ip.inList("10.0.0.0/8")', 'inList("10.0.0.0/8", list.block)', 'inList(signal.ip)'],
  ],
])('the function %s', (_, good, bad) => {
  test.each(good)('is a bool: %s', (text) => {
    expect(comparableWith(text)).toEqual(['bool'])
  })

  test.each(bad)('is refused: %s', (text) => {
    expect(comparableWith(text)).toBeUndefined()
  })
})

describe.each(['exists', 'all'])('the loop %s', (kind) => {
  test.each<[keyof typeof lists, ValueType]>([
    ['ints', 'int'],
    ['strings', 'string'],
    ['bools', 'bool'],
  ])('over %s has a variable of type %s', (list, type) => {
    for (const other of valueTypes) {
      const text = `${lists[list]}.${kind}(x, x == ${values[other]})`

      expect([other, comparableWith(text)]).toEqual([
        other,
        like(type)?.includes(other) ? ['bool'] : undefined,
      ])
    }
  })

  test('asks a bool of each item', () => {
    for (const type of operandTypes) {
      const found = comparableWith(`["a"].${kind}(x, ${operands[type]})`)

      expect([type, found]).toEqual([type, type === 'bool' ? ['bool'] : undefined])
    }
  })

  test.each([
    `signal.ip.${kind}(x, true)`,
    `${kind}(["a"], x, true)`,
    `["a"].${kind}(true)`,
    `["a"].${kind}("x", true)`,
    `["a"].${kind}(x.y, true)`,
    `["a"].${kind}(x, true, true)`,
    `["a"].${kind}(signal, true)`,
    `["a"].${kind}(x, y == "a")`,
    `["a"].${kind}(x, true) && x == "a"`,
    `["a"].${kind}(x, x.y == "a")`,
    `[].${kind}(x, true)`,
    `[["a"]].${kind}(x, true)`,
    `["a", 1].${kind}(x, true)`,
  ])('is not written %s', (text) => {
    expect(problemsOf(text).length).toBeGreaterThan(0)
  })
})

describe('a rule', () => {
  test('is a bool', () => {
    for (const type of operandTypes) {
      expect([type, problemsOf(operands[type]).length]).toEqual([type, type === 'bool' ? 0 : 1])
    }
  })
})
