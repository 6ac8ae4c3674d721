import { expect, test } from 'vitest'
import { callerSignals, deviceSignals, type Signals } from '../../src/domain/signals/signals.ts'
import type { ValueType } from '../../src/engine/language/expression.ts'
import { parseRule } from '../../src/engine/language/parse/parseRule.ts'
import { extNames, readableNames } from '../../src/engine/language/readableNames.ts'
import { gatherEvidence } from '../../src/state/evaluation/gatherEvidence.ts'

/** A condition that compiles only when the name has the type. */
const conditions: Readonly<Partial<Record<ValueType, (name: string) => string>>> = {
  string: (name) => `${name}.contains("x")`,
  bool: (name) => `${name} || ${name}`,
  timestamp: (name) => `${name}.getHours() > 1`,
}
const compiles = (text: string) => 'expression' in parseRule(text)

const device = Object.fromEntries(deviceSignals.map((name) => [name, name])) as Signals
const caller = Object.fromEntries(callerSignals.map((name) => [name, true])) as Signals
const agent =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.1 Mobile/15E148 Safari/604.1'
const everything = new Set(readableNames.map(({ name }) => name))

/** The source of each name that arrives. */
function sourcesWith(signals: Signals, dispatch: Signals | undefined): Map<string, string> {
  const { evidence } = gatherEvidence(
    {
      request: {
        flow_id: 'flo_1',
        target: { phone_number: '+33612345678', email_address: 'a@example.com' },
        signals,
      },
      dispatch,
      lists: { allow: { listed: true }, block: { listed: false } },
      isTrustedUserAgreed: true,
      time: 0,
    },
    everything,
  )
  return new Map([...evidence].map(([name, { source }]) => [name, source]))
}

const observed = [
  sourcesWith({ ...device, ...caller }, device),
  sourcesWith({ ...device, ...caller }, {}),
  sourcesWith({ ...caller, user_agent: agent }, {}),
]

test.each(readableNames)('$name has the type that authors are told, and no other', (entry) => {
  const fits = Object.entries(conditions).filter(([, text]) => compiles(text(entry.name)))

  expect(fits.map(([type]) => type)).toEqual([entry.type])
  expect(compiles(`has(${entry.name})`)).toBe(true)
})

test.each(readableNames)('$name arrives from the sources that authors are told', (entry) => {
  const sources = new Set(observed.flatMap((seen) => seen.get(entry.name) ?? []))

  expect([...sources]).toEqual(entry.sources)
  expect(entry.meaning).not.toBe('')
})

test('what needs a dispatch arrives with one only, everything else also without', () => {
  const without = sourcesWith({ ...device, ...caller, user_agent: agent }, undefined)

  const missing = readableNames.filter(({ name }) => !without.has(name))

  expect(missing).toEqual(readableNames.filter(({ needsDispatch }) => needsDispatch))
  expect(missing).toHaveLength(deviceSignals.length)
})

test('nothing arrives that authors are not told of', () => {
  const told = new Set(readableNames.map(({ name }) => name))

  expect(observed.flatMap((seen) => [...seen.keys()]).filter((name) => !told.has(name))).toEqual([])
})

test('names beside the table do not compile, callers’ own are text', () => {
  for (const name of ['signal.nothing', 'target.name', 'list.grey', 'request.id', 'param.x']) {
    expect(compiles(`has(${name})`)).toBe(false)
  }
  expect(compiles('signal.ext.anything.contains("x")')).toBe(true)
  expect(extNames).toMatchObject({ type: 'string', needsDispatch: false, sources: ['request'] })
})
