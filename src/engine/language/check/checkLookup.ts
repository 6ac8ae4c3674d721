/** Type-checks `inList("vip", target.email_address)`: the list exists and takes values of this kind. */

import type { ListKind } from '../../../domain/lists/lists.ts'
import { nearest } from '../../../domain/text/nearest.ts'
import { childrenOf, type Expression } from '../expression.ts'
import { limits } from '../limits.ts'
import { unparse } from '../unparse.ts'
import { type Checking, report, spotOf, type Typed } from './checking.ts'

/** Functions allowed around the name whose value is looked up. */
const functionsMax = 2

/** Records the problems of the arguments of `inList`; true when there are none. */
export function checkLookup([list, of]: readonly Typed[], checking: Checking): boolean {
  if (!list || !of) return false
  const problems = checking.problems.length
  const kind = kindOf(list.node, checking)
  checkValue(of.node, kind, checking)
  if (checking.problems.length > problems) return false
  checking.lookups.add(`${unparse(list.node)} ${unparse(of.node)}`)
  if (checking.lookups.size <= limits.lookups) return true
  report(checking, spotOf(checking, list.node), `a rule asks lists ${limits.lookups} times at most`)
  return false
}

/** The kind of the list. */
function kindOf(node: Expression, checking: Checking): ListKind | undefined {
  const spot = spotOf(checking, node)
  if (node.kind !== 'literal' || typeof node.value !== 'string') {
    return report(
      checking,
      spot,
      'the first argument of inList must be the name of a list, as in inList("vip", …)',
    )
  }
  const kind = checking.lists.get(node.value)
  if (kind) return kind
  const near = nearest(node.value, checking.lists.keys())
  const hint = near === undefined ? '' : `; did you mean '${near}'?`
  return report(checking, spot, `there is no list '${node.value}'${hint}`)
}

function checkValue(node: Expression, kind: ListKind | undefined, checking: Checking): void {
  const spot = spotOf(checking, node)
  if (!isOfOneName(node)) {
    const text =
      'the second argument of inList must be a name, or a function of one, as in emailDomain(target.email_address)'
    report(checking, spot, text)
    return
  }
  const form = formOf(node)
  if (!kind || form === undefined || kind === 'text') return
  const { name, accepts } = entriesOf[kind]
  if (accepts.includes(form)) return
  report(checking, spot, `the list holds ${name}, and ${unparse(node)} is ${forms[form]}`)
}

/** A name, or functions of one argument around a name. */
function isOfOneName(node: Expression, functions = 0): boolean {
  if (node.kind === 'read') return true
  const [of, ...more] = childrenOf(node)
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

interface Entries {
  readonly name: string
  readonly accepts: readonly ValueForm[]
}

/** The entries of a list by its kind, and the forms it accepts; a list of texts accepts any. */
const entriesOf: Readonly<Record<Exclude<ListKind, 'text'>, Entries>> = {
  phone_number: { name: 'phone numbers', accepts: ['phone_number'] },
  email_address: { name: 'e-mail addresses', accepts: ['email_address'] },
  // an address is on a list of domains when its domain is
  email_domain: { name: 'mail domains', accepts: ['email_domain', 'email_address'] },
  ip_range: { name: 'IP addresses and networks', accepts: ['ip'] },
}

const known: ReadonlyMap<string, ValueForm> = new Map([
  ['target.phone_number', 'phone_number'],
  ['target.email_address', 'email_address'],
  ['signal.ip', 'ip'],
])

/** Undefined for caller-defined values, as in `signal.ext`. */
function formOf(node: Expression): ValueForm | undefined {
  if (node.kind === 'read') {
    return known.get(node.name) ?? (node.name.startsWith('signal.ext.') ? undefined : 'other')
  }
  if (node.kind !== 'call') return undefined
  if (node.operator.startsWith('emailDomain(')) return 'email_domain'
  if (node.operator.startsWith('phoneCountry(')) return 'other'
  const [of] = node.args
  return of && formOf(of)
}
