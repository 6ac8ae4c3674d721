/** Type-checks calls that are answered before the run: their arguments, and how many there are. */

import type { ListKind } from '../../../domain/lists/lists.ts'
import { nearestName } from '../../../domain/text/nearestName.ts'
import { countNodes, type Expression, listChildren } from '../expression.ts'
import { ruleLimits } from '../ruleLimits.ts'
import { unparse } from '../unparse.ts'
import { addProblem, type CheckContext, formatSuggestion, type TypedNode } from './checkContext.ts'

/** Functions allowed around the name whose value is looked up. */
const functionsMax = 2

/** Records the problems of the arguments of `inList`; true when there are none. */
export function checkInList([list, of]: readonly TypedNode[], context: CheckContext): boolean {
  if (!list || !of) return false
  const problems = context.problems.length
  const kind = findListKind(list.node, context)
  checkValue(of.node, kind, context)
  if (context.problems.length > problems) return false
  context.lookups.add(`${unparse(list.node)} ${unparse(of.node)}`)
  if (context.lookups.size <= ruleLimits.lookups) return true
  addProblem(context, list.node, `a rule asks lists ${ruleLimits.lookups} times at most`)
  return false
}

/** Parts of the argument of `phoneCountry`: it is computed before the rules run, outside their steps. */
const partsMax = 9

/** Records the problems of the argument of `phoneCountry`; true when there are none. */
export function checkPhoneCountry([of]: readonly TypedNode[], context: CheckContext): boolean {
  if (!of) return false
  if (!isPlainValue(of.node) || countNodes(of.node) > partsMax) {
    const form = 'a name, or texts, + and functions of one argument around names'
    addProblem(context, of.node, `the argument of phoneCountry must be ${form}`)
    return false
  }
  context.countries.add(unparse(of.node))
  if (context.countries.size <= ruleLimits.lookups) return true
  addProblem(context, of.node, `a rule asks ${ruleLimits.lookups} countries at most`)
  return false
}

/** Names and literals with `+` and functions of one argument: cheap, and the same throughout the rule. */
function isPlainValue(node: Expression): boolean {
  if (node.kind === 'read' || node.kind === 'literal') return true
  if (node.kind !== 'call' || (node.args.length > 1 && !node.operator.startsWith('+'))) return false
  return node.args.every(isPlainValue)
}

function findListKind(node: Expression, context: CheckContext): ListKind | undefined {
  if (node.kind !== 'literal' || typeof node.value !== 'string') {
    const form = 'the name of a list, as in inList("vip", …)'
    return addProblem(context, node, `the first argument of inList must be ${form}`)
  }
  const kind = context.lists.get(node.value)
  if (kind) return kind
  const hint = formatSuggestion(nearestName(node.value, context.lists.keys()))
  return addProblem(context, node, `there is no list '${node.value}'${hint}`)
}

function checkValue(node: Expression, kind: ListKind | undefined, context: CheckContext): void {
  if (!isOfOneName(node)) {
    const form = 'a name, or a function of one, as in emailDomain(target.email_address)'
    addProblem(context, node, `the second argument of inList must be ${form}`)
    return
  }
  const form = findValueForm(node)
  if (!kind || form === undefined || kind === 'text') return
  const { name, accepts } = entriesByKind[kind]
  if (accepts.includes(form)) return
  addProblem(context, node, `the list holds ${name}, and ${unparse(node)} is ${forms[form]}`)
}

/** A name, or functions of one argument around a name. */
function isOfOneName(node: Expression, functions = 0): boolean {
  if (node.kind === 'read') return true
  const [of, ...more] = listChildren(node)
  if (node.kind !== 'call' || !of || more.length > 0 || functions === functionsMax) return false
  return isOfOneName(of, functions + 1)
}

/** The forms of values, as far as they are known. */
const forms = {
  phone_number: 'a phone number',
  email_address: 'an e-mail address',
  email_domain: 'a mail domain',
  ip: 'an IP address',
  other: 'something else',
}
type ValueForm = keyof typeof forms

/** The entries of a list by its kind, and the forms it accepts; a list of texts accepts any. */
const entriesByKind: Readonly<
  Record<
    Exclude<ListKind, 'text'>,
    { readonly name: string; readonly accepts: readonly ValueForm[] }
  >
> = {
  phone_number: { name: 'phone numbers', accepts: ['phone_number'] },
  email_address: { name: 'e-mail addresses', accepts: ['email_address'] },
  // an address is on a list of domains when its domain is
  email_domain: { name: 'mail domains', accepts: ['email_domain', 'email_address'] },
  ip_range: { name: 'IP addresses and networks', accepts: ['ip'] },
}

const formsByName: ReadonlyMap<string, ValueForm> = new Map([
  ['target.phone_number', 'phone_number'],
  ['target.email_address', 'email_address'],
  ['signal.ip', 'ip'],
])

/** Undefined for caller-defined values, as in `signal.ext`. */
function findValueForm(node: Expression): ValueForm | undefined {
  if (node.kind === 'read') {
    return formsByName.get(node.name) ?? (node.name.startsWith('signal.ext.') ? undefined : 'other')
  }
  if (node.kind !== 'call') return undefined
  if (node.operator.startsWith('emailDomain(')) return 'email_domain'
  if (node.operator.startsWith('phoneCountry(')) return 'other'
  const [of] = node.args
  return of && findValueForm(of)
}
