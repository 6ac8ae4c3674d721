import fc from 'fast-check'
import type { Values } from './evaluate.ts'

/** Every name of the evidence below; rules of `arbitraryRule` read only these. */
export const arbitraryEvidence: fc.Arbitrary<Values> = fc.record({
  'signal.ip': fc.constantFrom('203.0.113.7', '10.0.0.1', '2001:db8::1'),
  'signal.device_id': fc.constantFrom('d-1', 'é', 'a😀b', '0'),
  'signal.user_agent': fc.constantFrom('Mozilla/5.0 (iPhone)', 'curl/8.4', 'naïve 😀 agent'),
  'signal.existing_user': fc.boolean(),
  'signal.is_trusted_user': fc.boolean(),
  'signal.ext.n': fc.integer({ min: -1000, max: 1000 }).map(String),
  'signal.ext.d': fc.constantFrom('0.5', '-2', '1e3', '129.90'),
  'signal.ext.b': fc.constantFrom('true', 'false', '1', 'f'),
  'signal.ext.t': fc.constantFrom('2024-02-29T12:34:56Z', '1999-12-31T23:59:59.25+02:00'),
  'signal.ext.w': fc.constantFrom('1h30m', '-2.5s', '250ms'),
  'target.phone_number': fc.constantFrom('+33612345678', '+14155552671'),
  'target.email_address': fc.constantFrom('jane@example.com', 'b@mail.example.org'),
  'list.allow': fc.boolean(),
  'list.block': fc.boolean(),
  'request.time': fc.integer({ min: -4e12, max: 8e12 }),
})

const names = [
  ...['signal.ip', 'signal.device_id', 'signal.user_agent', 'signal.ext.n', 'signal.ext["d"]'],
  ...['target.phone_number', 'target.email_address'],
]

const join = (...parts: readonly (string | fc.Arbitrary<string>)[]): fc.Arbitrary<string> =>
  fc
    .tuple(...parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part)))
    .map((texts) => texts.join(''))

const quoted = fc
  .string({
    unit: fc.constantFrom('a', 'b', 'i', '0', '3', '.', '@', 'é', '😀', '"', '\\'),
    maxLength: 8,
  })
  .map((text) => JSON.stringify(text))

type Kind = 'bool' | 'int' | 'double' | 'string' | 'time' | 'span'

/** Rules that are well-typed and cannot fail on the evidence above. */
export const arbitraryRule: fc.Arbitrary<string> = fc.letrec<Record<Kind, string>>((tie) => {
  const bool = tie('bool')
  const int = tie('int')
  const double = tie('double')
  const string = tie('string')
  const time = tie('time')
  const span = tie('span')
  const order = fc.constantFrom(' == ', ' != ', ' < ', ' <= ', ' > ', ' >= ')
  const pair = (a: fc.Arbitrary<string>, b = a) => join('(', a, order, b, ')')
  const choice = (type: fc.Arbitrary<string>) => join('(', bool, ' ? ', type, ' : ', type, ')')
  const listOf = (item: fc.Arbitrary<string>) =>
    fc.array(item, { minLength: 1, maxLength: 4 }).map((items) => `[${items.join(', ')}]`)
  // one depth for all types, so that a rule stays short
  const depth = { maxDepth: 5, depthSize: 'small', depthIdentifier: 'rule' } as const

  return {
    bool: fc.oneof(
      depth,
      fc.constantFrom('true', 'signal.existing_user', 'signal.is_trusted_user', 'list.allow'),
      fc.constantFrom(
        'bool(signal.ext.b)',
        'has(signal.ip)',
        'has(signal.os_version)',
        'list.block',
      ),
      ...[pair(int), pair(double), pair(string), pair(time), pair(span), pair(bool)],
      ...[pair(int, double), pair(double, int)],
      // a division by zero and by a negative zero differ
      join('(1.0 / ', double, order, double, ')'),
      join('(', bool, fc.constantFrom(' && ', ' || '), bool, ')'),
      join('(', bool, fc.constantFrom(' && ', ' || '), bool, ' && ', bool, ')'),
      join('!', bool),
      choice(bool),
      join('(', string, ' in ', listOf(string), ')'),
      join('(', int, ' in ', listOf(int), ')'),
      join(string, fc.constantFrom('.contains', '.startsWith', '.endsWith'), '(', string, ')'),
      join(
        string,
        '.matches(',
        fc.constantFrom('"^[a-z0-9]+$"', '"(?i)M"', '"\\\\bi"', '"3"'),
        ')',
      ),
      join(listOf(string), fc.constantFrom('.exists', '.all'), '(x, x.contains(', string, '))'),
      join(listOf(int), fc.constantFrom('.exists', '.all'), '(y, y > ', int, ')'),
    ),
    int: fc.oneof(
      depth,
      fc.integer({ min: -50, max: 50 }).map((n) => `(${n})`),
      fc.constant('int(signal.ext.n)'),
      join('(', int, fc.constantFrom(' + ', ' - ', ' * '), int, ')'),
      join('(', int, fc.constantFrom(' / 7', ' % 5', ' / -3', ' % -4'), ')'),
      join('-', int),
      choice(int),
      join('size(', string, ')'),
      join('size(', listOf(int), ')'),
      join('int(', double, ')'),
      join(
        time,
        '.',
        fc.constantFrom('getFullYear', 'getMonth', 'getDate', 'getDayOfMonth', 'getDayOfWeek'),
        '()',
      ),
      join(
        time,
        '.',
        fc.constantFrom('getDayOfYear', 'getHours', 'getMinutes', 'getSeconds'),
        '()',
      ),
      join(span, '.', fc.constantFrom('getHours', 'getMinutes', 'getSeconds'), '()'),
    ),
    double: fc.oneof(
      depth,
      fc.constantFrom(
        '0.5',
        '-1.25',
        '100.0',
        '0.0',
        '-0.0',
        'double(signal.ext.d)',
        'double(signal.ext.n)',
      ),
      join('(', double, fc.constantFrom(' + ', ' - ', ' * '), double, ')'),
      join('(', double, ' / 4.0)'),
      join('double(', int, ')'),
      choice(double),
    ),
    string: fc.oneof(
      depth,
      fc.constantFrom(...names),
      quoted,
      join('(', string, ' + ', string, ')'),
      choice(string),
      join('string(', int, ')'),
      join('string(', bool, ')'),
      join(string, fc.constantFrom('.lowerAscii()', '.upperAscii()')),
    ),
    time: fc.oneof(
      depth,
      fc.constantFrom(
        'request.time',
        'timestamp(signal.ext.t)',
        'timestamp("2024-03-01T00:00:00.5Z")',
      ),
      join('(', time, fc.constantFrom(' + ', ' - '), span, ')'),
      choice(time),
    ),
    span: fc.oneof(
      depth,
      fc.constantFrom('duration("36h")', 'duration("-1.5s")', 'duration(signal.ext.w)'),
      join('(', time, ' - ', time, ')'),
      choice(span),
    ),
  }
}).bool
