import type { Attack } from '../attack.ts'
import { repeat } from '../repeat.ts'
import { createFlow, evaluate } from '../rulebook.ts'

const quoted = (texts: readonly string[]): string => `["${texts.join('","')}"]`
const listOf = (item: (at: number) => string): string =>
  quoted(Array.from({ length: 20 }, (_, at) => item(at)))

const durations = listOf((at) => `${at}h${at}m${at}s1ms1us1ns`)
const numbers = listOf((at) => `${at}.${'7'.repeat(20)}`)
const addresses = listOf((at) => `2001:db8:85a3:8d3:1319:8a2e:370:${at + 1000}`)
const networks = quoted(Array.from({ length: 40 }, (_, at) => `2001:db${at % 8}:${at}::/48`))
const times = listOf((at) => `2024-05-${String(at + 10)}T12:00:00.123Z`)
const mails = listOf((at) => `${'x'.repeat(40)}${at}@mail.example.com`)
const phones = listOf((at) => `+336123456${at + 10}`)

/** What is dear for what it looks like, each over all pairs of a list. */
const operations: readonly (readonly [list: string, body: string])[] = [
  [durations, 'duration(a) + duration(b) < duration("9999h")'],
  [numbers, 'double(signal.ext.digits + a + b) >= 0.0'],
  [numbers, 'string(double(a) / 3.0) != string(double(b) / 7.0)'],
  [addresses, `!inCidr(a, ${networks})`],
  [times, 'timestamp(a) - timestamp(b) < duration("9999h")'],
  [times, 'string(timestamp(a)) != b + "x"'],
  [mails, 'emailDomain(a + b) != b'],
  [phones, 'phoneCountry(a) == phoneCountry(b)'],
  [numbers, '!(signal.ext.long + a).contains(b + "x")'],
  [numbers, '(signal.ext.long + a).lowerAscii() != b'],
  [numbers, '!(signal.ext.long + a).matches("(x+x+)+y[0-9]{1,20}$")'],
  [numbers, 'signal.ext.long + a != signal.ext.long + b + "x"'],
]

const long = 'x'.repeat(8_000)

export const dearOperations: Attack = {
  does: 'evaluates the dearest operations of the language, in loops',
  run: async (attacker) => {
    // a rule that reads nothing could be worked out once, when it is saved
    const loops = operations.flatMap(([list, body]) => [
      `${list}.all(a,${list}.all(b,signal.ext.n != a && ${body}))`,
      `${list}.all(a,${list}.all(b,["x","y","z"].all(c,c != signal.ext.n && ${body})))`,
    ])
    const flow = await createFlow(attacker, loops)
    if (flow === undefined) return
    const ext = { n: '0', long, digits: '7'.repeat(1_000) }
    await repeat(attacker, 4, () => evaluate(attacker, flow, ext))
  },
}
