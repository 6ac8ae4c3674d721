/** Parses a `where` (conditions joined by `and`) and finds out whether an evaluation fulfils it. */

import {
  describeNetworkRefusal,
  parseAddress,
  parseIpNetwork,
} from '../../../domain/network/cidr.ts'
import { nearestName } from '../../../domain/text/nearestName.ts'
import { quoteText } from '../../../domain/text/quoteText.ts'
import {
  formatExtName,
  isReadableName,
  readableNames,
} from '../../../engine/language/readableNames.ts'
import { parseDoubleText } from '../../../engine/language/values/numbers.ts'
import {
  evaluationNames,
  evidenceName,
  type Needs,
  readStatus,
  recipeNames,
  ruleNames,
  type ScanName,
  type ScannedEvaluation,
  type ScannedRecipe,
  type ScannedRule,
  type ScanValue,
} from './scanNames.ts'

const operators = ['=', '!=', '<=', '>=', '<', '>'] as const
type Operator = (typeof operators)[number]

/** One condition, as plain data. */
export interface Condition {
  /** As in the tables of `scanNames.ts`, or a name of the evidence. */
  readonly name: string
  readonly operator: Operator
  /** A text, a number or true and false; of a name that is compared by its digest, the keyed digest. */
  readonly value: string | number | boolean
}

/** Characters of a `where`, and its conditions. */
export const whereMax = { chars: 8_192, conditions: 32 } as const

/** What a text of a name that is found by its digest is compared by; undefined for a text that is none of it. */
export type ToDigest = (name: string, text: string) => string | undefined

type ParsedWhere = { readonly conditions: readonly Condition[] } | Problem

/**
 * The conditions of a text such as `verdict = FLAG and signal.ext.shop_country != FR`, or what is wrong with it, as a
 * sentence. A value with spaces stands in double quotes, as a JSON text.
 */
export function parseWhere(text: string, toDigest: ToDigest): ParsedWhere {
  if (text.length > whereMax.chars) {
    return { problem: `Must have at most ${whereMax.chars} characters.` }
  }
  const conditions: Condition[] = []
  let rest = text.trim()
  let isMore = rest !== ''
  while (isMore) {
    const part = conditionPattern.exec(rest)
    if (!part) return { problem: `Expected ${conditionForm} at ${quoteText(rest)}.` }
    const [whole, name = '', operator = '=', written = '', and] = part
    const condition = readCondition({ name, operator: operator as Operator, written }, toDigest)
    if ('problem' in condition) return condition
    conditions.push(condition)
    rest = rest.slice(whole.length)
    isMore = and !== undefined
    if (!isMore && rest !== '') return { problem: `Expected "and" at ${quoteText(rest)}.` }
  }
  if (conditions.length <= whereMax.conditions) return { conditions }
  return { problem: `Must have at most ${whereMax.conditions} conditions.` }
}

/** Name, operator, value, then the `and` before the next one; `==` and single quotes are not understood as texts. */
const conditionPattern =
  /^([A-Za-z_][\w.]*(?:\["(?:[^"\\]|\\.)*"\])?)\s*(!=|<=|>=|=|<|>)\s*("(?:[^"\\]|\\.)*"|[^\s"'=<>!][^\s"]*)(?:\s+(and)(?:\s+|$))?\s*/i

const conditionForm =
  'NAME OPERATOR VALUE, such as verdict = FLAG (=, !=, <, <=, >, >=; a value with spaces in double quotes),'

interface Written {
  readonly name: string
  readonly operator: Operator
  readonly written: string
}

function readCondition(
  { name: asked, operator, written }: Written,
  toDigest: ToDigest,
): Condition | Problem {
  const name = toScanName(asked)
  if (name === undefined) return { problem: describeUnknown(asked) }
  const text = unquote(written)
  if (text === undefined) return { problem: `${asked}: ${quoteText(written)} is no JSON text.` }
  const isOrder = operator !== '=' && operator !== '!='
  const problem = findProblem({ asked, name, isOrder, text })
  if (problem !== undefined) return { problem }
  const type = isOrder ? 'number' : findName(name).type
  const value = readValue[type](text, (digested) => toDigest(name, digested))
  if (value !== undefined) return { name, operator, value }
  const what = type === 'number' ? `takes a number after ${operator}` : describeDigested(name)
  return { problem: `${asked} ${what}, not ${quoteText(text)}.` }
}

/** Why nothing could fulfil a condition on the name with this text; undefined for what something may. */
function findProblem({
  asked,
  name,
  isOrder,
  text,
}: {
  readonly asked: string
  readonly name: string
  readonly isOrder: boolean
  readonly text: string
}): string | undefined {
  const { type, values } = findName(name)
  const known = type === 'boolean' ? ['true', 'false'] : values
  if (isOrder) {
    return known || type === 'digest' ? `${asked} takes = and != alone.` : undefined
  }
  if (known && !known.includes(text)) {
    return `${asked} is one of ${known.join(', ')}, not ${quoteText(text)}.`
  }
  // no address is equal to a network that is none
  if (name === 'signal.ip' && !parseIpNetwork(text)) {
    return `${asked}: ${describeNetworkRefusal(text)}`
  }
  return undefined
}

function describeDigested(name: string): string {
  return name === 'ip'
    ? 'takes one public address (networks are asked for as signal.ip)'
    : 'takes one in full'
}

interface Problem {
  readonly problem: string
}

/** The value of a text by the type of its name; undefined for what is none. */
const readValue: Readonly<
  Record<
    ScanName['type'],
    (text: string, toDigest: (text: string) => string | undefined) => Condition['value'] | undefined
  >
> = {
  text: (text) => text,
  number: parseDoubleText,
  boolean: (text) => text === 'true',
  digest: (text, toDigest) => toDigest(text),
}

function unquote(written: string): string | undefined {
  if (!written.startsWith('"')) return written
  try {
    return String(JSON.parse(written))
  } catch {
    return undefined
  }
}

const tableNames: ReadonlySet<string> = new Set([
  ...Object.keys(evaluationNames),
  ...Object.keys(recipeNames),
  ...Object.keys(ruleNames),
])

/**
 * The name as scans know it: of a table, or of the evidence; `ext.KEY` stands for `signal.ext.KEY`. Undefined for any
 * other text.
 */
export function toScanName(written: string): string | undefined {
  if (tableNames.has(written)) return written
  const name =
    written.startsWith('ext.') || written.startsWith('ext[') ? `signal.${written}` : written
  const quoted = /^signal\.ext\[(".*")\]$/.exec(name)?.[1]
  if (quoted !== undefined) {
    const key = unquote(quoted)
    return key === undefined ? undefined : formatExtName(key)
  }
  return isReadableName(name, undefined) ? name : undefined
}

/** A sentence with the nearest name. */
function describeUnknown(written: string): string {
  const known = [...tableNames, ...readableNames.map(({ name }) => name), 'signal.ext.KEY']
  const near = nearestName(written, known)
  const suggestion = near === undefined ? '' : `: did you mean ${near}?`
  return `There is no name ${quoteText(written)}${suggestion || '.'} Known: ${known.join(', ')}.`
}

/** A name by whose values evaluations can be grouped, as scans know it; undefined for any other text. */
export function toGroupName(written: string): string | undefined {
  const name = toScanName(written)
  if (name === undefined || (tableNames.has(name) && !groupNames.includes(name))) return undefined
  return name
}

/** A sentence with the names. */
export function describeUngroupable(written: string): string {
  const known = [...groupNames, ...readableNames.map(({ name }) => name), 'signal.ext.KEY']
  const near = nearestName(written, known)
  const suggestion = near === undefined ? '.' : `: did you mean ${near}?`
  return `Evaluations have no values under ${quoteText(written)}${suggestion} Known: ${known.join(', ')}.`
}

/** Of those that are compared by their digests there is nothing to show. */
const groupNames = Object.entries<{ readonly type: ScanName['type'] }>(evaluationNames).flatMap(
  ([name, { type }]) => (type === 'digest' ? [] : [name]),
)

function findName(name: string): Pick<ScanName, 'needs' | 'type' | 'values'> {
  return (
    lookUp(evaluationNames, name) ??
    lookUp(recipeNames, name) ??
    lookUp(ruleNames, name) ??
    evidenceName(name)
  )
}

/** The entry of a table under a name that a caller has chosen. */
function lookUp<Entry>(table: Readonly<Record<string, Entry>>, name: string): Entry | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}

/** A `where` ready to be asked. */
export interface Matcher {
  /** What its evaluation must have been read with. */
  readonly needs: Needs
  /** By what document and plan say; true where that is not enough. */
  readonly mayMatch: (one: ScannedEvaluation) => boolean
  /** By the rest of one that may match. */
  readonly matches: (one: ScannedEvaluation) => boolean
  /** The live recipes, or those of the status asked for, that fulfil what is asked of recipes. */
  readonly recipes: (one: ScannedEvaluation) => readonly ScannedRecipe[]
}

type Test<Subject> = (subject: Subject) => boolean

/** Makes the tests of the conditions. Throws for a name that `parseWhere` does not answer. */
export function compileWhere(conditions: readonly Condition[]): Matcher {
  const ofEvaluation = conditions.filter(
    ({ name }) => !lookUp(recipeNames, name) && !lookUp(ruleNames, name),
  )
  const documentTests = ofEvaluation.filter(({ name }) => isOfDocument(findName(name).needs))
  const otherTests = ofEvaluation.filter((condition) => !documentTests.includes(condition))
  const onDocument = testsOf(documentTests, (name) => lookUp(evaluationNames, name))
  const onRest = testsOf(otherTests, (name) => lookUp(evaluationNames, name) ?? evidenceName(name))
  const onRecipe = testsOf<ScannedRecipe>(
    conditions.filter(({ name }) => lookUp(recipeNames, name)),
    (name) => lookUp(recipeNames, name),
  )
  const onRule = testsOf<ScannedRule>(
    conditions.filter(({ name }) => lookUp(ruleNames, name)),
    (name) => lookUp(ruleNames, name),
  )
  const asksStatus = conditions.some(({ name }) => name === 'status')
  const asksRecipe = conditions.some(
    ({ name }) => lookUp(recipeNames, name) || lookUp(ruleNames, name),
  )
  const hasRule = (recipe: ScannedRecipe): boolean => {
    if (onRule === always) return true
    const { length } = recipe.of.body.recipes[recipe.index]?.outcomes ?? ''
    return Array.from({ length }, (_, ruleIndex) => ({ ...recipe, ruleIndex })).some(onRule)
  }
  const recipes = (of: ScannedEvaluation): readonly ScannedRecipe[] =>
    of.body.recipes
      .map((_, index) => ({ of, index }))
      .filter((one) => asksStatus || readStatus(one) === 'LIVE')
      .filter(onRecipe)
      .filter(hasRule)
  return {
    needs: addNeeds(conditions.map(({ name }) => findName(name).needs)),
    mayMatch: (one) => onDocument(one) && (!asksRecipe || recipes(one).length > 0),
    matches: onRest,
    recipes,
  }
}

function isOfDocument({ reports, record, evidence }: Needs): boolean {
  return !reports && !record && !evidence
}

/** What reading the values of an evaluation under this name needs. */
export function needsOf(name: string): Needs {
  return findName(name).needs
}

/** All that any of them needs. */
export function addNeeds(needs: readonly Needs[]): Required<Needs> {
  return {
    reports: needs.some(({ reports }) => reports),
    plan: needs.some(({ plan }) => plan),
    record: needs.some(({ record }) => record),
    runnable: needs.some(({ runnable }) => runnable),
    evidence: needs.some(({ evidence }) => evidence),
    recorded: needs.some(({ recorded }) => recorded),
  }
}

const always = (): boolean => true

function testsOf<Subject>(
  conditions: readonly Condition[],
  nameOf: (name: string) => { readonly read: (subject: Subject) => ReadValue } | undefined,
): Test<Subject> {
  if (conditions.length === 0) return always
  const tests = conditions.map((condition): Test<Subject> => {
    const name = nameOf(condition.name)
    if (!name) throw new Error(`a scan has no name ${condition.name}`)
    const holds = compileComparison(condition)
    return (subject) => holds(name.read(subject))
  })
  return (subject) => tests.every((test) => test(subject))
}

type ReadValue = ScanValue | readonly ScanValue[] | undefined

/**
 * Whether a value fulfils the condition, of several any of them. What is not there fulfils none, `!=` neither; several
 * are not equal to a value when none of them is.
 */
function compileComparison({ operator, value }: Condition): (read: ReadValue) => boolean {
  const isOne = compileOne(operator === '!=' ? '=' : operator, value)
  return (read) => {
    if (read === undefined || read === '') return false
    const values = Array.isArray(read) ? (read as readonly ScanValue[]) : [read as ScanValue]
    const some = values.some(isOne)
    return operator === '!=' ? !some : some
  }
}

function compileOne(operator: Operator, value: Condition['value']): (read: ScanValue) => boolean {
  if (operator === '=') {
    if (typeof value !== 'string') return (read) => read === value
    const network = parseIpNetwork(value)
    if (!network) return (read) => String(read) === value
    return (read) =>
      read === value ||
      read === network.text ||
      (typeof read === 'string' &&
        parseAddress(read)?.network(network.prefix).text === network.text)
  }
  const asked = Number(value)
  return (read) => {
    const number = typeof read === 'string' ? parseDoubleText(read) : read
    if (typeof number !== 'number') return false
    if (operator === '<') return number < asked
    if (operator === '<=') return number <= asked
    return operator === '>' ? number > asked : number >= asked
  }
}

/** The values of an evaluation under a name of it or of its evidence, as texts; none where it has none. */
export function readValues(name: string, one: ScannedEvaluation): readonly string[] {
  const { read } = lookUp(evaluationNames, name) ?? evidenceName(name)
  const found: ReadValue = read(one)
  if (found === undefined || found === '') return []
  return (Array.isArray(found) ? (found as readonly ScanValue[]) : [found]).map(String)
}
